#ifndef KINFORMER_SRC_APISERVER_STORAGE_STORAGE_WATCH_H_
#define KINFORMER_SRC_APISERVER_STORAGE_STORAGE_WATCH_H_

// In:     what was there, and the changes that a Backend's watch tells
// Out:    ADDED, MODIFIED, DELETED, BOOKMARK and ERROR events as one watcher sees them
// Thread: the consumer's; a task of the pool only signals
// Next:   endpoints, or the Reflector of the Cacher

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <kinformer/base/task_pool.h>
#include <kinformer/reflector/lister_watcher.h>

#include "src/apiserver/storage/backend.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// When a watcher gets bookmarks.
enum class Bookmarks {
  kNone,
  /// Every minute, and shortly before the deadline.
  kNowAndThen,
  /// Whenever the backend says how far it is.
  kAllProgress,
};

struct StorageWatchOptions {
  Predicate predicate{};
  /// Told first, as ADDED where they match; in the order of their keys.
  std::vector<KeyValue> initial{};
  /// Behind those a bookmark that says that they were all.
  bool mark_initial_end = false;
  /// As of which `initial` is; the changes begin behind it.
  Revision start = 0;
  Bookmarks bookmarks = Bookmarks::kNone;
  std::optional<TimePoint> deadline{};
  /// For a reader who knows how to wait for a backend that is away: that comes as an error. For others it is an
  /// ordinary end, after which they come again and miss nothing.
  bool tell_outages = false;
};

/// A watch over a Backend. Its first part is empty: the watch is accepted.
class StorageWatch final : public WatchEventStream {
 public:
  /// The pool is needed only during the call: what it is given for later dies with the pool, or soon after the watch.
  StorageWatch(std::shared_ptr<Backend> backend, std::shared_ptr<const StorageOptions> storage, const std::string& key,
               StorageWatchOptions options, TaskPool& pool);
  ~StorageWatch() override;
  StorageWatch(const StorageWatch&) = delete;
  StorageWatch& operator=(const StorageWatch&) = delete;

  Result<std::optional<WatchPart>> TryNext() override;
  void NotifyWhenReady(std::function<void()> ready) override;

 private:
  struct Timers;
  using Events = std::vector<WatchEvent>;

  Events InitialEvents();
  /// What a change is to this watcher; nullopt: nothing. An ERROR ends the watch.
  std::optional<WatchEvent> ToEvent(const BackendEvent& event) const;
  std::optional<WatchEvent> ToBookmark(const BackendEvents& part);
  Result<std::optional<WatchPart>> Fail(Error error);
  bool Overdue() const;

  const std::shared_ptr<Backend> backend_;
  const std::shared_ptr<const StorageOptions> storage_;
  StorageWatchOptions options_;
  const std::shared_ptr<const Clock> clock_;
  const std::shared_ptr<Timers> timers_;
  const std::unique_ptr<BackendWatch> changes_;

  bool accepted_ = false;
  std::size_t told_initial_ = 0;
  bool ended_ = false;
  Revision told_ = 0;  ///< The watcher knows of everything up to here.
};

/// One ERROR event, then the end: a watch that was refused after it had to be accepted.
std::unique_ptr<WatchEventStream> MakeErrorWatch(Error error);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_STORAGE_WATCH_H_
