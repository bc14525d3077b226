#ifndef KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_
#define KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_

// In:     notifications, from the informer's task, when the store has them already
// Out:    calls of the users' handlers
// Thread: one per handler, owned by its ProcessorListener
// Next:   user code

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/codec/object.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>

namespace kinformer::internal {

/// What happened to one object. kSync: nothing did, but a resync shows it again (`before` is `after`).
struct Notification {
  enum class Kind { kAdd, kUpdate, kDelete, kSync };
  Kind kind = Kind::kAdd;
  ObjectPtr before{};  ///< kUpdate; of a kDelete, the last known state.
  ObjectPtr after{};   ///< kAdd, kUpdate, kSync
  bool in_initial_list = false;
  bool final_state_unknown = false;
};

struct SharedProcessorOptions {
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// The handlers of one informer. A slow one delays nobody: each has its own queue and thread.
///
/// @par Thread Safety
/// Add, Distribute, MarkSynced and the resync functions from the informer's task; the rest from any thread.
class SharedProcessor {
 public:
  explicit SharedProcessor(SharedProcessorOptions options = {});
  /// Stops all handlers and joins their threads.
  ~SharedProcessor();
  SharedProcessor(const SharedProcessor&) = delete;
  SharedProcessor& operator=(const SharedProcessor&) = delete;

  /// Starts a handler's thread. It is first shown `existing` as additions of the initial list, then what Distribute
  /// brings. It is synced when these are handled and MarkSynced was called (before or after).
  std::shared_ptr<ProcessorListener> Add(EventHandler handler, const HandlerOptions& options,
                                         const std::vector<ObjectPtr>& existing);
  /// To all handlers; kSync ones only to those for which a resync is due (see BeginResync).
  void Distribute(std::span<const Notification> notifications);
  /// The first list is distributed.
  void MarkSynced();
  /// When the next handler wants a resync, if any does.
  std::optional<TimePoint> NextResync() const;
  /// Decides for which handlers a resync is due now. False if for none.
  bool BeginResync(TimePoint now);
  /// Events waiting, of all handlers together.
  std::size_t Pending() const;
  std::vector<HandlerStatus> Statuses() const;
  /// Refuses new handlers, lets running calls finish, drops what waits, joins. kFailedPrecondition from inside a
  /// handler of this processor, which would wait for itself; nothing is stopped then.
  Result<void> Stop();
  /// True on the thread of one of its handlers.
  bool RunningHere() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_
