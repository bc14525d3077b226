#include "src/informer/informer_core.h"

#include <charconv>
#include <utility>

namespace kinformer::internal {
namespace {

Error StoppedWaiting() { return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"}; }

Notification AddOf(ObjectPtr after, bool in_initial_list) {
  return {.kind = Notification::Kind::kAdd, .after = std::move(after), .in_initial_list = in_initial_list};
}

Notification UpdateOf(ObjectPtr before, ObjectPtr after) {
  return {.kind = Notification::Kind::kUpdate, .before = std::move(before), .after = std::move(after)};
}

Notification DeleteOf(ObjectPtr last_known, bool final_state_unknown) {
  return {
      .kind = Notification::Kind::kDelete, .before = std::move(last_known), .final_state_unknown = final_state_unknown};
}

Notification SyncOf(const ObjectPtr& object) {
  return {.kind = Notification::Kind::kSync, .before = object, .after = object};
}

bool IsSameVersion(const Object& a, const Object& b) {
  return a.Uid() == b.Uid() && !a.ResourceVersion().empty() && a.ResourceVersion() == b.ResourceVersion();
}

InformerCoreOptions WithKnownObjects(InformerCoreOptions options, const KnownObjects* known) {
  options.reflector.known = known;
  return options;
}

}  // namespace

bool IsAtLeast(const std::string& version, const std::string& wanted) {
  if (wanted.empty() || version == wanted) return true;
  std::uint64_t have = 0;
  std::uint64_t want = 0;
  const auto read = [](const std::string& text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  return read(version, have) && read(wanted, want) && have >= want;
}

InformerCore::InformerCore(std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source,
                           InformerCoreOptions options)
    : pool_(std::move(pool)),
      options_(WithKnownObjects(std::move(options), this)),
      clock_(pool_->clock()),
      indexer_(std::make_shared<Indexer>()),
      processor_({.clock = clock_, .logger = options_.logger}),
      fifo_([this] { cache_tasks_.Post([this] { Process(); }); }),
      cache_tasks_(*pool_),
      reflector_(*pool_, std::move(source), fifo_, options_.reflector, [this](const Error& error) { OnError(error); }) {
}

InformerCore::~InformerCore() { ShutDown(); }

void InformerCore::ShutDown() {
  Stop();
  cache_tasks_.Close();
  (void)processor_.Stop();
}

bool InformerCore::OnOwnThread() const { return processor_.RunningHere() || cache_tasks_.RunningHere(); }

ObjectPtr InformerCore::Find(std::string_view namespace_name, std::string_view name) const {
  return indexer_->Get(namespace_name, name);
}

void InformerCore::Start() {
  {
    const MutexLock lock(mutex_);
    if (running_) return;
    running_ = true;
  }
  reflector_.Start();
}

void InformerCore::Stop() {
  {
    const MutexLock lock(mutex_);
    running_ = false;
  }
  reflector_.Stop();
}

Result<std::shared_ptr<ProcessorListener>> InformerCore::AddEventHandler(EventHandler handler, HandlerOptions options) {
  if (options.resync.count() == 0) options.resync = options_.resync;
  Result<std::shared_ptr<ProcessorListener>> listener = processor_.Enlist(std::move(handler), options);
  if (!listener) return listener;
  // On the cache's queue, between two changes: what is in the cache then, and everything after it.
  cache_tasks_.Post([this, enlisted = *listener] {
    processor_.Activate(enlisted, indexer_->List());
    ScheduleResync();
  });
  return listener;
}

void InformerCore::OnError(const Error& error) {
  {
    const MutexLock lock(mutex_);
    last_error_ = error;
  }
  changed_.NotifyAll();
  if (options_.on_error) options_.on_error(error);
}

void InformerCore::Process() {
  std::vector<Delta> batch = fifo_.TakeBatch();
  if (batch.empty()) return;
  switch (batch.front().kind) {
    case Delta::Kind::kReplaceAll:
      ApplyReplace(batch.front());
      break;
    case Delta::Kind::kResync:
      ApplyResync();
      break;
    default:
      ApplyEvents(batch);
  }
  batch.clear();
  fifo_.BatchDone();
  PublishProgress();
  // A turn each, so that a busy informer leaves the pool to the others; the turn that finds nothing is the last.
  cache_tasks_.Post([this] { Process(); });
}

void InformerCore::ApplyReplace(Delta& delta) {
  Result<std::vector<StoreChange>> changes =
      indexer_->Replace(std::move(delta.objects), std::move(delta.resource_version));
  if (!changes) {
    OnError(changes.error());
    return;
  }
  const bool initial = !HasSynced();
  std::vector<Notification> notifications;
  notifications.reserve(changes->size());
  for (StoreChange& change : *changes) {
    if (!change.after) {
      notifications.push_back(DeleteOf(std::move(change.before), true));
    } else if (!change.before) {
      notifications.push_back(AddOf(std::move(change.after), initial));
    } else if (change.before == change.after || IsSameVersion(*change.before, *change.after)) {
      notifications.push_back(SyncOf(change.after));
    } else {
      notifications.push_back(UpdateOf(std::move(change.before), std::move(change.after)));
    }
  }
  processor_.Distribute(notifications);
}

void InformerCore::ApplyResync() {
  if (!processor_.BeginResync(clock_->Now())) return;
  std::vector<Notification> notifications;
  for (const ObjectPtr& object : indexer_->List()) notifications.push_back(SyncOf(object));
  processor_.Distribute(notifications);
  processor_.EndResync();
}

void InformerCore::ApplyEvents(std::vector<Delta>& batch) {
  std::vector<Indexer::Write> writes;
  std::optional<std::string> bookmark;
  for (const Delta& delta : batch) {
    if (delta.kind == Delta::Kind::kBookmark) {
      bookmark = delta.resource_version;
    } else {
      writes.push_back(
          {.kind = delta.kind == Delta::Kind::kDelete ? Indexer::Write::Kind::kErase : Indexer::Write::Kind::kSet,
           .object = delta.object});
    }
  }
  std::vector<Notification> notifications;
  const auto note = [&](const Indexer::Write& write, StoreChange& change) {
    if (!change.before && !change.after) return;
    if (!change.after) {
      // The event carries the final state, which is newer than what the cache had.
      notifications.push_back(DeleteOf(write.object, false));
    } else if (!change.before) {
      notifications.push_back(AddOf(std::move(change.after), false));
    } else if (change.before->Uid() != change.after->Uid()) {
      // Deleted and made again while nobody watched.
      notifications.push_back(DeleteOf(std::move(change.before), true));
      notifications.push_back(AddOf(std::move(change.after), false));
    } else {
      notifications.push_back(UpdateOf(std::move(change.before), std::move(change.after)));
    }
  };
  Result<std::vector<StoreChange>> changes = indexer_->Apply(writes, bookmark);
  if (changes) {
    for (std::size_t i = 0; i < writes.size(); ++i) note(writes[i], (*changes)[i]);
  } else {
    // An index function failed. One by one, so that only the objects it fails for are missing.
    for (const Indexer::Write& write : writes) {
      Result<std::vector<StoreChange>> one = indexer_->Apply(std::span(&write, 1));
      if (one) {
        note(write, one->front());
      } else {
        OnError(one.error());
      }
    }
    if (bookmark) (void)indexer_->Apply({}, bookmark);
  }
  processor_.Distribute(notifications);
}

void InformerCore::PublishProgress() {
  bool first = false;
  {
    const MutexLock lock(mutex_);
    first = !synced_ && fifo_.HasSynced();
    if (first) {
      synced_ = true;
      last_error_.reset();
    }
  }
  if (first) {
    processor_.MarkSynced();
    ScheduleResync();
  }
  changed_.NotifyAll();
}

void InformerCore::ScheduleResync() {
  const std::optional<TimePoint> next = processor_.NextResync();
  if (!next || !HasSynced() || (resync_at_ && *resync_at_ <= *next)) return;
  resync_at_ = next;
  cache_tasks_.PostAt(*next, [this] { OnResyncTimer(); });
}

void InformerCore::OnResyncTimer() {
  resync_at_.reset();
  // Through the queue, behind what is in it: a resync never shows an object older than an event that has arrived.
  if (reflector_.Status().phase == ReflectorPhase::kWatching) fifo_.Resync();
  ScheduleResync();
}

bool InformerCore::HasSynced() const {
  const MutexLock lock(mutex_);
  return synced_;
}

Result<void> InformerCore::WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  if (changed_.Wait(lock, *clock_, deadline, stop, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return synced_; })) {
    return {};
  }
  if (stop.stop_requested()) return StoppedWaiting();
  if (last_error_) return Annotate(*last_error_, name() + " not synced");
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = name() + " not synced in time" + (running_ ? "" : ": it is not started")};
}

Result<void> InformerCore::WaitForResourceVersion(const std::string& version, std::optional<TimePoint> deadline,
                                                  const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  if (changed_.Wait(lock, *clock_, deadline, stop, [&] { return IsAtLeast(indexer_->ResourceVersion(), version); })) {
    return {};
  }
  if (stop.stop_requested()) return StoppedWaiting();
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = name() + ": the cache did not reach version " + version + " in time; it is at " +
                          indexer_->ResourceVersion()};
}

InformerStatus InformerCore::Status() const {
  const ReflectorStatus reflector = reflector_.Status();
  InformerStatus status{.objects = indexer_->Size(),
                        .resource_version = indexer_->ResourceVersion(),
                        .last_heard = reflector.last_heard,
                        .lists = reflector.lists,
                        .watches = reflector.watches,
                        .queued = fifo_.Depth(),
                        .listed = reflector.listed_objects,
                        .remaining = reflector.remaining_objects,
                        .handlers = processor_.Statuses()};
  switch (reflector.phase) {
    case ReflectorPhase::kStopped:
      status.state = InformerState::kStopped;
      break;
    case ReflectorPhase::kListing:
      status.state = InformerState::kSyncing;
      break;
    case ReflectorPhase::kWatching:
      status.state = InformerState::kWatching;
      break;
    case ReflectorPhase::kBackingOff:
      status.state = InformerState::kRetrying;
      break;
  }
  const MutexLock lock(mutex_);
  status.synced = synced_;
  status.last_error = last_error_;
  return status;
}

}  // namespace kinformer::internal
