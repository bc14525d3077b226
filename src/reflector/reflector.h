#ifndef KINFORMER_SRC_REFLECTOR_REFLECTOR_H_
#define KINFORMER_SRC_REFLECTOR_REFLECTOR_H_

// In:     lists and watches of a ListerWatcher
// Out:    Add, Update, Delete, Replace and Bookmark calls on a ReflectorTarget, in the server's order
// Thread: tasks of its own SerialTasks on the pool; it never blocks
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
#include <kinformer/base/task_pool.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/reflector/reflector_target.h>
#include <kinformer/reflector/transform.h>

#include "src/reflector/reflector_state.h"

namespace kinformer::internal {

struct ReflectorOptions {
  /// For messages.
  std::string name{};
  /// Objects of another kind are skipped with a log line; an empty kind takes any.
  GroupVersionKind expected{};
  /// The same of another namespace; empty takes any.
  std::string expected_namespace{};
  Transform transform{};
  const KnownObjects* known = nullptr;
  BackoffOptions backoff{};
  /// Streaming lists (sendInitialEvents) first.
  bool streaming_lists = true;
  /// How long a streaming list may take between two events before its end bookmark, and ten times that in all; then
  /// paged lists, remembered for the reflector's life.
  std::chrono::milliseconds streaming_list_deadline = std::chrono::seconds(30);
  /// Explicit page size; zero: client-go's rules (500, off while a resourceVersion is named).
  std::int64_t page_size = 0;
  /// The server is asked to end a watch after a random time in [min, 2 min). Less than five minutes is not heeded.
  std::chrono::seconds min_watch_timeout = std::chrono::minutes(5);
  /// Beyond the server's own timeout: then we end it.
  std::chrono::seconds watchdog_slack = std::chrono::seconds(10);
  /// For how long a watch that meets internal errors (500) is tried again before a relist. Zero: not at all.
  std::chrono::milliseconds max_internal_error_retry{0};
  /// How often a server that does not have the kind (a list is 404) is asked again: after this up to one and a half
  /// times this.
  std::chrono::milliseconds missing_kind_poll = std::chrono::seconds(5);
  std::uint64_t seed = 0;  ///< Of jitter and timeouts; zero: random.
  Logger logger{};
};

/// Keeps a target equal to what a ListerWatcher serves, whatever happens in between.
///
/// `target`, `options.known` and the pool must outlive it. Nothing of it runs on a thread of its own.
///
/// @par Thread Safety
/// All functions may be called from any thread; of two Stops at a time only the first waits. Stop may also be called
/// from a call that the reflector makes (of the target, a transform, `on_error`).
class Reflector {
 public:
  /// `on_error` runs on the reflector's task for every error: a list or watch that failed, or an error in the stream.
  /// A server that does not know streaming lists is no error.
  Reflector(TaskPool& pool, std::shared_ptr<ListerWatcher> source, ReflectorTarget& target, ReflectorOptions options,
            std::function<void(const Error&)> on_error = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Nothing if it runs already. After a Stop it begins with a list at the version seen last.
  void Start();
  /// When it returns, the target is not called any more and every stream is cancelled; called from one of the
  /// reflector's own calls, as soon as that call returns.
  void Stop();
  ReflectorStatus Status() const;

 private:
  struct Shared;
  class Run;
  std::shared_ptr<Shared> shared_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_REFLECTOR_H_
