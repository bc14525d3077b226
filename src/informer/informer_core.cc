#include "src/informer/informer_core.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace kinformer::internal {
namespace {

Error StoppedWaiting() { return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"}; }

/// Each once, in the order given; "" is none.
std::vector<std::string> Distinct(std::vector<std::string> names) {
  std::vector<std::string> distinct;
  for (std::string& name : names) {
    if (!name.empty() && std::find(distinct.begin(), distinct.end(), name) == distinct.end())
      distinct.push_back(std::move(name));
  }
  return distinct;
}

/// The less that is going on, the more the state says about all of them.
int Urgency(ReflectorPhase phase) {
  switch (phase) {
    case ReflectorPhase::kStopped:
      return 0;
    case ReflectorPhase::kWatching:
      return 1;
    case ReflectorPhase::kParked:
      return 2;
    case ReflectorPhase::kListing:
      return 3;
    case ReflectorPhase::kBackingOff:
      return 4;
  }
  return 0;
}

InformerState StateOf(ReflectorPhase phase) {
  switch (phase) {
    case ReflectorPhase::kStopped:
      return InformerState::kStopped;
    case ReflectorPhase::kListing:
      return InformerState::kSyncing;
    case ReflectorPhase::kWatching:
      return InformerState::kWatching;
    case ReflectorPhase::kBackingOff:
      return InformerState::kRetrying;
    case ReflectorPhase::kParked:
      return InformerState::kParked;
  }
  return InformerState::kStopped;
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
      options_(std::move(options)),
      everything_(std::move(source)),
      clock_(pool_->clock()),
      indexer_(std::make_shared<Indexer>()),
      applier_(*indexer_, [this](const Error& error) { OnError(error); }),
      processor_({.clock = clock_, .logger = options_.logger}),
      fifo_([this] { cache_tasks_.Post([this] { Process(); }); }),
      transform_{options_.transform_name, options_.reflector.transform},
      on_error_(options_.on_error),
      cache_tasks_(*pool_) {}

InformerCore::InformerCore(std::shared_ptr<TaskPool> pool, MakeListerWatcher make, std::vector<std::string> namespaces,
                           InformerCoreOptions options)
    : pool_(std::move(pool)),
      options_(std::move(options)),
      make_(std::move(make)),
      clock_(pool_->clock()),
      indexer_(std::make_shared<Indexer>()),
      applier_(*indexer_, [this](const Error& error) { OnError(error); }),
      processor_({.clock = clock_, .logger = options_.logger}),
      fifo_([this] { cache_tasks_.Post([this] { Process(); }); }),
      namespaces_(Distinct(std::move(namespaces))),
      transform_{options_.transform_name, options_.reflector.transform},
      on_error_(options_.on_error),
      cache_tasks_(*pool_) {}

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

std::shared_ptr<InformerSource> InformerCore::MakeSource(int scope, const std::string& namespace_name,
                                                         std::shared_ptr<ListerWatcher> source) {
  ReflectorOptions options = options_.reflector;
  if (!namespace_name.empty()) {
    options.name += " in " + namespace_name;
    options.expected_namespace = namespace_name;
  }
  options.transform = transform_.function;
  options.known = this;
  return std::make_shared<InformerSource>(*pool_, fifo_, scope, namespace_name, std::move(source), std::move(options),
                                          [this, scope](const Error& error) { OnSourceError(scope, error); });
}

std::vector<std::shared_ptr<InformerSource>> InformerCore::Sources() const {
  std::vector<std::shared_ptr<InformerSource>> sources;
  const MutexLock lock(mutex_);
  for (const auto& [number, scope] : scopes_) {
    if (!scope.retired) sources.push_back(scope.source);
  }
  return sources;
}

void InformerCore::Start() {
  {
    const MutexLock lock(mutex_);
    if (running_) return;
    running_ = true;
    if (!started_) {
      started_ = true;
      if (everything_) {
        scopes_[0].source = MakeSource(0, "", everything_);
      } else {
        for (const std::string& name : namespaces_) {
          const int number = ++last_scope_;
          scopes_[number].source = MakeSource(number, name, make_(name));
        }
      }
    }
  }
  pool_->Start();  // whoever starts an informer by itself need not have started its factory
  for (const auto& source : Sources()) source->Start();
  // Of no namespace at all, it is synced already.
  cache_tasks_.Post([this] { PublishProgress({}); });
}

void InformerCore::Stop() {
  {
    const MutexLock lock(mutex_);
    running_ = false;
  }
  for (const auto& source : Sources()) source->Stop();
}

Result<void> InformerCore::SetNamespaces(std::vector<std::string> namespaces) {
  if (!make_) {
    return Error{
        .code = ErrorCode::kFailedPrecondition,
        .message = name() + ": its namespaces are fixed; give InformerOptions::namespaces to have them changed"};
  }
  if (std::find(namespaces.begin(), namespaces.end(), "") != namespaces.end()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = name() + ": \"\" is no namespace"};
  }
  std::vector<std::shared_ptr<InformerSource>> begun;
  std::vector<std::shared_ptr<InformerSource>> ended;
  bool running = false;
  {
    const MutexLock lock(mutex_);
    namespaces_ = Distinct(std::move(namespaces));
    if (!started_) return {};
    running = running_;
    const auto wanted = [&](const std::string& name) KINFORMER_REQUIRES(mutex_) {
      return std::find(namespaces_.begin(), namespaces_.end(), name) != namespaces_.end();
    };
    std::vector<std::string> watched;
    for (auto& [number, scope] : scopes_) {
      if (scope.retired) continue;
      if (wanted(scope.source->namespace_name())) {
        watched.push_back(scope.source->namespace_name());
      } else {
        scope.retired = true;
        ended.push_back(scope.source);
      }
    }
    for (const std::string& name : namespaces_) {
      if (std::find(watched.begin(), watched.end(), name) != watched.end()) continue;
      const int number = ++last_scope_;
      scopes_[number].source = MakeSource(number, name, make_(name));
      begun.push_back(scopes_[number].source);
    }
  }
  for (const auto& source : ended) source->Retire();
  if (running) {
    for (const auto& source : begun) source->Start();
    // A Stop in between has not seen them run.
    const bool stopped = [&] {
      const MutexLock lock(mutex_);
      return !running_;
    }();
    if (stopped) {
      for (const auto& source : begun) source->Stop();
    }
  }
  changed_.NotifyAll();
  return {};
}

Result<void> InformerCore::SetTransform(NamedTransform transform) {
  const MutexLock lock(mutex_);
  if (started_) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = name() + " has been started: objects that it has were stored without the transform"};
  }
  transform_ = std::move(transform);
  return {};
}

std::string InformerCore::TransformName() const {
  const MutexLock lock(mutex_);
  return transform_.name;
}

void InformerCore::SetWatchErrorHandler(std::function<void(const Error&)> on_error) {
  const MutexLock lock(mutex_);
  on_error_.swap(on_error);
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

void InformerCore::OnSourceError(int scope, const Error& error) {
  {
    const MutexLock lock(mutex_);
    const auto it = scopes_.find(scope);
    if (it != scopes_.end() && !it->second.synced) it->second.error = error;
  }
  OnError(error);
}

void InformerCore::OnError(const Error& error) {
  std::function<void(const Error&)> on_error;
  {
    const MutexLock lock(mutex_);
    last_error_ = error;
    on_error = on_error_;
  }
  changed_.NotifyAll();
  if (on_error) on_error(error);
}

void InformerCore::Process() {
  std::vector<Delta> batch = fifo_.TakeBatch();
  if (batch.empty()) return;
  DropRetired(batch);
  if (!batch.empty()) {
    switch (batch.front().kind) {
      case Delta::Kind::kReplaceAll:
      case Delta::Kind::kForget:
        ApplyReplace(batch.front());
        break;
      case Delta::Kind::kResync:
        ApplyResync();
        break;
      default:
        processor_.Distribute(applier_.Apply(batch));
    }
  }
  fifo_.BatchDone();
  PublishProgress(batch);
  batch.clear();
  // A turn each, so that a busy informer leaves the pool to the others; the turn that finds nothing is the last.
  cache_tasks_.Post([this] { Process(); });
}

void InformerCore::DropRetired(std::vector<Delta>& batch) const {
  const MutexLock lock(mutex_);
  std::erase_if(batch, [&](const Delta& delta) KINFORMER_REQUIRES(mutex_) {
    if (delta.kind == Delta::Kind::kResync || delta.kind == Delta::Kind::kForget) return false;
    const auto it = scopes_.find(delta.scope);
    return it == scopes_.end() || it->second.retired;
  });
}

void InformerCore::ApplyReplace(Delta& delta) {
  std::shared_ptr<InformerSource> source;
  bool initial = false;
  {
    const MutexLock lock(mutex_);
    const Scope& scope = scopes_.at(delta.scope);
    source = scope.source;
    initial = !scope.synced;
    // The namespace came back meanwhile, and its new list has been applied already: what is there now is not ours.
    const bool taken_over = std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& entry) {
      const Scope& other = entry.second;
      return other.source != source && !other.retired && other.synced &&
             other.source->namespace_name() == source->namespace_name();
    });
    if (delta.kind == Delta::Kind::kForget && taken_over) return;
  }
  processor_.Distribute(
      applier_.Replace(source->namespace_name(), std::move(delta.objects), delta.resource_version, initial));
}

void InformerCore::ApplyResync() {
  if (!processor_.BeginResync(clock_->Now())) return;
  processor_.Distribute(applier_.Resync());
  processor_.EndResync();
}

void InformerCore::PublishProgress(const std::vector<Delta>& batch) {
  bool first = false;
  std::shared_ptr<InformerSource> forgotten;  // goes after the lock has
  {
    const MutexLock lock(mutex_);
    for (const Delta& delta : batch) {
      const auto it = scopes_.find(delta.scope);
      if (it == scopes_.end()) continue;  // a resync, which is of nobody
      Scope& scope = it->second;
      if (delta.kind == Delta::Kind::kForget) {
        forgotten = std::move(scope.source);
        scopes_.erase(it);
        continue;
      }
      if (!delta.resource_version.empty()) {
        scope.resource_version = delta.resource_version;
      } else if (delta.object && !delta.object->ResourceVersion().empty()) {
        scope.resource_version = delta.object->ResourceVersion();
      }
      if (!scope.synced && fifo_.HasSynced(delta.scope)) {
        scope.synced = true;
        scope.error.reset();
        // What the others have met is still true.
        if (AllSynced()) last_error_.reset();
      }
    }
    first = !handlers_synced_ && started_ && AllSynced();
    if (first) handlers_synced_ = true;
  }
  if (first) {
    processor_.MarkSynced();
    ScheduleResync();
  }
  changed_.NotifyAll();
}

bool InformerCore::AllSynced() const {
  return started_ && std::all_of(scopes_.begin(), scopes_.end(),
                                 [](const auto& entry) { return entry.second.synced || entry.second.retired; });
}

const std::optional<Error>& InformerCore::WhyNotSynced() const {
  for (const auto& [number, scope] : scopes_) {
    if (!scope.retired && !scope.synced && scope.error) return scope.error;
  }
  return last_error_;
}

bool InformerCore::ReachedVersion(const std::string& version, const std::string& namespace_name) const {
  if (everything_) return IsAtLeast(indexer_->ResourceVersion(), version);
  return started_ && std::all_of(scopes_.begin(), scopes_.end(), [&](const auto& entry) {
           const Scope& scope = entry.second;
           const bool counts =
               !scope.retired && (namespace_name.empty() || scope.source->namespace_name() == namespace_name);
           return !counts || (scope.synced && IsAtLeast(scope.resource_version, version));
         });
}

std::string InformerCore::OldestVersion() const {
  if (everything_) return indexer_->ResourceVersion();
  std::optional<std::string> oldest;
  for (const auto& [number, scope] : scopes_) {
    if (scope.retired) continue;
    if (!scope.synced) return "";
    if (!oldest || !IsAtLeast(scope.resource_version, *oldest)) oldest = scope.resource_version;
  }
  return oldest.value_or("");
}

std::string InformerCore::ResourceVersion() const {
  const MutexLock lock(mutex_);
  return OldestVersion();
}

void InformerCore::ScheduleResync() {
  const std::optional<TimePoint> next = processor_.NextResync();
  const bool begun = [&] {
    const MutexLock lock(mutex_);
    return handlers_synced_;
  }();
  if (!next || !begun || (resync_at_ && *resync_at_ <= *next)) return;
  resync_at_ = next;
  cache_tasks_.PostAt(*next, [this] { OnResyncTimer(); });
}

void InformerCore::OnResyncTimer() {
  resync_at_.reset();
  // Through the queue, behind what is in it: a resync never shows an object older than an event that has arrived.
  const auto sources = Sources();
  const bool watching = std::any_of(sources.begin(), sources.end(), [](const auto& source) {
    return source->Status().phase == ReflectorPhase::kWatching;
  });
  if (watching) fifo_.Resync();
  ScheduleResync();
}

bool InformerCore::HasSynced() const {
  const MutexLock lock(mutex_);
  return AllSynced();
}

Result<void> InformerCore::WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  if (changed_.Wait(lock, *clock_, deadline, stop, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return AllSynced(); })) {
    return {};
  }
  if (stop.stop_requested()) return StoppedWaiting();
  if (const std::optional<Error>& why = WhyNotSynced()) return Annotate(*why, name() + " not synced");
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = name() + " not synced in time" + (running_ ? "" : ": it is not started")};
}

Result<void> InformerCore::WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                                  std::optional<TimePoint> deadline,
                                                  const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  if (changed_.Wait(lock, *clock_, deadline, stop,
                    [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return ReachedVersion(version, namespace_name); })) {
    return {};
  }
  if (stop.stop_requested()) return StoppedWaiting();
  return Error{
      .code = ErrorCode::kDeadlineExceeded,
      .message = name() + ": the cache did not reach version " + version + " in time; it is at " + OldestVersion()};
}

InformerStatus InformerCore::Status() const {
  InformerStatus status{.objects = indexer_->Size(), .queued = fifo_.Depth(), .handlers = processor_.Statuses()};
  int urgency = 0;
  for (const auto& source : Sources()) {
    const ReflectorStatus reflector = source->Status();
    if (Urgency(reflector.phase) > urgency) {
      urgency = Urgency(reflector.phase);
      status.state = StateOf(reflector.phase);
    }
    if (reflector.last_heard && (!status.last_heard || *reflector.last_heard > *status.last_heard)) {
      status.last_heard = reflector.last_heard;
    }
    status.lists += reflector.lists;
    status.watches += reflector.watches;
    status.listed += reflector.listed_objects;
    status.listed_bytes += reflector.listed_bytes;
    if (reflector.remaining_objects) {
      status.remaining = status.remaining.value_or(0) + *reflector.remaining_objects;
    }
  }
  const MutexLock lock(mutex_);
  status.resource_version = OldestVersion();
  status.synced = AllSynced();
  status.last_error = last_error_;
  return status;
}

}  // namespace kinformer::internal
