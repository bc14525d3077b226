#include "src/informer/informer_core.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/user_code.h"
#include "src/base/wait_graph.h"
#include "src/informer/merged_status.h"
#include "src/processor/processor_listener.h"

namespace kinformer::internal {
namespace {

/// Shutdown logs a warning at this interval while a callback has not returned.
constexpr std::chrono::seconds kStuckAfter{10};

Error WaitingInsideError(const std::string& name) {
  return Error{.code = ErrorCode::kFailedPrecondition,
               .message = name +
                          ": waiting inside on_error, a transform, a tweak or an index function would block the "
                          "threads that it waits for"};
}

}  // namespace

/// The handle that users share. Destroying it shuts the informer down; running tasks may keep the core itself alive.
struct InformerCore::Handle {
  explicit Handle(std::shared_ptr<InformerCore> c) : core(std::move(c)) {}
  ~Handle() { core->Release(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  const std::shared_ptr<InformerCore> core;
};

std::shared_ptr<InformerCore> InformerCore::MakeHandle(std::shared_ptr<InformerCore> core) {
  InformerCore* const pointer = core.get();
  return {std::make_shared<Handle>(std::move(core)), pointer};
}

std::shared_ptr<InformerCore> InformerCore::Create(std::shared_ptr<TaskPool> pool,
                                                   std::shared_ptr<ListerWatcher> source, InformerCoreOptions options) {
  return MakeHandle(std::make_shared<InformerCore>(Private(), std::move(pool), std::move(source), MakeListerWatcher(),
                                                   std::vector<std::string>(), std::move(options)));
}

std::shared_ptr<InformerCore> InformerCore::Create(std::shared_ptr<TaskPool> pool, MakeListerWatcher make,
                                                   std::vector<std::string> namespaces, InformerCoreOptions options) {
  return MakeHandle(std::make_shared<InformerCore>(Private(), std::move(pool), nullptr, std::move(make),
                                                   std::move(namespaces), std::move(options)));
}

InformerCore::InformerCore(Private, std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source,
                           MakeListerWatcher make, std::vector<std::string> namespaces, InformerCoreOptions options)
    : pool_(std::move(pool)),
      options_(std::move(options)),
      clock_(pool_->clock()),
      indexer_(std::make_shared<Indexer>([this](const Error& error) { OnCacheError(error); })),
      applier_(*indexer_),
      processor_({.clock = clock_, .logger = options_.logger, .reaper = options_.reaper}),
      on_error_(options_.on_error),
      fifo_([this] { PostToCache([](InformerCore& core) { core.Process(); }); }, options_.max_queued_bytes),
      progress_(
          {.name = options_.reflector.name,
           .cache_version = source ? [this] { return indexer_->ResourceVersion(); } : std::function<std::string()>(),
           .only_namespace = options_.reflector.expected_namespace,
           .clock = clock_}),
      sources_({.name = options_.reflector.name,
                .everything = std::move(source),
                .make = std::move(make),
                .namespaces = std::move(namespaces),
                .transform = options_.reflector.transform,
                .transform_key = options_.transform_key},
               progress_,
               [this](int scope, const std::string& name, std::shared_ptr<ListerWatcher> lister_watcher,
                      Transform transform) {
                 return MakeSource(scope, name, std::move(lister_watcher), std::move(transform));
               }),
      cache_tasks_(*pool_) {}

InformerCore::~InformerCore() { RequestShutDown(); }

void InformerCore::Release() {
  RequestShutDown();
  // Never wait in a callback on the pool: everything that shares the pool would wait too.
  if (ScopedRunner::Current() != nullptr && ProcessorListener::Current() == nullptr) return;
  for (;;) {
    const TimePoint deadline = Clock::System()->Now() + kStuckAfter;
    const std::vector<std::string> running = AwaitShutDown(deadline);
    // Returned before the deadline: the remaining callbacks wait for this thread and end after it.
    if (running.empty() || Clock::System()->Now() < deadline) return;
    for (const std::string& what : running) {
      options_.logger.Warning("informer", "informer shut down, but a callback is still running: " + what);
    }
  }
}

void InformerCore::RequestShutDown() {
  sources_.RequestShutDown();
  cache_tasks_.RequestClose();
  fifo_.Close();
  processor_.RequestStop();
}

std::vector<std::string> InformerCore::AwaitShutDown(std::optional<TimePoint> deadline) {
  std::vector<std::string> running;
  for (int source = sources_.AwaitStopped(deadline); source > 0; --source) {
    running.push_back(name() + ": a transform, a tweak or on_error");
  }
  if (!cache_tasks_.AwaitRunning(deadline)) running.push_back(name() + ": an index function or on_error");
  for (const std::string& handler : processor_.AwaitEnd(deadline)) running.push_back(name() + ": " + handler);
  return running;
}

bool InformerCore::OnOwnThread() const { return pool_->RunningHere() || processor_.RunningHere(); }

void InformerCore::PostToCache(std::function<void(InformerCore&)> task) {
  cache_tasks_.Post([weak = weak_from_this(), task = std::move(task)] {
    // May release the last reference; the task has finished by then.
    if (const std::shared_ptr<InformerCore> core = weak.lock()) task(*core);
  });
}

ObjectPtr InformerCore::Find(std::string_view namespace_name, std::string_view name) const {
  return indexer_->Get(namespace_name, name);
}

std::shared_ptr<InformerSource> InformerCore::MakeSource(int scope, const std::string& namespace_name,
                                                         std::shared_ptr<ListerWatcher> lister_watcher,
                                                         Transform transform) {
  ReflectorOptions options = options_.reflector;
  if (!namespace_name.empty()) {
    options.name += " in " + namespace_name;
    options.expected_namespace = namespace_name;
  }
  options.transform = std::move(transform);
  options.known = this;
  options.owner = weak_from_this();
  return std::make_shared<InformerSource>(*pool_, fifo_, scope, namespace_name, std::move(lister_watcher),
                                          std::move(options),
                                          [this, scope](const Error& error) { OnSourceError(scope, error); });
}

void InformerCore::Start() {
  if (options_.misconfigured) {
    options_.logger.Error("informer", ToString(*options_.misconfigured), {{"informer", name()}});
    return;
  }
  pool_->Start();  // An informer may be started without its factory.
  if (!sources_.Start()) return;
  // With no namespaces, the informer is already synced.
  PostToCache([](InformerCore& core) { core.PublishProgress({}); });
}

void InformerCore::SetWatchErrorHandler(std::function<void(const Error&)> on_error) {
  const MutexLock lock(mutex_);
  on_error_.swap(on_error);
}

Result<std::shared_ptr<ProcessorListener>> InformerCore::AddEventHandler(EventHandler handler, HandlerOptions options) {
  if (!options.resync) options.resync = options_.resync;
  Result<std::shared_ptr<ProcessorListener>> listener = processor_.Enlist(std::move(handler), options);
  if (!listener) return listener;
  // On the cache queue, between two changes: the handler gets the cache as of then, and everything after it.
  PostToCache([enlisted = *listener](InformerCore& core) {
    core.processor_.Activate(enlisted, core.indexer_->List());
    core.ArmResync();
  });
  return listener;
}

void InformerCore::OnSourceError(int scope, const Error& error) {
  progress_.OnSourceError(scope, error);
  CallErrorHandler(error);
}

void InformerCore::OnCacheError(const Error& error) {
  options_.logger.Warning("informer", ToString(error), {{"informer", name()}});
  progress_.OnCacheError(error);
  CallErrorHandler(error);
}

void InformerCore::CallErrorHandler(const Error& error) {
  std::function<void(const Error&)> on_error;
  {
    const MutexLock lock(mutex_);
    on_error = on_error_;
  }
  if (!on_error) return;
  if (const auto threw = Contain([&] { on_error(error); })) {
    options_.logger.Error("informer", "on_error threw", {{"informer", name()}, {"what", *threw}});
  }
}

struct InformerCore::NextTurn {
  InformerCore& core;
  ~NextTurn() {
    core.PostToCache([](InformerCore& next) { next.Process(); });
  }
};

void InformerCore::Process() {
  std::vector<Delta> batch = fifo_.TakeBatch();
  if (batch.empty()) return;
  // One batch per turn, so that a busy informer does not monopolize the pool; the turn that finds nothing is the last.
  // Reposts even after an exception: the queue wakes its reader only when it was empty.
  const NextTurn next{*this};
  progress_.DropRetired(batch);
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
  PublishProgress(batch);
}

void InformerCore::ApplyReplace(Delta& delta) {
  const CacheProgress::ReplacePlan plan = progress_.PlanReplace(delta.scope);
  if (delta.kind == Delta::Kind::kForget && plan.taken_over) return;
  processor_.Distribute(
      applier_.Replace(plan.namespace_name, std::move(delta.objects), delta.resource_version, plan.initial));
}

void InformerCore::ApplyResync() {
  if (!processor_.BeginResync()) return;
  processor_.Distribute(applier_.Resync());
  processor_.EndResync();
}

void InformerCore::PublishProgress(const std::vector<Delta>& batch) {
  const CacheProgress::Applied applied = progress_.OnApplied(batch);
  sources_.Discard(applied.forgotten);
  if (applied.first_sync) {
    processor_.MarkSynced();
    resync_.Begin();
    ArmResync();
  }
  progress_.Wake();  // Last: a wait for the sync returns when resyncs are scheduled.
}

void InformerCore::ArmResync() {
  const std::optional<TimePoint> timer = resync_.Arm(processor_.NextResync());
  if (!timer) return;
  cache_tasks_.PostAt(*timer, [weak = weak_from_this()] {
    if (const std::shared_ptr<InformerCore> core = weak.lock()) core->OnResyncTimer();
  });
}

void InformerCore::OnResyncTimer() {
  resync_.Fired();
  const auto sources = sources_.Sources();
  const bool watching = std::any_of(sources.begin(), sources.end(), [](const auto& source) {
    return source->Status().phase == ReflectorPhase::kWatching;
  });
  // Resyncs are skipped while not watching. A resync goes through the queue, behind pending events: it never shows an
  // object older than an event that has already arrived.
  if (processor_.TakeDueResyncs(clock_->Now(), !watching)) fifo_.Resync();
  ArmResync();
}

Result<void> InformerCore::CheckWait() const {
  if (options_.misconfigured) return *options_.misconfigured;
  if (pool_->RunningHere()) return WaitingInsideError(name());
  return {};
}

Result<void> InformerCore::WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const {
  if (Result<void> can = CheckWait(); !can) return can;
  return progress_.WaitForSync(deadline, stop);
}

Result<void> InformerCore::WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                                  std::optional<TimePoint> deadline,
                                                  const std::stop_token& stop) const {
  if (Result<void> can = CheckWait(); !can) return can;
  return progress_.WaitForResourceVersion(version, namespace_name, deadline, stop);
}

InformerStatus InformerCore::Status() const {
  std::vector<ReflectorStatus> sources;
  for (const auto& source : sources_.Sources()) sources.push_back(source->Status());
  // A source that is down reports its error at once; progress_ has it a little later.
  InformerStatus status = MergedStatus(sources);
  status.objects = indexer_->Size();
  status.queued = fifo_.Depth();
  status.queued_bytes = fifo_.Bytes();
  status.handlers = processor_.Statuses();
  progress_.Describe(status);
  if (options_.misconfigured) status.last_error = options_.misconfigured;
  return status;
}

}  // namespace kinformer::internal
