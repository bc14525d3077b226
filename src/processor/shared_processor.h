#ifndef KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_
#define KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_

// In:     notifications, from the informer's task, once the store has been updated
// Out:    calls to the user's handlers
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

#include "src/base/reaper.h"
#include "src/processor/notification.h"

namespace kinformer::internal {

struct SharedProcessorOptions {
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// Takes over threads that the destructor cannot join. Default: the process-wide reaper.
  std::shared_ptr<Reaper> reaper{};
};

/// The handlers of one informer. Each has its own queue and thread, so a slow one does not delay the others.
///
/// A handler that removes itself cannot join its own thread; the next Enlist, Distribute or AwaitEnd does.
///
/// @par Thread Safety
/// Add, Activate, Distribute, MarkSynced and the resync functions: from the informer's task, so that a new handler
/// misses nothing between `existing` and the first Distribute. The rest: from any thread. Only AwaitEnd and the
/// destructor wait for a running handler call.
class SharedProcessor {
 public:
  /// The minimum resync period; shorter ones are raised to it.
  static constexpr std::chrono::milliseconds kMinResync{1000};

  explicit SharedProcessor(SharedProcessorOptions options = {});
  /// Stops all handlers and joins their threads. Inside a handler or a pool task it does not wait and leaves the
  /// threads to the reaper.
  ~SharedProcessor();
  SharedProcessor(const SharedProcessor&) = delete;
  SharedProcessor& operator=(const SharedProcessor&) = delete;

  /// Starts a handler's thread. The handler receives `existing` as additions from the initial list, then everything
  /// passed to Distribute. It is synced once all additions from the initial list are handled and MarkSynced has been
  /// called (before or after). kFailedPrecondition after RequestStop; kInternal if no thread can be created.
  Result<std::shared_ptr<ProcessorListener>> Add(EventHandler handler, const HandlerOptions& options,
                                                 const std::vector<ObjectPtr>& existing);
  /// The first half of Add, from any thread: starts the handler's thread. It receives nothing yet.
  Result<std::shared_ptr<ProcessorListener>> Enlist(EventHandler handler, const HandlerOptions& options);
  /// The second half of Add, from the informer's task: the handler receives everything from here on.
  void Activate(const std::shared_ptr<ProcessorListener>& listener, const std::vector<ObjectPtr>& existing);
  /// Queues to all active handlers; kSync notifications only to those with a resync in progress (see BeginResync).
  void Distribute(std::span<const Notification> notifications);
  /// Announces that the initial list has been distributed.
  void MarkSynced();
  /// The time of the earliest scheduled resync; nullopt if no handler has a resync period.
  std::optional<TimePoint> NextResync() const;
  /// Marks the handlers whose resync is due and schedules their next one. `skip`: only reschedules. True if at least
  /// one handler was marked: follow with BeginResync, Distribute, EndResync.
  bool TakeDueResyncs(TimePoint now, bool skip);
  /// Until EndResync, kSync notifications go to the handlers marked by TakeDueResyncs. False if there are none.
  bool BeginResync();
  /// kSync notifications (a relist that finds an object unchanged) reach no handler from here on.
  void EndResync();
  /// Pending events of all handlers together.
  std::size_t Pending() const;
  /// The handlers that have not been removed, in the order they were added.
  std::vector<HandlerStatus> Statuses() const;
  /// Rejects new handlers and drops pending events; running calls continue.
  void RequestStop();
  /// Waits until no call runs and all threads are joined. Returns descriptions of those still running when the deadline
  /// (system clock) passes, or that cannot be waited for here: see ProcessorListener::AwaitEnd.
  std::vector<std::string> AwaitEnd(std::optional<TimePoint> deadline = {});
  /// True on the thread of one of this processor's handlers.
  bool RunningHere() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_SHARED_PROCESSOR_H_
