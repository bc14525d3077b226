#ifndef KINFORMER_SRC_APISERVER_CACHER_WATCH_CACHE_H_
#define KINFORMER_SRC_APISERVER_CACHER_WATCH_CACHE_H_

// In:     what a Reflector over the storage writes
// Out:    the objects as of a revision, the events since one, and waiting for one
// Thread: written on the Reflector's task, read from any thread
// Next:   Dispatcher, which is told of every event; Cacher, which answers from it

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>
#include <kinformer/reflector/reflector_target.h>

#include "src/apiserver/cacher/cache_event.h"
#include "src/apiserver/cacher/event_ring.h"
#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct WatchCacheOptions {
  /// For messages: "pods".
  std::string name{};
  EventRingOptions ring{};
  /// How long somebody waits for a revision that is not there yet.
  Duration fresh_timeout = std::chrono::seconds(3);
  /// So often, while somebody waits, the storage is asked how far it is.
  Duration progress_interval = std::chrono::milliseconds(100);
  std::function<void()> request_progress{};
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};

  // Called on the Reflector's task, in the order of what happens, without a lock.
  std::function<void(const CacheEventPtr&)> on_event{};
  /// Nothing happened up to there.
  std::function<void(Revision)> on_progress{};
  /// Everything is about to be replaced; has been.
  std::function<void()> before_replace{};
  std::function<void(Revision)> after_replace{};
};

/// Objects in the order of their keys, shared with whoever else asked for them meanwhile.
struct CacheSnapshot {
  std::shared_ptr<const std::vector<ObjectPtr>> objects{};
  Revision revision = 0;
};

/// What became of a look into the ring.
struct EventsTaken {
  /// Events that are wanted have been pushed out.
  bool too_old = false;
  /// Nothing was left after those that were taken.
  bool all = false;
};

struct WatchCacheStatus {
  Revision revision = 0;
  std::size_t objects = 0;
  std::size_t events = 0;
  std::size_t capacity = 0;
  /// Watches can begin after this revision.
  Revision oldest = 0;
  /// Events that came out of order or without a version, and were passed over.
  std::uint64_t ignored = 0;
};

/// The state of a resource and its latest changes.
///
/// @par Thread Safety
/// The ReflectorTarget's functions are called by one Reflector; all others from any thread.
class WatchCache final : public ReflectorTarget, public KnownObjects {
 public:
  explicit WatchCache(WatchCacheOptions options);

  void Add(ObjectPtr object) override { Apply(std::move(object), false); }
  void Update(ObjectPtr object) override { Apply(std::move(object), false); }
  void Delete(ObjectPtr object) override { Apply(std::move(object), true); }
  void Replace(std::vector<ObjectPtr> objects, std::string resource_version) override;
  void Bookmark(std::string resource_version) override;

  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const override;

  /// Blocks until the cache has come to that revision. In vain: 504 Timeout, cause ResourceVersionTooLarge.
  Result<void> WaitUntilFresh(Revision revision, const std::stop_token& stop);
  /// All objects, or those of one namespace, or those of a name (in all namespaces, or in that one).
  CacheSnapshot Snapshot(std::string_view namespace_name = {}, std::string_view name = {}) const;

  /// 410 Expired, if events after that revision are gone.
  Result<void> CheckSince(Revision revision) const;
  /// Appends the events after that revision, the oldest first, `limit` at the most.
  EventsTaken EventsSince(Revision revision, std::size_t limit, std::vector<CacheEventPtr>& events) const;

  bool HasEventsSince(Revision revision) const;

  Revision revision() const;
  std::size_t capacity() const;
  WatchCacheStatus Status() const;

 private:
  using Objects = std::map<std::string, ObjectPtr, std::less<>>;

  void Apply(ObjectPtr object, bool deleted);
  Revision Oldest() const KINFORMER_REQUIRES(mutex_);
  void Ignore(const Object& object, std::string_view why);
  Error TooLarge(Revision wanted, Revision current) const;

  const WatchCacheOptions options_;

  mutable Mutex mutex_;
  CondVar changed_;
  Objects objects_ KINFORMER_GUARDED_BY(mutex_);
  /// All objects as they are now; null since the last change, until somebody asks.
  mutable std::shared_ptr<const std::vector<ObjectPtr>> all_ KINFORMER_GUARDED_BY(mutex_);
  EventRing ring_ KINFORMER_GUARDED_BY(mutex_);
  Revision revision_ KINFORMER_GUARDED_BY(mutex_) = 0;
  Revision list_revision_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::optional<TimePoint> progress_requested_ KINFORMER_GUARDED_BY(mutex_){};
  std::uint64_t ignored_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_WATCH_CACHE_H_
