#include "src/processor/shared_processor.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kinformer/base/mutex.h>

#include "src/processor/orphans.h"
#include "src/processor/processor_listener.h"

namespace kinformer::internal {

using Listeners = std::vector<std::shared_ptr<ProcessorListener>>;

struct SharedProcessor::Impl {
  struct Slot {
    std::shared_ptr<ProcessorListener> listener;
    Duration resync_period{0};
    TimePoint next_resync{};
    bool resync_due = false;
    bool active = false;

    bool WantsResync() const { return active && resync_period > Duration::zero() && !listener->Removed(); }
  };

  explicit Impl(SharedProcessorOptions o) : options(std::move(o)) {}

  Listeners All() const {
    const MutexLock lock(mutex);
    Listeners all;
    for (const Slot& slot : slots) all.push_back(slot.listener);
    return all;
  }

  // Lets go of the listeners whose threads are past all user code. A listener is kept until then, because somebody must
  // join it; joined without the lock, because a thread's own end may still run the user's thread_local destructors.
  void Sweep() {
    Listeners ended;
    {
      const MutexLock lock(mutex);
      const auto first =
          std::stable_partition(slots.begin(), slots.end(), [](const Slot& slot) { return !slot.listener->Ended(); });
      std::transform(first, slots.end(), std::back_inserter(ended),
                     [](Slot& slot) { return std::move(slot.listener); });
      slots.erase(first, slots.end());
    }
    for (const auto& listener : ended) listener->AwaitEnd();
  }

  // Returns those that could not be waited for here.
  Listeners StopAll() {
    {
      const MutexLock lock(mutex);
      stopped = true;
    }
    const Listeners all = All();
    for (const auto& listener : all) listener->RequestStop();  // all first, so that they end side by side
    Listeners left;
    std::copy_if(all.begin(), all.end(), std::back_inserter(left), [](const auto& l) { return !l->AwaitEnd(); });
    Sweep();
    return left;
  }

  const SharedProcessorOptions options;
  mutable Mutex mutex;
  std::vector<Slot> slots KINFORMER_GUARDED_BY(mutex);
  bool first_list_complete KINFORMER_GUARDED_BY(mutex) = false;
  bool stopped KINFORMER_GUARDED_BY(mutex) = false;
};

SharedProcessor::SharedProcessor(SharedProcessorOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  Orphans::OfProcess().JoinEnded();
}

SharedProcessor::~SharedProcessor() {
  Orphans::OfProcess().JoinEnded();
  Listeners left = impl_->StopAll();
  if (!left.empty()) Orphans::OfProcess().Adopt(std::move(left));
}

Result<std::shared_ptr<ProcessorListener>> SharedProcessor::Add(EventHandler handler, const HandlerOptions& options,
                                                                const std::vector<ObjectPtr>& existing) {
  Result<std::shared_ptr<ProcessorListener>> listener = Enlist(std::move(handler), options);
  if (listener) Activate(*listener, existing);
  return listener;
}

Result<std::shared_ptr<ProcessorListener>> SharedProcessor::Enlist(EventHandler handler,
                                                                   const HandlerOptions& options) {
  impl_->Sweep();
  Orphans::OfProcess().JoinEnded();
  const auto listener = std::make_shared<ProcessorListener>(ProcessorListenerOptions{.handler = std::move(handler),
                                                                                     .handler_options = options,
                                                                                     .clock = impl_->options.clock,
                                                                                     .logger = impl_->options.logger,
                                                                                     .owner = impl_.get()});
  Impl::Slot slot{.listener = listener};
  if (options.resync > std::chrono::milliseconds::zero()) slot.resync_period = std::max(options.resync, kMinResync);
  const MutexLock lock(impl_->mutex);
  if (impl_->stopped) {
    return Error{.code = ErrorCode::kFailedPrecondition, .message = "no handler can be added: the informer is stopped"};
  }
  if (auto started = listener->Start(); !started) return started.error();
  impl_->slots.push_back(std::move(slot));
  return listener;
}

void SharedProcessor::Activate(const std::shared_ptr<ProcessorListener>& listener,
                               const std::vector<ObjectPtr>& existing) {
  std::vector<Notification> initial;
  initial.reserve(existing.size());
  for (const ObjectPtr& object : existing) {
    initial.push_back({.kind = Notification::Kind::kAdd, .after = object, .in_initial_list = true});
  }
  const MutexLock lock(impl_->mutex);
  const auto slot = std::find_if(impl_->slots.begin(), impl_->slots.end(),
                                 [&](const Impl::Slot& s) { return s.listener == listener; });
  if (slot == impl_->slots.end()) return;  // removed meanwhile
  listener->Push(initial, false);
  if (impl_->first_list_complete) listener->MarkSynced();
  slot->active = true;
  slot->next_resync = impl_->options.clock->Now() + slot->resync_period;
}

void SharedProcessor::Distribute(std::span<const Notification> notifications) {
  impl_->Sweep();
  const MutexLock lock(impl_->mutex);  // a push runs no user code and waits for none
  for (const Impl::Slot& slot : impl_->slots) {
    if (slot.active) slot.listener->Push(notifications, slot.resync_due);
  }
}

void SharedProcessor::MarkSynced() {
  const MutexLock lock(impl_->mutex);
  impl_->first_list_complete = true;
  for (const Impl::Slot& slot : impl_->slots) {
    if (slot.active) slot.listener->MarkSynced();
  }
}

std::optional<TimePoint> SharedProcessor::NextResync() const {
  const MutexLock lock(impl_->mutex);
  std::optional<TimePoint> next;
  for (const Impl::Slot& slot : impl_->slots) {
    if (slot.WantsResync() && (!next || slot.next_resync < *next)) next = slot.next_resync;
  }
  return next;
}

bool SharedProcessor::BeginResync(TimePoint now) {
  const MutexLock lock(impl_->mutex);
  bool any = false;
  for (Impl::Slot& slot : impl_->slots) {
    if (!slot.WantsResync() || slot.next_resync > now) continue;
    slot.next_resync = now + slot.resync_period;
    slot.resync_due = true;
    any = true;
  }
  return any;
}

void SharedProcessor::EndResync() {
  const MutexLock lock(impl_->mutex);
  for (Impl::Slot& slot : impl_->slots) slot.resync_due = false;
}

std::size_t SharedProcessor::Pending() const {
  std::size_t pending = 0;
  for (const auto& listener : impl_->All()) pending += listener->Status().pending;
  return pending;
}

std::vector<HandlerStatus> SharedProcessor::Statuses() const {
  std::vector<HandlerStatus> statuses;
  for (const auto& listener : impl_->All()) {
    if (!listener->Removed()) statuses.push_back(listener->Status());
  }
  return statuses;
}

Result<void> SharedProcessor::Stop() {
  if (RunningHere()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = "stopping an informer inside one of its handlers would wait for itself"};
  }
  if (!impl_->StopAll().empty()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = "stopped, but a handler that waits for the calling one is still running"};
  }
  return {};
}

bool SharedProcessor::RunningHere() const { return ProcessorListener::CurrentIsOf(impl_.get()); }

}  // namespace kinformer::internal
