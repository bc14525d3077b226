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

namespace kinformer::internal {

/// Changes an object before it is stored. Null: drop this event. What it throws is the reflector's error.
using Transform = std::function<Result<ObjectPtr>(ObjectPtr)>;

struct ReflectorOptions {
  /// For messages.
  std::string name{};
  /// Objects of another kind are skipped with a log line; an empty kind takes any.
  GroupVersionKind expected{};
  Transform transform{};
  const KnownObjects* known = nullptr;
  BackoffOptions backoff{};
  /// Streaming lists (sendInitialEvents) first.
  bool streaming_lists = true;
  /// How long a streaming list may take between two events before its end bookmark; then paged lists, remembered.
  std::chrono::milliseconds streaming_list_deadline = std::chrono::seconds(30);
  /// Explicit page size; zero: client-go's rules (500, off while a resourceVersion is named).
  std::int64_t page_size = 0;
  /// The server is asked to end a watch after a random time in [min, 2 min).
  std::chrono::seconds min_watch_timeout = std::chrono::minutes(5);
  /// Beyond the server's own timeout: then we end it.
  std::chrono::seconds watchdog_slack = std::chrono::seconds(10);
  std::uint64_t seed = 0;  ///< Of jitter and timeouts; zero: random.
  Logger logger{};
};

enum class ReflectorPhase { kStopped, kListing, kWatching, kBackingOff };

struct ReflectorStatus {
  ReflectorPhase phase = ReflectorPhase::kStopped;
  /// The version that the target has seen.
  std::string resource_version{};
  std::optional<TimePoint> last_heard{};
  std::optional<Error> last_error{};
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  /// Of the list under way.
  std::size_t listed_objects = 0;
  std::optional<std::int64_t> remaining_objects{};
};

/// Keeps a target equal to what a ListerWatcher serves, whatever happens in between.
///
/// @par Thread Safety
/// Start and Stop from any thread, but one at a time; Status from any thread.
class Reflector {
 public:
  /// `on_error` runs on the reflector's task for every error: a list or watch that failed, or an error in the stream.
  Reflector(TaskPool& pool, std::shared_ptr<ListerWatcher> source, ReflectorTarget& target, ReflectorOptions options,
            std::function<void(const Error&)> on_error = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void Start();
  /// When it returns, the target is not called any more.
  void Stop();
  ReflectorStatus Status() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_REFLECTOR_H_
