#include "src/processor/processor_listener.h"

#include <pthread.h>

#include <cassert>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/base/user_code.h"
#include "src/base/wait_graph.h"

namespace kinformer::internal {
namespace {

/// Set for the thread's lifetime, including the destruction of the user's thread_local objects after the handler ends.
thread_local const ProcessorListener* current_listener = nullptr;

std::string KeyOf(const Notification& notification) {
  const ObjectPtr& object = Subject(notification);
  return ToString(object->Key());
}

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

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
      processor_(options.processor),
      factory_(options.factory),
      queue_(MakeQueue(options.handler_options)) {}

ProcessorListener::~ProcessorListener() { assert(!thread_.joinable()); }

Result<void> ProcessorListener::Start() {
  const MutexLock lock(mutex_);
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error& e) {
    return Error{.code = ErrorCode::kInternal, .message = std::string("cannot create handler thread: ") + e.what()};
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
    CheckSynced();  // an addition from the initial list may have been folded away
  }
  work_.NotifyAll();
}

void ProcessorListener::MarkSynced() {
  const MutexLock lock(mutex_);
  first_list_complete_ = true;
  CheckSynced();
}

void ProcessorListener::RequestStop() {
  Queue dropped = MakeQueue(handler_options_);  // destroyed after the lock is released: it may be long
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

bool ProcessorListener::AwaitEnd(std::optional<TimePoint> deadline) {
  const ScopedWait wait(this);
  if (!wait.ok()) return false;
  const Clock& clock = *Clock::System();
  MutexLock lock(mutex_);
  if (!changed_.Wait(lock, clock, deadline, {}, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return ended_; })) {
    return false;
  }
  if (thread_.joinable()) {
    std::thread thread = std::move(thread_);
    lock.Unlock();
    thread.join();
    lock.Lock();
    joined_ = true;
    changed_.NotifyAll();
  }
  return changed_.Wait(lock, clock, deadline, {}, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return joined_; });
}

void ProcessorListener::Remove() {
  RequestStop();
  (void)AwaitEnd();
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

std::string ProcessorListener::Running() const {
  const MutexLock lock(mutex_);
  if (ended_) return {};
  std::string text = "handler " + Quoted(handler_options_.name);
  if (running_on_ == nullptr) return text + " is ending";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(clock_->Now() - running_since_);
  return text + " has been running for " + std::to_string(seconds.count()) + " s on " + ToString(running_on_->Key());
}

HandlerStatus ProcessorListener::Status() const {
  const MutexLock lock(mutex_);
  const auto* queue = std::get_if<CoalescingQueue>(&queue_);
  std::optional<Duration> running_for;
  if (running_on_ != nullptr) running_for = clock_->Now() - running_since_;
  return {.name = handler_options_.name,
          .synced = synced_,
          .pending = Pending(),
          .handled = handled_,
          .coalesced = queue != nullptr && !removed_ ? queue->Coalesced() : coalesced_,
          .failed = failed_,
          .running_for = running_for};
}

Result<void> ProcessorListener::WaitForSync(Duration timeout, const std::stop_token& stop) const {
  if (ScopedRunner::Current() != nullptr && current_listener == nullptr) {
    return Refused(
        "waiting inside on_error, a transform, a tweak or an index function would block the handler's informer");
  }
  const ScopedWait wait(this);
  if (!wait.ok()) return Refused("deadlock: the handler is the caller, or is waiting for it");
  const std::optional<TimePoint> deadline = clock_->After(timeout);
  MutexLock lock(mutex_);
  changed_.Wait(lock, *clock_, deadline, stop,
                [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return synced_ || removed_; });
  if (removed_) return Refused("the handler has been removed, or its informer shut down");
  if (synced_) return {};
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "the wait was stopped"};
  const std::string why = first_list_complete_
                              ? std::to_string(InitialLeft()) + " objects of the initial list are not handled yet"
                              : "the first list is not complete yet";
  return Error{.code = ErrorCode::kDeadlineExceeded, .message = "the handler has not synced in time: " + why};
}

const ProcessorListener* ProcessorListener::Current() { return current_listener; }

bool ProcessorListener::CurrentIsOfProcessor(std::uint64_t id) {
  return current_listener != nullptr && current_listener->processor_ == id;
}

bool ProcessorListener::CurrentIsOfFactory(std::uint64_t id) {
  return current_listener != nullptr && current_listener->factory_ == id;
}

void ProcessorListener::Run() {
  pthread_setname_np(pthread_self(), "kinformer-hdlr");
  current_listener = this;
  ScopedRunner::SetForThread(this);
  while (const std::optional<Notification> notification = Take()) Handled(!Call(*notification));
  {
    // Destroys what the user's functions own on the thread they ran on, before the end is signalled. That may include
    // this handler's own registration, whose destructor then finds a listener that is already removed.
    const EventHandler gone = std::exchange(handler_, {});
  }
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
  running_on_ = Subject(*next);
  running_since_ = clock_->Now();
  return next;
}

bool ProcessorListener::Call(const Notification& notification) const {
  const auto threw = Contain([&] {
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
  });
  if (threw) logger_.Error("processor", "a handler threw", {{"object", KeyOf(notification)}, {"what", *threw}});
  return !threw;
}

void ProcessorListener::Handled(bool threw) {
  ObjectPtr gone;  // Possibly the last reference: released after the lock.
  const MutexLock lock(mutex_);
  gone.swap(running_on_);
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
