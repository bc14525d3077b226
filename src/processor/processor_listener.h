#ifndef KINFORMER_SRC_PROCESSOR_PROCESSOR_LISTENER_H_
#define KINFORMER_SRC_PROCESSOR_PROCESSOR_LISTENER_H_

// In:     notifications, from the SharedProcessor
// Out:    calls to one user handler, one at a time, in order
// Thread: its own, "kinformer-hdlr"
// Next:   user code

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>

#include "src/base/mutex.h"
#include "src/base/reaper.h"
#include "src/processor/burst_queue.h"
#include "src/processor/coalescing_queue.h"
#include "src/processor/notification.h"

namespace kinformer::internal {

struct ProcessorListenerOptions {
  EventHandler handler{};
  HandlerOptions handler_options{};
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// Ids of the processor and the factory it belongs to.
  std::uint64_t processor = 0;
  std::uint64_t factory = 0;
};

/// One handler with its queue and thread. The owner must keep it alive until AwaitEnd, which joins the thread, has
/// returned true.
///
/// @par Thread Safety
/// All functions may be called from any thread, including from handlers.
class ProcessorListener final : public Joinable {
 public:
  explicit ProcessorListener(ProcessorListenerOptions options);
  /// Precondition: not started, or AwaitEnd returned true.
  ~ProcessorListener() override;
  ProcessorListener(const ProcessorListener&) = delete;
  ProcessorListener& operator=(const ProcessorListener&) = delete;

  /// kInternal if no thread can be created.
  Result<void> Start();
  /// Queues the notifications; those of kind kSync only if `with_syncs`.
  void Push(std::span<const Notification> notifications, bool with_syncs);
  /// Announces that the initial list is complete: no more additions from it will follow.
  void MarkSynced();

  /// No call starts after this returns; pending notifications are dropped.
  void RequestStop();
  /// Waits until the running call has returned, the handler is destroyed and the thread is joined. Returns false
  /// without waiting where that would deadlock: on this listener's own thread, or in user code that this listener waits
  /// for. Also returns false when `deadline` (system clock) has passed.
  bool AwaitEnd(std::optional<TimePoint> deadline = {});
  /// RequestStop, then AwaitEnd.
  void Remove();

  bool Removed() const;
  bool Ended() const override;
  bool Join(std::optional<TimePoint> deadline) override { return AwaitEnd(deadline); }
  /// `handler "cache" has been running for 31 s on default/web-0`
  std::string Running() const override;
  bool HasSynced() const;
  HandlerStatus Status() const;
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop) const;

  /// The listener that owns the calling thread, or null.
  static const ProcessorListener* Current();
  /// Whether the calling thread belongs to a listener of that processor or factory.
  static bool CurrentIsOfProcessor(std::uint64_t id);
  static bool CurrentIsOfFactory(std::uint64_t id);

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

  EventHandler handler_;  // used only by the thread once it runs
  const HandlerOptions handler_options_;
  const std::shared_ptr<const Clock> clock_;
  const Logger logger_;
  const std::uint64_t processor_;
  const std::uint64_t factory_;

  mutable Mutex mutex_;
  CondVar work_;             // for the thread: work is pending, or removed_
  mutable CondVar changed_;  // for waiters: synced_, removed_, ended_, joined_
  Queue queue_ KINFORMER_GUARDED_BY(mutex_);
  std::thread thread_ KINFORMER_GUARDED_BY(mutex_);
  bool first_list_complete_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool initial_running_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// The object of the running call; null between calls.
  ObjectPtr running_on_ KINFORMER_GUARDED_BY(mutex_);
  TimePoint running_since_ KINFORMER_GUARDED_BY(mutex_){};
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
