#include <kinformer/informer/shared_informer_factory.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/reaper.h"
#include "src/base/task_pool.h"
#include "src/client/http_lister_watcher.h"
#include "src/informer/informer_core.h"
#include "src/processor/processor_listener.h"

namespace kinformer {
namespace {

using internal::InformerCore;

/// What an informer requests from the server.
enum class Contents { kWhole, kMetadata };

/// Marks the factory's own transform or tweak if it is unnamed. Cannot collide with a user's name.
constexpr std::string_view kOfFactory{"\0factory", 8};

/// Informers with equal keys and equal transforms are shared. nullopt: never shared.
std::optional<std::string> KeyOf(const Resource& resource, const Selection& selection, const InformerOptions& options,
                                 Contents contents, const std::optional<std::string>& tweak_key) {
  if (options.namespaces || !tweak_key) return std::nullopt;
  std::string key;
  for (const std::string& part :
       {resource.gvr.group, resource.gvr.version, resource.gvr.resource, selection.namespace_name,
        selection.label_selector, selection.field_selector, *tweak_key,
        std::string(contents == Contents::kMetadata ? "m" : ""), std::string(selection.keep_managed_fields ? "f" : ""),
        std::string(options.streaming_lists ? "s" : "")}) {
    key += std::to_string(part.size()) + ':' + part;
  }
  return key;
}

bool IsSet(const NamedTweak& tweak) { return tweak.list || tweak.watch; }

/// Like TransformKeyOf.
std::optional<std::string> TweakKeyOf(const NamedTweak& tweak) {
  if (!IsSet(tweak)) return std::string();
  if (tweak.name.empty()) return std::nullopt;
  return tweak.name;
}

/// The destructor logs a warning at this interval while a callback has not returned.
constexpr std::chrono::seconds kStuckAfter{10};

std::string NameOf(const Resource& resource, const Selection& selection, Contents contents) {
  std::string name = contents == Contents::kMetadata ? "metadata of " : "";
  name += resource.gvr.resource;
  if (!resource.gvr.group.empty()) name += "." + resource.gvr.group;
  if (!selection.namespace_name.empty()) name += " in " + selection.namespace_name;
  if (!selection.label_selector.empty()) name += " with " + selection.label_selector;
  if (!selection.field_selector.empty()) name += " where " + selection.field_selector;
  return name;
}

std::shared_ptr<internal::HttpListerWatcher> MakeSource(const Client& client, const Resource& resource,
                                                        const Selection& selection, const NamedTweak& tweak,
                                                        Contents contents) {
  return internal::MakeHttpListerWatcher(
      client, resource, selection,
      {.metadata_only = contents == Contents::kMetadata, .tweak_list = tweak.list, .tweak_watch = tweak.watch});
}

}  // namespace

struct SharedInformerFactory::Impl {
  Impl(const Client& c, FactoryOptions o)
      : client(c),
        options(std::move(o)),
        pool(std::make_shared<TaskPool>(
            TaskPoolOptions{.threads = options.threads, .clock = options.clock, .logger = options.logger})) {}

  SharedInformer Find(const Resource& resource, Selection selection, InformerOptions informer, Contents contents);

  std::shared_ptr<InformerCore> Make(const Resource& resource, const Selection& selection,
                                     const InformerOptions& informer, Contents contents,
                                     std::optional<std::string> transform_key) {
    auto source = MakeSource(client, resource, selection, informer.tweak, contents);
    internal::ReflectorOptions reflector{.name = NameOf(resource, selection, contents),
                                         .expected = source->ExpectedKind(),
                                         .expected_namespace = source->ExpectedNamespace(),
                                         .transform = informer.transform.function,
                                         .backoff = informer.backoff.value_or(options.backoff),
                                         .streaming_lists = informer.streaming_lists,
                                         .logger = options.logger};
    internal::InformerCoreOptions core_options{.reflector = std::move(reflector),
                                               .resync = informer.resync.value_or(options.resync),
                                               .on_error = informer.on_error,
                                               .transform_key = std::move(transform_key),
                                               .max_queued_bytes = options.max_queued_bytes,
                                               .reaper = reaper,
                                               .logger = options.logger};
    if (!informer.namespaces) return InformerCore::Create(pool, std::move(source), std::move(core_options));
    const std::vector<std::string>& namespaces = *informer.namespaces;
    if (std::find(namespaces.begin(), namespaces.end(), "") != namespaces.end()) {
      core_options.misconfigured = internal::EmptyNamespaceError(core_options.reflector.name);
    }
    // Captured by value: the informer may outlive this factory.
    auto make = [client = client, resource, selection, tweak = informer.tweak,
                 contents](const std::string& namespace_name) {
      Selection in_namespace = selection;
      in_namespace.namespace_name = namespace_name;
      return MakeSource(client, resource, in_namespace, tweak, contents);
    };
    return InformerCore::Create(pool, std::move(make), namespaces, std::move(core_options));
  }

  std::shared_ptr<InformerCore> MakeOver(std::shared_ptr<ListerWatcher> source, const SourceOptions& informer) {
    const NamedTransform& transform = informer.transform.function ? informer.transform : options.transform;
    internal::ReflectorOptions reflector{.name = informer.name,
                                         .expected = informer.kind,
                                         .transform = transform.function,
                                         .backoff = informer.backoff.value_or(options.backoff),
                                         .logger = options.logger};
    internal::InformerCoreOptions core_options{.reflector = std::move(reflector),
                                               .resync = informer.resync.value_or(options.resync),
                                               .on_error = informer.on_error,
                                               .transform_key = std::nullopt,
                                               .max_queued_bytes = options.max_queued_bytes,
                                               .reaper = reaper,
                                               .logger = options.logger};
    if (source == nullptr) {
      core_options.misconfigured = Error{.code = ErrorCode::kInvalidArgument,
                                         .message = informer.name + ": ForSource was called without a ListerWatcher"};
    }
    return InformerCore::Create(pool, std::move(source), std::move(core_options));
  }

  /// Precondition: the lock is held.
  SharedInformer Keep(std::optional<std::string> key, std::shared_ptr<InformerCore> core) KINFORMER_REQUIRES(mutex) {
    if (shut_down) {
      core->RequestShutDown();
    } else {
      std::erase_if(informers, [](const Entry& entry) { return entry.core.expired(); });
      informers.push_back({std::move(key), core, core->weak_from_this()});
    }
    return SharedInformer(std::move(core));
  }

  bool OnOwnThread() const {
    // Includes handlers that have dropped their informer.
    return pool->RunningHere() || internal::ProcessorListener::CurrentIsOfFactory(reaper->id());
  }

  /// No callback starts after this returns. Returns the informers whose end must be awaited.
  std::vector<std::shared_ptr<InformerCore>> RequestShutDown() {
    {
      const MutexLock lock(mutex);
      shut_down = true;
    }
    auto all = All();
    for (const auto& core : all) core->RequestShutDown();
    return all;
  }

  Result<void> ShutDown(std::optional<TimePoint> deadline) {
    std::vector<std::string> running;
    for (const auto& core : RequestShutDown()) {
      for (std::string& what : core->AwaitShutDown(deadline)) running.push_back(std::move(what));
    }
    // Handlers that dropped their own informer.
    for (std::string& what : reaper->JoinAll(deadline)) running.push_back(std::move(what));
    pool->RequestStop();
    if (running.empty()) {
      pool->Stop();
      return {};
    }
    Error error{.code = ErrorCode::kDeadlineExceeded, .message = "shut down, but callbacks have not returned: "};
    for (std::size_t i = 0; i < running.size(); ++i) error.message += (i == 0 ? "" : "; ") + running[i];
    return error;
  }

  /// The informers that have handles. Returns cores, not handles: the thread that drops the last handle waits for the
  /// informer's end, and a temporary handle here could take that role from it.
  std::vector<std::shared_ptr<InformerCore>> Alive() {
    std::vector<std::shared_ptr<InformerCore>> alive;
    const MutexLock lock(mutex);
    for (const Entry& entry : informers) {
      auto core = entry.core.lock();
      if (core != nullptr && !entry.handle.expired()) alive.push_back(std::move(core));
    }
    return alive;
  }

  /// Alive(), plus informers without a handle whose callbacks have not returned.
  std::vector<std::shared_ptr<InformerCore>> All() {
    std::vector<std::shared_ptr<InformerCore>> all;
    const MutexLock lock(mutex);
    for (const Entry& entry : informers) {
      if (auto core = entry.core.lock()) all.push_back(std::move(core));
    }
    return all;
  }

  struct Entry {
    std::optional<std::string> key{};
    std::weak_ptr<InformerCore> handle{};
    std::weak_ptr<InformerCore> core{};
  };

  const Client client;
  const FactoryOptions options;
  const std::shared_ptr<TaskPool> pool;
  const std::shared_ptr<internal::Reaper> reaper = std::make_shared<internal::Reaper>();
  Mutex mutex;
  bool shut_down KINFORMER_GUARDED_BY(mutex) = false;
  /// In creation order.
  std::vector<Entry> informers KINFORMER_GUARDED_BY(mutex);
};

SharedInformerFactory::SharedInformerFactory(const Client& client, FactoryOptions options)
    : impl_(std::make_shared<Impl>(client, std::move(options))) {}

SharedInformerFactory::~SharedInformerFactory() {
  if (impl_->OnOwnThread()) {
    // The pool keeps cancelling watches and ends with the last handle.
    impl_->RequestShutDown();
    return;
  }
  for (;;) {
    const TimePoint deadline = Clock::System()->Now() + kStuckAfter;
    const Result<void> ended = impl_->ShutDown(deadline);
    // Returned before the deadline: the remaining callbacks wait for this thread and end after it.
    if (ended.ok() || Clock::System()->Now() < deadline) return;
    impl_->options.logger.Warning("informer", "~SharedInformerFactory is waiting: " + ended.error().message);
  }
}

SharedInformer SharedInformerFactory::Impl::Find(const Resource& resource, Selection selection,
                                                 InformerOptions informer, Contents contents) {
  if (informer.namespaces) {
    selection.namespace_name.clear();
  } else if (selection.namespace_name.empty() && resource.scope == Scope::kNamespaced) {
    selection.namespace_name = options.namespace_name;
  }
  std::optional<std::string> transform_key = internal::TransformKeyOf(informer.transform);
  if (!informer.transform.function && options.transform.function) {
    informer.transform = options.transform;
    transform_key = internal::TransformKeyOf(informer.transform).value_or(std::string(kOfFactory));
  }
  std::optional<std::string> tweak_key = TweakKeyOf(informer.tweak);
  if (!IsSet(informer.tweak) && IsSet(options.tweak)) {
    informer.tweak = options.tweak;
    tweak_key = TweakKeyOf(informer.tweak).value_or(std::string(kOfFactory));
  }
  std::optional<std::string> key = KeyOf(resource, selection, informer, contents, tweak_key);
  // Possibly the last reference to some of them: released after the lock.
  std::vector<std::shared_ptr<InformerCore>> looked_at;
  const MutexLock lock(mutex);
  for (const Entry& entry : informers) {
    if (!key || !transform_key || entry.key != key) continue;
    const std::shared_ptr<InformerCore>& core = looked_at.emplace_back(entry.handle.lock());
    if (core != nullptr && core->TransformKey() == transform_key) return SharedInformer(core);
  }
  return Keep(std::move(key), Make(resource, selection, informer, contents, std::move(transform_key)));
}

SharedInformer SharedInformerFactory::ForSource(std::shared_ptr<ListerWatcher> source, const SourceOptions& options) {
  std::shared_ptr<InformerCore> core = impl_->MakeOver(std::move(source), options);
  const MutexLock lock(impl_->mutex);
  return impl_->Keep(std::nullopt, std::move(core));
}

SharedInformer SharedInformerFactory::ForResource(const Resource& resource, const Selection& selection,
                                                  const InformerOptions& options) {
  return impl_->Find(resource, selection, options, Contents::kWhole);
}

SharedInformer SharedInformerFactory::ForMetadata(const Resource& resource, const Selection& selection,
                                                  const InformerOptions& options) {
  return impl_->Find(resource, selection, options, Contents::kMetadata);
}

void SharedInformerFactory::Start() {
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->shut_down) return;
  }
  impl_->pool->Start();
  for (const auto& core : impl_->Alive()) core->Start();
}

Result<void> SharedInformerFactory::WaitForCacheSync(Duration timeout, const std::stop_token& stop) {
  const std::optional<TimePoint> deadline = impl_->options.clock->After(timeout);
  for (const auto& core : impl_->Alive()) {
    if (Result<void> synced = core->WaitForSync(deadline, stop); !synced) return synced;
  }
  const MutexLock lock(impl_->mutex);
  if (impl_->shut_down && impl_->informers.empty()) {
    return Error{.code = ErrorCode::kFailedPrecondition, .message = "the factory has been shut down"};
  }
  return {};
}

Result<void> SharedInformerFactory::Shutdown(Duration timeout) {
  if (impl_->OnOwnThread()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message =
                     "a factory cannot be shut down inside a callback of one of its informers: it would wait for "
                     "itself"};
  }
  return impl_->ShutDown(Clock::System()->After(timeout));
}

std::vector<InformerInfo> SharedInformerFactory::Informers() const {
  std::vector<InformerInfo> informers;
  for (const auto& core : impl_->Alive()) informers.push_back({.name = core->name(), .status = core->Status()});
  return informers;
}

std::size_t SharedInformerFactory::Size() const { return impl_->Alive().size(); }

}  // namespace kinformer
