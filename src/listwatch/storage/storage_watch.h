#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_WATCH_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_WATCH_H_

// In:     initial objects, and the changes from a Backend's watch
// Out:    ADDED, MODIFIED, DELETED, BOOKMARK and ERROR events for one watcher
// Thread: the consumer's; a task of the pool only signals
// Next:   endpoints, or the Reflector of the Cacher

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <kinformer/reflector/lister_watcher.h>

#include "src/base/task_pool.h"
#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// When a watcher gets bookmarks.
enum class Bookmarks {
  kNone,
  /// Every minute, and shortly before the deadline.
  kPeriodic,
  /// Whenever the backend reports progress.
  kAllProgress,
};

struct StorageWatchOptions {
  SelectionPredicate predicate{};
  /// Sent first, in key order, as ADDED if they match.
  std::vector<KeyValue> initial{};
  /// Sends a bookmark with the initial-events-end annotation after them.
  bool mark_initial_end = false;
  /// The revision of `initial`; changes after it follow.
  Revision start = 0;
  Bookmarks bookmarks = Bookmarks::kNone;
  std::optional<TimePoint> deadline{};
  /// For consumers that handle outages themselves: an outage is an error, and the watch is accepted only when the
  /// backend has accepted it. For others the watch is accepted at once, and an outage is a normal end, after which
  /// clients reconnect without missing anything.
  bool report_outages = false;
};

/// A watch of a Backend. An empty part, or the first event, means that the watch is accepted.
class StorageWatch final : public WatchEventStream {
 public:
  /// The pool need not outlive the watch: timers posted to it hold the watch weakly.
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
  /// The event for this watcher; nullopt: none. ERROR ends the watch.
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
  std::size_t sent_initial_ = 0;
  bool ended_ = false;
  Revision delivered_ = 0;  ///< All changes up to this revision have been delivered or do not match.
};

/// A watch with one ERROR event, for failures that cannot be reported before the watch is accepted.
std::unique_ptr<WatchEventStream> MakeErrorWatch(Error error);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_STORAGE_WATCH_H_
