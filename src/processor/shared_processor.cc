#include "src/processor/shared_processor.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "src/base/mutex.h"
#include "src/base/reaper.h"
#include "src/base/wait_graph.h"
#include "src/processor/processor_listener.h"

namespace kinformer::internal {

using Listeners = std::vector<std::shared_ptr<ProcessorListener>>;

struct SharedProcessor::Impl {
  static std::uint64_t NextId() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  struct Slot {
    std::shared_ptr<ProcessorListener> listener;
    Duration resync_period{0};
    TimePoint next_resync{};
    bool resync_wanted = false;  ///< The period has elapsed; the resync is queued behind earlier events.
    bool resync_due = false;     ///< The resync is being distributed.
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

  // Releases listeners whose threads have finished. A listener must be kept until its thread is joined. Joins without
  // the lock: a thread's exit may still run the user's thread_local destructors.
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
    for (const auto& listener : ended) {
      // The thread's thread_local destructors may be waiting for the task this runs on.
      if (!listener->AwaitEnd()) options.reaper->Adopt(listener);
    }
  }

  void RequestStop() {
    {
      const MutexLock lock(mutex);
      stopped = true;
    }
    for (const auto& listener : All()) listener->RequestStop();
  }

  /// Returns the listeners that have not ended.
  Listeners AwaitEnd(std::optional<TimePoint> deadline) {
    Listeners left = All();
    std::erase_if(left, [&](const auto& listener) { return listener->AwaitEnd(deadline); });
    Sweep();
    return left;
  }

  SharedProcessorOptions options;
  mutable Mutex mutex;
  std::vector<Slot> slots KINFORMER_GUARDED_BY(mutex);
  bool first_list_complete KINFORMER_GUARDED_BY(mutex) = false;
  bool stopped KINFORMER_GUARDED_BY(mutex) = false;
  std::atomic<int> handlers = 0;  ///< Total added so far; used for default names.
  const std::uint64_t id = NextId();
};

SharedProcessor::SharedProcessor(SharedProcessorOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  if (impl_->options.reaper == nullptr) {
    // Non-owning: the process-wide reaper is never destroyed.
    impl_->options.reaper = std::shared_ptr<Reaper>(std::shared_ptr<void>(), &Reaper::ForProcess());
  }
}

SharedProcessor::~SharedProcessor() {
  impl_->RequestStop();
  // Never wait for user code on a thread of the library: it could block everything that shares the thread.
  const bool may_wait = ScopedRunner::Current() == nullptr;
  for (auto& listener : may_wait ? impl_->AwaitEnd({}) : impl_->All()) impl_->options.reaper->Adopt(listener);
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
  impl_->options.reaper->JoinEnded();
  HandlerOptions named = options;
  if (named.name.empty()) named.name = std::to_string(++impl_->handlers);
  const auto listener =
      std::make_shared<ProcessorListener>(ProcessorListenerOptions{.handler = std::move(handler),
                                                                   .handler_options = named,
                                                                   .clock = impl_->options.clock,
                                                                   .logger = impl_->options.logger,
                                                                   .processor = impl_->id,
                                                                   .factory = impl_->options.reaper->id()});
  Impl::Slot slot{.listener = listener};
  const auto resync = options.resync.value_or(std::chrono::milliseconds::zero());
  if (resync > std::chrono::milliseconds::zero()) slot.resync_period = std::max(resync, kMinResync);
  const MutexLock lock(impl_->mutex);
  if (impl_->stopped) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = "a handler cannot be added: the informer has been shut down"};
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
  if (slot == impl_->slots.end()) return;  // removed in the meantime
  listener->Push(initial, false);
  if (impl_->first_list_complete) listener->MarkSynced();
  slot->active = true;
  slot->next_resync = impl_->options.clock->Now() + slot->resync_period;
}

void SharedProcessor::Distribute(std::span<const Notification> notifications) {
  impl_->Sweep();
  const MutexLock lock(impl_->mutex);  // Push neither runs user code nor waits for it
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

bool SharedProcessor::TakeDueResyncs(TimePoint now, bool skip) {
  const MutexLock lock(impl_->mutex);
  bool any = false;
  for (Impl::Slot& slot : impl_->slots) {
    if (!slot.WantsResync() || slot.next_resync > now) continue;
    slot.next_resync = now + slot.resync_period;
    if (skip) continue;
    slot.resync_wanted = true;
    any = true;
  }
  return any;
}

bool SharedProcessor::BeginResync() {
  const MutexLock lock(impl_->mutex);
  bool any = false;
  for (Impl::Slot& slot : impl_->slots) {
    if (std::exchange(slot.resync_wanted, false)) slot.resync_due = any = true;
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

void SharedProcessor::RequestStop() { impl_->RequestStop(); }

std::vector<std::string> SharedProcessor::AwaitEnd(std::optional<TimePoint> deadline) {
  std::vector<std::string> running;
  for (const auto& listener : impl_->AwaitEnd(deadline)) running.push_back(listener->Running());
  return running;
}

bool SharedProcessor::RunningHere() const { return ProcessorListener::CurrentIsOfProcessor(impl_->id); }

}  // namespace kinformer::internal
