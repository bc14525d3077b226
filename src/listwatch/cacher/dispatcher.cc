#include "src/listwatch/cacher/dispatcher.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "src/listwatch/cacher/object_text.h"

namespace kinformer::apiserver {
namespace {

void Call(ReadyCalls& calls) {
  for (const std::function<void()>& call : calls) call();
  calls.clear();
}

}  // namespace

Duration DefaultCostPerWatcher() {
  return std::chrono::microseconds(40) / static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Dispatcher::Dispatcher(TaskPool& pool, std::shared_ptr<const StorageOptions> storage, DispatcherOptions options)
    : storage_(std::move(storage)),
      options_(options),
      clock_(pool.clock()),
      tasks_(pool),
      incoming_(options.incoming_bound),
      matchers_(storage_),
      bookmarks_(storage_),
      index_(storage_),
      slow_(options.slow_watcher_grace, options.slow_watcher_budget, clock_->Now()),
      random_(options.seed != 0 ? options.seed : std::random_device{}()) {}

Dispatcher::~Dispatcher() { Stop(); }

// --- Events ---

void Dispatcher::Push(CacheEventPtr event) {
  const Revision revision = event->revision;
  Enqueue({std::move(event), revision});
}

void Dispatcher::Progress(Revision revision) { Enqueue({nullptr, revision}); }

void Dispatcher::Enqueue(IncomingEvent incoming) {
  const IncomingQueue::Pushed pushed = incoming_.Push(std::move(incoming));
  if (pushed.schedule) PostDispatch(pushed.not_before);
  if (pushed.full) DispatchBatch();
}

void Dispatcher::PostDispatch(TimePoint not_before) {
  auto dispatch = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->DispatchBatch();
  };
  if (not_before == TimePoint() || not_before <= clock_->Now()) {
    tasks_.Post(std::move(dispatch));
  } else {
    tasks_.PostAt(not_before, std::move(dispatch));
  }
}

void Dispatcher::DispatchBatch() {
  ReadyCalls ready;
  bool more = false;
  TimePoint not_before;
  {
    const MutexLock lock(mutex_);
    more = incoming_.TakeBatch(batch_);
    if (!batch_.empty()) {
      for (const IncomingEvent& incoming : batch_) {
        if (incoming.event != nullptr) Stage(*incoming.event);
        status_.revision = std::max(status_.revision, incoming.revision);
      }
      const TimePoint now = clock_->Now();
      // No pause while there is a backlog.
      const Duration pause = more ? Duration::zero() : PauseAfterBatch(options_.cost_per_watcher, staged_.size());
      if (pause > Duration::zero()) not_before = now + pause;
      DeliverStaged(now, ready);
      batch_.clear();
      EndSlow(now, ready);
    }
  }
  dispatched_.NotifyAll();
  Call(ready);
  // Repost instead of looping, so that other tasks of the pool get a turn.
  if (incoming_.EndBatch(not_before, more) && tasks_.RunningHere()) PostDispatch(not_before);
}

void Dispatcher::Stage(const CacheEvent& event) {
  ++event_number_;
  ++status_.events;
  index_.ForCandidates(
      event, [&](const WatcherIndex::Bucket& bucket) KINFORMER_NO_THREAD_SAFETY_ANALYSIS { StageFor(bucket, event); });
}

void Dispatcher::StageFor(const WatcherIndex::Bucket& bucket, const CacheEvent& event) {
  status_.evaluations += bucket.size();
  for (RegisteredWatcher* registered : bucket) {
    const WatcherFilter& filter = registered->watcher->options().filter;
    if (!filter.InScope(*event.object)) continue;
    const auto type = TransitionOf(filter.matcher->OutcomeCached(event, event_number_));
    if (!type) continue;
    if (registered->staged.empty()) staged_.push_back(registered);
    registered->staged.push_back({*type, event.revision, ObjectFor(*type, event)});
  }
}

void Dispatcher::DeliverStaged(TimePoint now, ReadyCalls& ready) {
  for (RegisteredWatcher* registered : staged_) {
    status_.deliveries += registered->staged.size();
    if (registered->watcher->Deliver(registered->staged, now, ready)) slow_.Add(*registered);
  }
  staged_.clear();
}

// --- Watchers ---

void Dispatcher::Open(Revision revision) {
  const MutexLock lock(mutex_);
  open_ = true;
  ++generation_;
  status_.revision = revision;
}

void Dispatcher::Shut() {
  ReadyCalls ready;
  {
    const MutexLock lock(mutex_);
    open_ = false;
    ++generation_;
    incoming_.Clear();  // no watcher is left to receive these
    status_.reset += registered_.size();
    for (auto& [key, registered] : registered_) registered.watcher->End(ready);
    registered_.clear();
    index_.Clear();
    bookmark_times_.Clear();
    deadlines_.Clear();
    slow_.Clear(clock_->Now());
  }
  dispatched_.NotifyAll();
  Call(ready);
}

void Dispatcher::Stop() {
  Shut();
  tasks_.Close();
}

std::optional<std::uint64_t> Dispatcher::Generation() const {
  const MutexLock lock(mutex_);
  if (!open_) return std::nullopt;
  return generation_;
}

std::size_t Dispatcher::BufferSize(const SelectionPredicate& predicate, std::size_t ring_capacity) const {
  std::optional<bool> triggered;
  if (!storage_->trigger_fields.empty()) triggered = index_.TriggerOf(predicate).has_value();
  return WatcherBufferSize(triggered, ring_capacity);
}

bool Dispatcher::Register(const std::shared_ptr<CacheWatcher>& watcher, std::uint64_t generation) {
  const CacheWatcherOptions& options = watcher->options();
  RegisteredWatcher registered{.watcher = watcher, .key = index_.KeyOf(options.filter)};
  const MutexLock lock(mutex_);
  if (!open_ || generation != generation_) return false;
  const auto [it, added] = registered_.emplace(watcher.get(), std::move(registered));
  RegisteredWatcher& entry = it->second;
  index_.Add(entry);
  if (options.bookmarks) {
    const TimePoint now = clock_->Now();
    ScheduleBookmark(entry, now);
    ArmTick(now);
  }
  if (options.deadline) {
    deadlines_.Set(entry, *options.deadline);
    Arm(deadlines_.Next());
  }
  return true;
}

void Dispatcher::Remove(const CacheWatcher* watcher) {
  std::shared_ptr<CacheWatcher> dropped;
  const MutexLock lock(mutex_);
  const auto found = registered_.find(watcher);
  if (found == registered_.end()) return;
  dropped = found->second.watcher;
  Forget(found->second);
}

void Dispatcher::Forget(RegisteredWatcher& registered) {
  index_.Remove(registered);
  bookmark_times_.Remove(registered);
  deadlines_.Remove(registered);
  slow_.Remove(registered);
  registered_.erase(registered.watcher.get());
}

std::shared_ptr<Matcher> Dispatcher::MatcherFor(const SelectionPredicate& predicate) {
  return matchers_.Get(predicate);
}

// --- Time ---

ObjectPtr Dispatcher::Bookmark(Revision revision, bool ends_initial_events) {
  return bookmarks_.Get(revision, ends_initial_events);
}

void Dispatcher::ScheduleBookmark(RegisteredWatcher& registered, TimePoint now) {
  bookmark_times_.Set(registered, NextBookmark(now, registered.watcher->options().deadline, options_.bookmark_frequency,
                                               options_.bookmark_before_deadline));
}

void Dispatcher::ArmTick(TimePoint now) {
  if (!tick_) {
    const double stretch = std::uniform_real_distribution<double>(1.0, 1.25)(random_);
    tick_ = now + std::chrono::duration_cast<Duration>(options_.bookmark_tick * stretch);
  }
  Arm(*tick_);
}

void Dispatcher::Arm(TimePoint when) {
  if (armed_ && *armed_ <= when) return;
  armed_ = when;
  tasks_.PostAt(when, [weak = weak_from_this(), when] {
    if (const auto self = weak.lock()) self->OnTimer(when);
  });
}

void Dispatcher::OnTimer(TimePoint armed_for) {
  // Pending events take precedence over deadlines.
  DispatchBatch();
  ReadyCalls ready;
  {
    const MutexLock lock(mutex_);
    if (armed_ == armed_for) armed_.reset();
    const TimePoint now = clock_->Now();
    if (tick_ && now >= *tick_) {
      tick_.reset();
      SendBookmarks(now, ready);
    }
    EndOverdue(now, ready);
    EndSlow(now, ready);
    if (!bookmark_times_.empty()) ArmTick(now);
    if (!deadlines_.empty()) Arm(deadlines_.Next());
  }
  Call(ready);
}

void Dispatcher::SendBookmarks(TimePoint now, ReadyCalls& ready) {
  if (bookmark_times_.Due(now) == nullptr) return;
  const Revision revision = status_.revision;
  const ObjectPtr bookmark = bookmarks_.Get(revision, false);
  while (RegisteredWatcher* const registered = bookmark_times_.Due(now)) {
    if (registered->watcher->OfferBookmark(bookmark, revision, ready)) ++status_.bookmarks;
    ScheduleBookmark(*registered, now);
  }
}

void Dispatcher::EndOverdue(TimePoint now, ReadyCalls& ready) {
  while (RegisteredWatcher* const registered = deadlines_.Due(now)) {
    registered->watcher->End(ready);
    ++status_.timed_out;
    Forget(*registered);
  }
}

void Dispatcher::EndSlow(TimePoint now, ReadyCalls& ready) {
  const SlowWatchers::Verdict verdict = slow_.Check(now);
  for (RegisteredWatcher* registered : verdict.terminate) {
    registered->watcher->End(ready);
    ++status_.terminated;
    Forget(*registered);
  }
  if (verdict.next_check) Arm(*verdict.next_check);
}

bool Dispatcher::AwaitDispatched(Revision revision, const Clock& clock, TimePoint deadline,
                                 const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  dispatched_.Wait(lock, clock, deadline, stop,
                   [&]() KINFORMER_REQUIRES(mutex_) { return !open_ || status_.revision >= revision; });
  return open_ && status_.revision >= revision;
}

DispatcherStatus Dispatcher::Status() const {
  const MutexLock lock(mutex_);
  DispatcherStatus status = status_;
  status.watchers = registered_.size();
  status.incoming = incoming_.size();
  status.incoming_high_water_mark = incoming_.high_water_mark();
  return status;
}

}  // namespace kinformer::apiserver
