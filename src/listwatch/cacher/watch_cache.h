#ifndef KINFORMER_SRC_LISTWATCH_CACHER_WATCH_CACHE_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_WATCH_CACHE_H_

// In:     the lists and events of a Reflector over the storage
// Out:    the objects at a revision, the events since one, and waiting for one
// Thread: written on the Reflector's task, read from any thread
// Next:   Dispatcher, which gets every event; Cacher, which answers requests from it

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
#include <kinformer/base/result.h>

#include "src/base/mutex.h"
#include "src/listwatch/cacher/cache_event.h"
#include "src/listwatch/cacher/event_ring.h"
#include "src/listwatch/storage/backend.h"
#include "src/reflector/reflector_target.h"

namespace kinformer::apiserver {

struct WatchCacheOptions {
  /// For messages: "pods".
  std::string name{};
  EventRingOptions ring{};
  /// How long reads wait for a revision that has not arrived yet.
  Duration fresh_timeout = std::chrono::seconds(3);
  /// Interval between progress requests to the storage while reads are waiting.
  Duration progress_interval = std::chrono::milliseconds(100);
  std::function<void()> request_progress{};
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};

  // Run on the Reflector's task, in order, with no lock held.
  std::function<void(const CacheEventPtr&)> on_event{};
  /// There are no further events up to this revision.
  std::function<void(Revision)> on_progress{};
  /// All objects are about to be replaced, and have been.
  std::function<void()> before_replace{};
  std::function<void(Revision)> after_replace{};
};

/// Objects in key order. The vector is immutable and may be shared with other readers.
struct CacheSnapshot {
  std::shared_ptr<const std::vector<ObjectPtr>> objects{};
  Revision revision = 0;
};

/// Result of reading the ring.
struct EventsTaken {
  /// Events after the requested revision have been evicted.
  bool too_old = false;
  /// No events remain after those taken.
  bool all = false;
};

struct WatchCacheStatus {
  Revision revision = 0;
  std::size_t objects = 0;
  std::size_t events = 0;
  std::size_t capacity = 0;
  /// The oldest revision that a watch can start from.
  Revision oldest = 0;
  /// Events dropped because they were out of order or had no resourceVersion.
  std::uint64_t ignored = 0;
};

/// The current objects of a resource and its latest events.
///
/// @par Thread Safety
/// The ReflectorTarget functions are called by one Reflector. All others: any thread.
class WatchCache final : public ReflectorTarget, public KnownObjects {
 public:
  explicit WatchCache(WatchCacheOptions options);

  void Put(internal::Delta delta) override;

  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const override;

  /// Blocks until the cache has reached the revision. On timeout: 504 Timeout, cause ResourceVersionTooLarge.
  Result<void> WaitUntilFresh(Revision revision, const std::stop_token& stop);
  /// The error of that timeout.
  static Error TooLarge(Revision wanted, Revision current);
  /// The objects in `namespace_name` with `name`. Empty: any.
  CacheSnapshot Snapshot(std::string_view namespace_name = {}, std::string_view name = {}) const;

  /// 410 Expired if events after this revision were evicted.
  Result<void> CheckSince(Revision revision) const;
  /// Appends up to `limit` events after this revision, oldest first.
  EventsTaken EventsSince(Revision revision, std::size_t limit, std::vector<CacheEventPtr>& events) const;

  bool HasEventsSince(Revision revision) const;

  Revision revision() const;
  std::size_t capacity() const;
  WatchCacheStatus Status() const;

 private:
  using Objects = std::map<std::string, ObjectPtr, std::less<>>;

  void Apply(ObjectPtr object, bool deleted);
  void ReplaceAll(std::vector<ObjectPtr> objects, const std::string& resource_version);
  void Advance(const std::string& resource_version);
  Revision Oldest() const KINFORMER_REQUIRES(mutex_);
  void Ignore(const Object& object, std::string_view why);

  const WatchCacheOptions options_;

  mutable Mutex mutex_;
  CondVar changed_;
  Objects objects_ KINFORMER_GUARDED_BY(mutex_);
  /// Cached snapshot of all objects. Null after a change, until the next request.
  mutable std::shared_ptr<const std::vector<ObjectPtr>> all_ KINFORMER_GUARDED_BY(mutex_);
  EventRing ring_ KINFORMER_GUARDED_BY(mutex_);
  Revision revision_ KINFORMER_GUARDED_BY(mutex_) = 0;
  Revision list_revision_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::optional<TimePoint> progress_requested_ KINFORMER_GUARDED_BY(mutex_){};
  std::uint64_t ignored_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_WATCH_CACHE_H_
