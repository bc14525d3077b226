#ifndef KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_
#define KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_

// In:     notifications, from the informer's task, when the store has them already
// Out:    calls of the users' handlers
// Thread: one per handler, owned by its ProcessorListener
// Next:   user code

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>

#include "src/processor/notification.h"

namespace kinformer::internal {

struct SharedProcessorOptions {
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// The handlers of one informer. A slow one delays nobody: each has its own queue and thread.
///
/// A handler that removed itself leaves a thread that it could not join; the next Add or Distribute does, or Stop.
///
/// @par Thread Safety
/// Add, Distribute, MarkSynced and the resync functions from the informer's task, so that a new handler misses nothing
/// between `existing` and the first Distribute; the rest from any thread. Nothing here waits for a handler but Stop and
/// the destructor.
class SharedProcessor {
 public:
  /// Resync periods that are shorter count as this long.
  static constexpr std::chrono::milliseconds kMinResync{1000};

  explicit SharedProcessor(SharedProcessorOptions options = {});
  /// Stops all handlers and joins their threads. Inside one of these handlers, where that cannot be, the handler's own
  /// thread is left to be joined by the next processor that is made, destroyed or given a handler.
  ~SharedProcessor();
  SharedProcessor(const SharedProcessor&) = delete;
  SharedProcessor& operator=(const SharedProcessor&) = delete;

  /// Starts a handler's thread. It is first shown `existing` as additions of the initial list, then what Distribute
  /// brings. It is synced when these (and those that Distribute marks as of the initial list) are handled and
  /// MarkSynced was called (before or after). kFailedPrecondition after Stop, kInternal if there is no thread to be
  /// had.
  Result<std::shared_ptr<ProcessorListener>> Add(EventHandler handler, const HandlerOptions& options,
                                                 const std::vector<ObjectPtr>& existing);
  /// The first half of Add, from any thread: starts the thread of a handler that is told nothing yet.
  Result<std::shared_ptr<ProcessorListener>> Enlist(EventHandler handler, const HandlerOptions& options);
  /// The second half, from the informer's task: from here on it is told everything.
  void Activate(const std::shared_ptr<ProcessorListener>& listener, const std::vector<ObjectPtr>& existing);
  /// To all handlers; kSync ones only to those for which a resync is due (see BeginResync).
  void Distribute(std::span<const Notification> notifications);
  /// The first list is distributed.
  void MarkSynced();
  /// When the next handler wants a resync, if any does.
  std::optional<TimePoint> NextResync() const;
  /// Decides for which handlers a resync is due now, beside those whose last one has not ended. False if for none.
  bool BeginResync(TimePoint now);
  /// The resync has been distributed: nobody is due until the next one, so that a relist which finds an object
  /// unchanged bothers nobody.
  void EndResync();
  /// Events waiting, of all handlers together.
  std::size_t Pending() const;
  /// Of those that are not removed, in the order they came.
  std::vector<HandlerStatus> Statuses() const;
  /// Refuses new handlers, lets running calls finish, drops what waits, joins. kFailedPrecondition from inside a
  /// handler of this processor, which would wait for itself; nothing is stopped then. Inside a handler of another
  /// processor for which one of these waits, all are stopped, but that one is joined by the destructor, and
  /// kFailedPrecondition says so.
  Result<void> Stop();
  /// True on the thread of one of its handlers.
  bool RunningHere() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_
