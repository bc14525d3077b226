#ifndef KINFORMER_SRC_PROCESSOR_PROCESSOR_LISTENER_H_
#define KINFORMER_SRC_PROCESSOR_PROCESSOR_LISTENER_H_

// In:     notifications, from the SharedProcessor
// Out:    calls of one user's handler, one at a time, in order
// Thread: its own, "kinformer-hdlr"
// Next:   user code

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <variant>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>

#include "src/processor/burst_queue.h"
#include "src/processor/coalescing_queue.h"
#include "src/processor/notification.h"

namespace kinformer::internal {

struct ProcessorListenerOptions {
  EventHandler handler{};
  HandlerOptions handler_options{};
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// Whose listener it is; compared, never followed.
  const void* owner = nullptr;
};

/// One handler with its queue and its thread. Whoever starts it keeps it until AwaitEnd has returned true, which joins
/// the thread: nothing is ever detached.
///
/// @par Thread Safety
/// All functions may be called from any thread, those of handlers included.
class ProcessorListener {
 public:
  explicit ProcessorListener(ProcessorListenerOptions options);
  /// Precondition: not started, or AwaitEnd returned true.
  ~ProcessorListener();
  ProcessorListener(const ProcessorListener&) = delete;
  ProcessorListener& operator=(const ProcessorListener&) = delete;

  /// kInternal if there is no thread to be had.
  Result<void> Start();
  /// Queues them; those of kind kSync only `with_syncs`.
  void Push(std::span<const Notification> notifications, bool with_syncs);
  /// There will be no more additions of the initial list.
  void MarkSynced();

  /// No call begins from here on, and what waits is dropped.
  void RequestStop();
  /// Waits until the call under way has returned, the handler is destroyed and the thread is joined. False, without
  /// waiting, if that would be for ever: on this listener's own thread, or on that of another handler for which this
  /// one waits.
  bool AwaitEnd();
  /// Both.
  void Remove();

  bool Removed() const;
  /// The thread is past all user code: AwaitEnd will not keep anybody waiting.
  bool Ended() const;
  bool HasSynced() const;
  HandlerStatus Status() const;
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop) const;

  /// The listener whose thread this is, or null; and whether it is one of `owner`.
  static const ProcessorListener* Current();
  static bool CurrentIsOf(const void* owner);
  /// Whose listener's thread this is; null on other threads.
  static const void* CurrentOwner();

 private:
  using Queue = std::variant<BurstQueue, CoalescingQueue>;

  static Queue MakeQueue(const HandlerOptions& options);
  void Run();
  std::optional<Notification> Take();
  bool Call(const Notification& notification) const;
  void Handled(bool threw);
  std::size_t Pending() const KINFORMER_REQUIRES(mutex_);
  std::size_t InitialLeft() const KINFORMER_REQUIRES(mutex_);
  void CheckSynced() KINFORMER_REQUIRES(mutex_);

  EventHandler handler_;  // its thread's alone, once that runs
  const HandlerOptions handler_options_;
  const std::shared_ptr<const Clock> clock_;
  const Logger logger_;
  const void* const owner_;

  mutable Mutex mutex_;
  CondVar work_;             // for the thread: there is something to do, or an end
  mutable CondVar changed_;  // for everybody else: synced_, removed_, ended_, joined_
  Queue queue_ KINFORMER_GUARDED_BY(mutex_);
  std::thread thread_ KINFORMER_GUARDED_BY(mutex_);
  bool first_list_complete_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool initial_running_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool synced_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool removed_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = true;
  bool joined_ KINFORMER_GUARDED_BY(mutex_) = true;
  std::uint64_t handled_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t coalesced_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::uint64_t failed_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_PROCESSOR_LISTENER_H_
