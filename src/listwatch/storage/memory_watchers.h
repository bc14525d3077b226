#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_MEMORY_WATCHERS_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_MEMORY_WATCHERS_H_

// In:     the keys that change
// Out:    the watches to wake, and their position in the log
// Thread: none; guarded by the MemoryBackend. Woken notifies without a lock
// Next:   MvccLog, which the watches read

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/user_code.h"
#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/mvcc_log.h"
#include "src/listwatch/storage/ready_signal.h"

namespace kinformer::apiserver {

/// One watch of a MemoryBackend. All but the signal is guarded by the backend's lock.
struct MemoryWatcher {
  std::string prefix{};
  /// All changes up to this revision have been delivered or do not match.
  Revision delivered = 0;
  /// The first undelivered change that may match; zero: none.
  Revision pending = 0;
  bool progress_wanted = false;
  std::optional<Error> end{};
  ReadySignal ready{};

  bool HasSomething() const { return end || pending != 0 || progress_wanted; }
  /// Appends the next events from `pending` on. If there are none and `pending` is still set, read again.
  void Read(const MvccLog& log, BackendEvents& part);
  /// The part to return if there are no events: progress if it is wanted, otherwise nothing.
  std::optional<BackendEvents> TakeProgress(Revision current);
};

using MemoryWatcherPtr = std::shared_ptr<MemoryWatcher>;

/// Watchers to notify. Notifies them when it goes out of scope, on every path: declare it before the lock, so that the
/// lock is released first. A callback that throws does not keep the others from being called.
class WokenWatchers {
 public:
  WokenWatchers() = default;
  ~WokenWatchers() {
    for (const MemoryWatcherPtr& watcher : watchers_) {
      // The write was made; its caller must not see the exception of a reader.
      (void)internal::Contain([&] { watcher->ready.Fire(); });
    }
  }
  WokenWatchers(const WokenWatchers&) = delete;
  WokenWatchers& operator=(const WokenWatchers&) = delete;

  void Add(const MemoryWatcherPtr& watcher) { watchers_.push_back(watcher); }

 private:
  std::vector<MemoryWatcherPtr> watchers_;
};

/// The open watches, by prefix.
class MemoryWatchers {
 public:
  std::size_t size() const { return size_; }
  void Add(const MemoryWatcherPtr& watcher);
  void Remove(const MemoryWatcherPtr& watcher);

  /// The key has changed at this revision. Looks up every prefix of the key, instead of checking all watches.
  void Wake(std::string_view key, Revision revision, WokenWatchers& woken);
  /// Makes all watches report their progress.
  void RequestProgress(WokenWatchers& woken);
  /// Ends all watches that have not ended yet.
  void EndAll(const Error& error, WokenWatchers& woken);

 private:
  struct PrefixHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void WakePrefix(std::string_view prefix, Revision revision, WokenWatchers& woken);

  std::unordered_map<std::string, std::vector<MemoryWatcherPtr>, PrefixHash, std::equal_to<>> by_prefix_;
  std::size_t size_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_MEMORY_WATCHERS_H_
