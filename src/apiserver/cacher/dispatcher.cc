#include "src/apiserver/cacher/dispatcher.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "src/apiserver/cacher/object_text.h"
#include "src/apiserver/storage/object_codec.h"

namespace kinformer::apiserver {
namespace {

/// Events per turn of the task.
constexpr std::size_t kBatch = 100;

// The numbers of kube-apiserver: a watcher's channel holds what comes in a second, seen over the ring's window.
constexpr std::size_t kSecondsInRing = 75;
constexpr std::size_t kMinChannel = 10;
constexpr std::size_t kMaxTriggeredChannel = 10;
constexpr std::size_t kMaxUntriggeredChannel = 1000;
constexpr std::size_t kMaxUnindexedChannel = 100;
/// A watcher has two of them, input and result.
constexpr std::size_t kChannels = 2;

constexpr Duration kShortestPause = std::chrono::milliseconds(1);
constexpr Duration kLongestPause = std::chrono::milliseconds(50);

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
      by_value_(storage_->trigger_fields.size()),
      random_(options.seed != 0 ? options.seed : std::random_device{}()),
      budget_(options.slow_watcher_budget, clock_->Now()) {}

Dispatcher::~Dispatcher() { Stop(); }

// --- Events ---

void Dispatcher::Push(CacheEventPtr event) {
  const Revision revision = event->revision;
  Enqueue({std::move(event), revision});
}

void Dispatcher::Progress(Revision revision) { Enqueue({nullptr, revision}); }

void Dispatcher::Enqueue(Incoming incoming) {
  bool post = false;
  bool full = false;
  TimePoint not_before;
  {
    const MutexLock lock(incoming_mutex_);
    incoming_.push_back(std::move(incoming));
    high_water_mark_ = std::max(high_water_mark_, incoming_.size());
    post = !std::exchange(task_posted_, true);
    not_before = not_before_;
    full = incoming_.size() >= options_.incoming_bound;
  }
  if (post) PostDispatch(not_before);
  if (full) DispatchBatch();
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

/// Few watchers are told of each event as it comes.
Duration Dispatcher::PauseAfter(std::size_t watchers) const {
  const Duration pause = options_.cost_per_watcher * static_cast<Duration::rep>(watchers);
  return pause < kShortestPause ? Duration::zero() : std::min(pause, kLongestPause);
}

bool Dispatcher::TakeBatch() {
  batch_.clear();
  const MutexLock lock(incoming_mutex_);
  const std::size_t count = std::min(kBatch, incoming_.size());
  for (std::size_t i = 0; i < count; ++i) {
    batch_.push_back(std::move(incoming_.front()));
    incoming_.pop_front();
  }
  return !incoming_.empty();
}

void Dispatcher::DispatchBatch() {
  ReadyCalls ready;
  bool more = false;
  TimePoint not_before;
  {
    const MutexLock lock(mutex_);
    more = TakeBatch();
    if (!batch_.empty()) {
      for (const Incoming& incoming : batch_) {
        if (incoming.event != nullptr) Stage(*incoming.event);
        status_.revision = std::max(status_.revision, incoming.revision);
      }
      const TimePoint now = clock_->Now();
      // Who is behind does not wait to have more to do.
      const Duration pause = more ? Duration::zero() : PauseAfter(staged_.size());
      if (pause > Duration::zero()) not_before = now + pause;
      DeliverStaged(now, ready);
      batch_.clear();
      EndSlow(now, ready);
    }
  }
  Call(ready);
  {
    const MutexLock lock(incoming_mutex_);
    not_before_ = not_before;
    more = more || !incoming_.empty();
    if (!more) task_posted_ = false;
  }
  // The pool's other tasks have their turn in between.
  if (more && tasks_.RunningHere()) PostDispatch(not_before);
}

void Dispatcher::Stage(const CacheEvent& event) {
  ++event_number_;
  ++status_.events;
  for (std::size_t i = 0; i < by_value_.size(); ++i) {
    ValueBuckets& buckets = by_value_[i];
    if (buckets.empty()) continue;
    const std::string& field = storage_->trigger_fields[i];
    const std::string now = FieldValue(*event.object, field, *storage_);
    if (const auto found = buckets.find(now); found != buckets.end()) StageFor(found->second, event);
    if (event.previous == nullptr) continue;
    const std::string before = FieldValue(*event.previous, field, *storage_);
    if (before == now) continue;
    if (const auto found = buckets.find(before); found != buckets.end()) StageFor(found->second, event);
  }
  if (!by_scope_.empty()) {
    const std::string_view namespace_name = event.object->Namespace();
    const std::string_view name = event.object->Name();
    StageScope(namespace_name, name, event);
    if (!namespace_name.empty()) {
      StageScope(namespace_name, {}, event);
      StageScope({}, name, event);
    }
  }
  StageFor(everywhere_, event);
}

void Dispatcher::StageScope(std::string_view namespace_name, std::string_view name, const CacheEvent& event) {
  const auto found = by_scope_.find(NamespacedName{std::string(namespace_name), std::string(name)});
  if (found != by_scope_.end()) StageFor(found->second, event);
}

void Dispatcher::StageFor(const Bucket& bucket, const CacheEvent& event) {
  status_.evaluations += bucket.size();
  for (Registered* registered : bucket) {
    const Selection& selection = registered->watcher->options().selection;
    if (!selection.InScope(*event.object)) continue;
    const auto type = TransitionOf(selection.matcher->Remembered(event, event_number_));
    if (!type) continue;
    if (registered->staged.empty()) staged_.push_back(registered);
    registered->staged.push_back({*type, event.revision, ObjectFor(*type, event)});
  }
}

void Dispatcher::DeliverStaged(TimePoint now, ReadyCalls& ready) {
  for (Registered* registered : staged_) {
    status_.deliveries += registered->staged.size();
    const bool overfull = registered->watcher->Deliver(registered->staged, now, ready);
    if (!overfull || registered->blocked) continue;
    registered->blocked = true;
    blocked_.push_back(registered);
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
    {
      // Nobody is left to hear of it.
      const MutexLock incoming_lock(incoming_mutex_);
      incoming_.clear();
    }
    status_.reset += registered_.size();
    for (auto& [key, registered] : registered_) registered.watcher->End(ready);
    registered_.clear();
    for (ValueBuckets& buckets : by_value_) buckets.clear();
    by_scope_.clear();
    everywhere_.clear();
    bookmarks_due_.clear();
    deadlines_.clear();
    blocked_.clear();
    if (const auto ends = std::exchange(budget_ends_, std::nullopt)) {
      const TimePoint now = clock_->Now();
      budget_.GiveBack(*ends - now, now);
    }
  }
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

std::optional<std::pair<std::size_t, std::string>> Dispatcher::TriggerOf(const Predicate& predicate) const {
  for (std::size_t i = 0; i < storage_->trigger_fields.size(); ++i) {
    if (auto value = predicate.fields.RequiresExactMatch(storage_->trigger_fields[i])) {
      return std::pair(i, *std::move(value));
    }
  }
  return std::nullopt;
}

std::size_t Dispatcher::BufferSize(const Predicate& predicate, std::size_t ring_capacity) const {
  std::size_t most = kMaxUnindexedChannel;
  if (!storage_->trigger_fields.empty()) most = TriggerOf(predicate) ? kMaxTriggeredChannel : kMaxUntriggeredChannel;
  const std::size_t per_second = (ring_capacity + kSecondsInRing - 1) / kSecondsInRing;
  return kChannels * std::clamp(per_second, kMinChannel, most);
}

Dispatcher::Bucket& Dispatcher::BucketOf(const Registered& registered) {
  if (registered.trigger) return by_value_[*registered.trigger][registered.value];
  if (registered.scope == NamespacedName{}) return everywhere_;
  return by_scope_[registered.scope];
}

bool Dispatcher::Register(const std::shared_ptr<CacheWatcher>& watcher, std::uint64_t generation) {
  const CacheWatcherOptions& options = watcher->options();
  Registered registered{.watcher = watcher, .scope = {options.selection.namespace_name, options.selection.name}};
  if (auto trigger = TriggerOf(options.selection.matcher->predicate())) {
    registered.trigger = trigger->first;
    registered.value = std::move(trigger->second);
  }
  const MutexLock lock(mutex_);
  if (!open_ || generation != generation_) return false;
  const auto [it, added] = registered_.emplace(watcher.get(), std::move(registered));
  Registered& entry = it->second;
  BucketOf(entry).push_back(&entry);
  const TimePoint now = clock_->Now();
  if (options.bookmarks) {
    entry.bookmark = bookmarks_due_.emplace(NextBookmark(*watcher, now), &entry);
    ArmTick(now);
  }
  if (options.deadline) {
    entry.deadline = deadlines_.emplace(*options.deadline, &entry);
    Arm(deadlines_.begin()->first);
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

void Dispatcher::Forget(Registered& registered) {
  Bucket& bucket = BucketOf(registered);
  std::erase(bucket, &registered);
  if (bucket.empty()) {
    if (registered.trigger) {
      by_value_[*registered.trigger].erase(registered.value);
    } else if (registered.scope != NamespacedName{}) {
      by_scope_.erase(registered.scope);
    }
  }
  if (registered.bookmark) bookmarks_due_.erase(*registered.bookmark);
  if (registered.deadline) deadlines_.erase(*registered.deadline);
  if (registered.blocked) std::erase(blocked_, &registered);
  registered_.erase(registered.watcher.get());
}

std::shared_ptr<Matcher> Dispatcher::MatcherFor(const Predicate& predicate) {
  // Neither text can contain a line feed.
  std::string key = ToString(predicate.labels) + "\n" + ToString(predicate.fields);
  const MutexLock lock(mutex_);
  std::weak_ptr<Matcher>& known = matchers_[std::move(key)];
  std::shared_ptr<Matcher> matcher = known.lock();
  if (matcher == nullptr) {
    matcher = std::make_shared<Matcher>(predicate, storage_);
    known = matcher;
    if (matchers_.size() >= matchers_sweep_) {
      std::erase_if(matchers_, [](const auto& entry) { return entry.second.expired(); });
      matchers_sweep_ = std::max<std::size_t>(64, 2 * matchers_.size());
    }
  }
  return matcher;
}

// --- Time ---

TimePoint Dispatcher::NextBookmark(const CacheWatcher& watcher, TimePoint now) const {
  const TimePoint regular = now + options_.bookmark_frequency;
  if (!watcher.options().deadline) return regular;
  const TimePoint last = *watcher.options().deadline - options_.bookmark_before_deadline;
  return last > now ? std::min(last, regular) : regular;
}

ObjectPtr Dispatcher::Bookmark(Revision revision, bool ends_initial_events) {
  const std::size_t slot = ends_initial_events ? 1 : 0;
  {
    const MutexLock lock(mutex_);
    const auto& [known, bookmark] = bookmarks_[slot];
    if (bookmark != nullptr && known == revision) return bookmark;
  }
  ObjectPtr made = MakeBookmark(storage_->kind, revision, ends_initial_events);
  const MutexLock lock(mutex_);
  bookmarks_[slot] = {revision, made};
  return made;
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
  // What has happened already counts before the time does.
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
    if (!bookmarks_due_.empty()) ArmTick(now);
    if (!deadlines_.empty()) Arm(deadlines_.begin()->first);
  }
  Call(ready);
}

void Dispatcher::SendBookmarks(TimePoint now, ReadyCalls& ready) {
  if (bookmarks_due_.empty() || bookmarks_due_.begin()->first > now) return;
  const Revision revision = status_.revision;
  auto& [known, bookmark] = bookmarks_[0];
  if (bookmark == nullptr || known != revision) {
    bookmark = MakeBookmark(storage_->kind, revision, false);
    known = revision;
  }
  while (!bookmarks_due_.empty() && bookmarks_due_.begin()->first <= now) {
    Registered& registered = *bookmarks_due_.begin()->second;
    if (registered.watcher->OfferBookmark(bookmark, revision, ready)) ++status_.bookmarks;
    bookmarks_due_.erase(bookmarks_due_.begin());
    registered.bookmark = bookmarks_due_.emplace(NextBookmark(*registered.watcher, now), &registered);
  }
}

void Dispatcher::EndOverdue(TimePoint now, ReadyCalls& ready) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    Registered& registered = *deadlines_.begin()->second;
    registered.watcher->End(ready);
    ++status_.timed_out;
    Forget(registered);
  }
}

void Dispatcher::EndSlow(TimePoint now, ReadyCalls& ready) {
  if (blocked_.empty() && !budget_ends_) return;
  std::optional<TimePoint> released;
  std::optional<TimePoint> next_late;
  std::vector<Registered*> late;
  std::erase_if(blocked_, [&](Registered* registered) {
    const std::optional<TimePoint> since = registered->watcher->BlockedSince();
    if (!since) {
      registered->blocked = false;
      released = std::max(released, std::optional(registered->watcher->UnblockedAt()));
      return true;
    }
    const TimePoint becomes_late = *since + options_.slow_watcher_grace;
    if (becomes_late <= now) {
      late.push_back(registered);
    } else {
      next_late = std::min(next_late.value_or(becomes_late), becomes_late);
    }
    return false;
  });
  if (late.empty()) {
    if (const auto ends = std::exchange(budget_ends_, std::nullopt)) {
      budget_.GiveBack(*ends - released.value_or(now), now);
    }
  } else {
    if (!budget_ends_) budget_ends_ = now + budget_.TakeAll(now);
    if (now >= *budget_ends_) {
      budget_ends_.reset();
      for (Registered* registered : late) {
        registered->watcher->End(ready);
        ++status_.terminated;
        Forget(*registered);
      }
    } else {
      Arm(*budget_ends_);
    }
  }
  if (next_late) Arm(*next_late);
}

DispatcherStatus Dispatcher::Status() const {
  const MutexLock lock(mutex_);
  DispatcherStatus status = status_;
  status.watchers = registered_.size();
  const MutexLock incoming_lock(incoming_mutex_);
  status.incoming = incoming_.size();
  status.incoming_high_water_mark = high_water_mark_;
  return status;
}

}  // namespace kinformer::apiserver
