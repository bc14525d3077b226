#include "src/processor/processor_listener.h"

#include <pthread.h>

#include <cassert>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "src/processor/wait_graph.h"

namespace kinformer::internal {
namespace {

thread_local const ProcessorListener* current_listener = nullptr;

// The calling thread's wait for `target`, if it is a handler's thread; other threads are in nobody's way.
class ScopedWait {
 public:
  explicit ScopedWait(const ProcessorListener* target)
      : waiter_(current_listener), ok_(waiter_ == nullptr || WaitGraph::OfProcess().Begin(waiter_, target)) {}
  ~ScopedWait() {
    if (waiter_ != nullptr && ok_) WaitGraph::OfProcess().End(waiter_);
  }
  ScopedWait(const ScopedWait&) = delete;
  ScopedWait& operator=(const ScopedWait&) = delete;

  bool ok() const { return ok_; }

 private:
  const ProcessorListener* const waiter_;
  const bool ok_;
};

std::string KeyOf(const Notification& notification) {
  const ObjectPtr& object = Subject(notification);
  return ToString(object->Key());
}

Error Refused(std::string message) { return {.code = ErrorCode::kFailedPrecondition, .message = std::move(message)}; }

}  // namespace

ProcessorListener::Queue ProcessorListener::MakeQueue(const HandlerOptions& options) {
  if (options.overflow == Overflow::kCoalesce) return CoalescingQueue(options.max_pending);
  return BurstQueue();
}

ProcessorListener::ProcessorListener(ProcessorListenerOptions options)
    : handler_(std::move(options.handler)),
      handler_options_(options.handler_options),
      clock_(std::move(options.clock)),
      logger_(std::move(options.logger)),
      owner_(options.owner),
      queue_(MakeQueue(options.handler_options)) {}

ProcessorListener::~ProcessorListener() { assert(!thread_.joinable()); }

Result<void> ProcessorListener::Start() {
  const MutexLock lock(mutex_);
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& e) {
    return Error{.code = ErrorCode::kInternal, .message = std::string("no thread for a handler: ") + e.what()};
  }
  ended_ = false;
  joined_ = false;
  return {};
}

void ProcessorListener::Push(std::span<const Notification> notifications, bool with_syncs) {
  {
    const MutexLock lock(mutex_);
    if (removed_) return;
    for (const Notification& notification : notifications) {
      if (notification.kind == Notification::Kind::kSync && !with_syncs) continue;
      std::visit([&](auto& queue) { queue.Push(notification); }, queue_);
    }
    CheckSynced();  // an addition of the initial list may have been folded away
  }
  work_.NotifyAll();
}

void ProcessorListener::MarkSynced() {
  const MutexLock lock(mutex_);
  first_list_complete_ = true;
  CheckSynced();
}

void ProcessorListener::RequestStop() {
  Queue dropped = MakeQueue(handler_options_);  // destroyed without the lock: it may be long
  {
    const MutexLock lock(mutex_);
    if (removed_) return;
    removed_ = true;
    if (const auto* queue = std::get_if<CoalescingQueue>(&queue_)) coalesced_ = queue->Coalesced();
    std::swap(dropped, queue_);
  }
  work_.NotifyAll();
  changed_.NotifyAll();
}

bool ProcessorListener::AwaitEnd() {
  const ScopedWait wait(this);
  if (!wait.ok()) return false;
  MutexLock lock(mutex_);
  changed_.Wait(lock, {}, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return ended_; });
  if (thread_.joinable()) {
    std::thread thread = std::move(thread_);
    lock.Unlock();
    thread.join();
    lock.Lock();
    joined_ = true;
    changed_.NotifyAll();
  }
  changed_.Wait(lock, {}, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return joined_; });
  return true;
}

void ProcessorListener::Remove() {
  RequestStop();
  AwaitEnd();
}

bool ProcessorListener::Removed() const {
  const MutexLock lock(mutex_);
  return removed_;
}

bool ProcessorListener::Ended() const {
  const MutexLock lock(mutex_);
  return removed_ && ended_;
}

bool ProcessorListener::HasSynced() const {
  const MutexLock lock(mutex_);
  return synced_;
}

HandlerStatus ProcessorListener::Status() const {
  const MutexLock lock(mutex_);
  const auto* queue = std::get_if<CoalescingQueue>(&queue_);
  return {.synced = synced_,
          .pending = Pending(),
          .handled = handled_,
          .coalesced = queue != nullptr && !removed_ ? queue->Coalesced() : coalesced_,
          .failed = failed_};
}

Result<void> ProcessorListener::WaitForSync(Duration timeout, const std::stop_token& stop) const {
  const ScopedWait wait(this);
  if (!wait.ok()) return Refused("waiting for a handler's sync inside that handler would never end");
  const TimePoint now = clock_->Now();
  // A wait "for ever" must not overflow.
  std::optional<TimePoint> deadline;
  if (timeout < TimePoint::max() - now) deadline = now + timeout;
  MutexLock lock(mutex_);
  changed_.Wait(lock, *clock_, deadline, stop,
                [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return synced_ || removed_; });
  if (removed_) return Refused("the handler has been removed");
  if (synced_) return {};
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "the wait was stopped"};
  const std::string why = first_list_complete_
                              ? std::to_string(InitialLeft()) + " objects of the initial list are not handled yet"
                              : "the first list is not complete yet";
  return Error{.code = ErrorCode::kDeadlineExceeded, .message = "the handler has not synced in time: " + why};
}

const ProcessorListener* ProcessorListener::Current() { return current_listener; }

bool ProcessorListener::CurrentIsOf(const void* owner) {
  return current_listener != nullptr && current_listener->owner_ == owner;
}

const void* ProcessorListener::CurrentOwner() {
  return current_listener == nullptr ? nullptr : current_listener->owner_;
}

void ProcessorListener::Run() {
  pthread_setname_np(pthread_self(), "kinformer-hdlr");
  current_listener = this;
  while (const std::optional<Notification> notification = Take()) Handled(!Call(*notification));
  {
    // What the user's functions own dies here, where the user's code has always run, before anybody is told of the end.
    // It may own this handler's registration, whose destructor comes back to a listener that is removed already.
    const EventHandler gone = std::exchange(handler_, {});
  }
  current_listener = nullptr;
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.NotifyAll();
}

std::optional<Notification> ProcessorListener::Take() {
  MutexLock lock(mutex_);
  work_.Wait(lock, {}, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return removed_ || Pending() > 0; });
  if (removed_) return std::nullopt;
  std::optional<Notification> next = std::visit([](auto& queue) { return queue.Pop(); }, queue_);
  initial_running_ = IsInitial(*next);
  return next;
}

bool ProcessorListener::Call(const Notification& notification) const {
  try {
    switch (notification.kind) {
      case Notification::Kind::kAdd:
        if (handler_.on_add) handler_.on_add(notification.after, notification.in_initial_list);
        break;
      case Notification::Kind::kUpdate:
        if (handler_.on_update) handler_.on_update(notification.before, notification.after);
        break;
      case Notification::Kind::kSync:
        if (handler_.on_update) handler_.on_update(notification.after, notification.after);
        break;
      case Notification::Kind::kDelete:
        if (handler_.on_delete) {
          handler_.on_delete(
              {.last_known = notification.before, .final_state_unknown = notification.final_state_unknown});
        }
        break;
    }
    return true;
  } catch (const std::exception& e) {
    logger_.Error("processor", "a handler threw", {{"object", KeyOf(notification)}, {"what", e.what()}});
  } catch (...) {
    logger_.Error("processor", "a handler threw something that is no std::exception",
                  {{"object", KeyOf(notification)}});
  }
  return false;
}

void ProcessorListener::Handled(bool threw) {
  const MutexLock lock(mutex_);
  ++handled_;
  if (threw) ++failed_;
  initial_running_ = false;
  CheckSynced();
}

std::size_t ProcessorListener::Pending() const {
  return std::visit([](const auto& queue) { return queue.Size(); }, queue_);
}

std::size_t ProcessorListener::InitialLeft() const {
  return std::visit([](const auto& queue) { return queue.Initial(); }, queue_) + (initial_running_ ? 1u : 0u);
}

void ProcessorListener::CheckSynced() {
  if (synced_ || removed_ || !first_list_complete_ || InitialLeft() > 0) return;
  synced_ = true;
  changed_.NotifyAll();
}

}  // namespace kinformer::internal
