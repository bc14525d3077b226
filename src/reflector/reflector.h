#ifndef KINFORMER_SRC_REFLECTOR_REFLECTOR_H_
#define KINFORMER_SRC_REFLECTOR_REFLECTOR_H_

// In:     lists and watches of a ListerWatcher
// Out:    Add, Update, Delete, Replace and Bookmark calls on a ReflectorTarget, in server order
// Thread: tasks of its own SerialTasks on the pool; never blocks
// Next:   DeltaFifo in a client, the watch cache in a server

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <kinformer/base/backoff.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/reflector/transform.h>

#include "src/base/task_pool.h"
#include "src/reflector/reflector_state.h"
#include "src/reflector/reflector_target.h"

namespace kinformer::internal {

struct ReflectorOptions {
  /// For log messages.
  std::string name{};
  /// Objects of another kind are skipped with a log line. An empty kind accepts any.
  GroupVersionKind expected{};
  /// Objects of another namespace are skipped with a log line. Empty accepts any.
  std::string expected_namespace{};
  Transform transform{};
  const KnownObjects* known = nullptr;
  BackoffOptions backoff{};
  /// Prefer streaming lists (sendInitialEvents).
  bool streaming_lists = true;
  /// The longest gap between two events of a streaming list before its end bookmark; the whole list may take ten times
  /// that. When exceeded, the reflector uses paged lists for the rest of its life, or just once if the server has not
  /// responded at all.
  std::chrono::milliseconds streaming_list_deadline = std::chrono::seconds(30);
  /// Explicit page size. Zero: as in client-go, 500, or unlimited if a resourceVersion is set.
  std::int64_t page_size = 0;
  /// Watches are requested with a random timeout in [min, 2 * min). Values below five minutes count as five minutes.
  std::chrono::seconds min_watch_timeout = std::chrono::minutes(5);
  /// How long past the server's own timeout the reflector waits before it ends the watch itself.
  std::chrono::seconds watchdog_slack = std::chrono::seconds(10);
  /// How long a watch that fails with internal errors (500) is retried before a relist. Zero: not at all.
  std::chrono::milliseconds max_internal_error_retry{0};
  /// Polling interval while the server does not have the kind (a list returns 404), plus up to 50 % jitter.
  std::chrono::milliseconds missing_kind_poll = std::chrono::seconds(5);
  std::uint64_t seed = 0;  ///< For jitter and timeouts. Zero: random.
  /// Locked while a task of the reflector runs; once expired, tasks do nothing. This allows user code inside a call to
  /// drop the last reference to the owner. If unset, target and source must outlive the reflector's calls.
  std::optional<std::weak_ptr<const void>> owner{};
  Logger logger{};
};

/// Keeps a target equal to what a ListerWatcher serves, across errors and reconnects.
///
/// `target`, `options.known` and the pool must outlive it. Its tasks run one at a time, including those of successive
/// runs: a Start never overlaps the end of the previous run.
///
/// @par Thread Safety
/// All functions may be called from any thread, including from inside a call the reflector makes (target, transform,
/// `on_error`). The destructor must not run inside such a call unless `options.owner` is set.
class Reflector {
 public:
  /// `on_error` runs on the reflector's task for every error: a failed list, watch or transform, or an error in the
  /// stream. A server without streaming lists is not an error; a missing kind is reported once.
  Reflector(TaskPool& pool, std::shared_ptr<ListerWatcher> source, ReflectorTarget& target, ReflectorOptions options,
            std::function<void(const Error&)> on_error = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// No-op while running. After a stop, begins with a list at the last seen version.
  void Start();
  /// No call starts after this returns; a running call continues. Streams are cancelled.
  void RequestStop();
  /// After RequestStop: waits for the running call. Returns false without waiting inside that call, or if that call
  /// waits for the calling thread. Also returns false when `deadline` (system clock) has passed.
  bool AwaitStopped(std::optional<TimePoint> deadline = {});
  /// RequestStop, then AwaitStopped.
  void Stop();
  ReflectorStatus Status() const;
  /// True while one of its calls is running.
  bool Busy() const;

 private:
  struct Shared;
  class Run;
  std::shared_ptr<Shared> shared_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_REFLECTOR_H_
