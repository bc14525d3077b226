#include <kinformer/informer/shared_informer_factory.h>

#include <utility>
#include <vector>

#include <kinformer/base/mutex.h>
#include <kinformer/base/task_pool.h>

#include "src/client/http_lister_watcher.h"
#include "src/informer/informer_core.h"

namespace kinformer {
namespace {

using internal::InformerCore;

/// Two informers with the same key and transform are one.
std::string KeyOf(const Resource& resource, const InformerOptions& options) {
  std::string key;
  for (const std::string& part :
       {ToString(resource.gvr), options.namespace_name, options.label_selector, options.field_selector,
        options.tweak.name, std::string(options.metadata_only ? "m" : ""),
        std::string(options.keep_managed_fields ? "f" : ""), std::string(options.streaming_lists ? "s" : "")}) {
    key += part;
    key += '\0';
  }
  return key;
}

std::string NameOf(const Resource& resource, const InformerOptions& options) {
  std::string name = resource.gvr.resource;
  if (!resource.gvr.group.empty()) name += "." + resource.gvr.group;
  if (!options.namespace_name.empty()) name += " in " + options.namespace_name;
  if (!options.label_selector.empty()) name += " with " + options.label_selector;
  if (!options.field_selector.empty()) name += " where " + options.field_selector;
  return name;
}

std::shared_ptr<internal::HttpListerWatcher> MakeSource(const Client& client, const Resource& resource,
                                                        const InformerOptions& informer,
                                                        const std::string& namespace_name) {
  return internal::MakeHttpListerWatcher(client, resource,
                                         {.namespace_name = namespace_name,
                                          .label_selector = informer.label_selector,
                                          .field_selector = informer.field_selector,
                                          .metadata_only = informer.metadata_only,
                                          .keep_managed_fields = informer.keep_managed_fields,
                                          .tweak_list = informer.tweak.list,
                                          .tweak_watch = informer.tweak.watch});
}

}  // namespace

struct SharedInformerFactory::Impl : std::enable_shared_from_this<Impl> {
  Impl(Client c, FactoryOptions o)
      : client(std::move(c)),
        options(std::move(o)),
        pool(std::make_shared<TaskPool>(
            TaskPoolOptions{.threads = options.threads, .clock = options.clock, .logger = options.logger})) {}

  std::shared_ptr<InformerCore> Make(const Resource& resource, const InformerOptions& informer) {
    auto source = MakeSource(client, resource, informer, informer.namespace_name);
    internal::ReflectorOptions reflector{.name = NameOf(resource, informer),
                                         .expected = source->ExpectedKind(),
                                         .expected_namespace = source->ExpectedNamespace(),
                                         .transform = informer.transform.function,
                                         .backoff = informer.backoff.value_or(options.backoff),
                                         .streaming_lists = informer.streaming_lists,
                                         .logger = options.logger};
    internal::InformerCoreOptions core_options{.reflector = std::move(reflector),
                                               .resync = informer.resync.value_or(options.resync),
                                               .on_error = informer.on_error,
                                               .transform_name = informer.transform.name,
                                               .logger = options.logger};
    std::unique_ptr<InformerCore> core;
    if (informer.namespaces) {
      // By value: the informer may outlive this factory.
      auto make = [client = client, resource, informer](const std::string& namespace_name) {
        return MakeSource(client, resource, informer, namespace_name);
      };
      core = std::make_unique<InformerCore>(pool, std::move(make), *informer.namespaces, std::move(core_options));
    } else {
      core = std::make_unique<InformerCore>(pool, std::move(source), std::move(core_options));
    }
    // The last handle may go on a thread of the informer's own, which cannot wait for itself: others do it then.
    return std::shared_ptr<InformerCore>(core.release(), [weak = weak_from_this()](InformerCore* last) {
      std::unique_ptr<InformerCore> owned(last);
      if (!owned->OnOwnThread()) return;
      if (const auto self = weak.lock()) self->Bury(std::move(owned));
    });
  }

  void Bury(std::unique_ptr<InformerCore> core) {
    {
      const MutexLock lock(mutex);
      graveyard.push_back(std::move(core));
    }
    pool->Post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->EmptyGraveyard();
    });
  }

  void EmptyGraveyard() {
    std::vector<std::unique_ptr<InformerCore>> dead;
    const MutexLock lock(mutex);
    dead.swap(graveyard);
  }

  std::vector<std::shared_ptr<InformerCore>> Alive() {
    std::vector<std::shared_ptr<InformerCore>> alive;
    const MutexLock lock(mutex);
    std::erase_if(informers, [&](const Entry& entry) {
      auto core = entry.informer.lock();
      if (!core) return true;
      alive.push_back(std::move(core));
      return false;
    });
    return alive;
  }

  struct Entry {
    /// Empty: for nobody else.
    std::string key{};
    std::weak_ptr<InformerCore> informer{};
  };

  const Client client;
  const FactoryOptions options;
  const std::shared_ptr<TaskPool> pool;
  Mutex mutex;
  bool shut_down KINFORMER_GUARDED_BY(mutex) = false;
  std::vector<Entry> informers KINFORMER_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<InformerCore>> graveyard KINFORMER_GUARDED_BY(mutex);
};

SharedInformerFactory::SharedInformerFactory(Client client, FactoryOptions options)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(options))) {}

SharedInformerFactory::~SharedInformerFactory() { (void)Shutdown(); }

SharedInformer SharedInformerFactory::ForResource(const Resource& resource, const InformerOptions& options) {
  InformerOptions used = options;
  if (used.namespaces) {
    used.namespace_name.clear();
  } else if (used.namespace_name.empty() && resource.scope == Scope::kNamespaced) {
    used.namespace_name = impl_->options.namespace_name;
  }
  if (!used.transform.function) used.transform = impl_->options.transform;
  if (used.tweak.name.empty() && !used.tweak.list && !used.tweak.watch) used.tweak = impl_->options.tweak;
  const std::string key = used.namespaces ? std::string() : KeyOf(resource, used);
  const MutexLock lock(impl_->mutex);
  for (const Impl::Entry& entry : impl_->informers) {
    if (key.empty() || entry.key != key) continue;
    std::shared_ptr<InformerCore> core = entry.informer.lock();
    if (core && core->TransformName() == used.transform.name) return SharedInformer(std::move(core));
  }
  std::erase_if(impl_->informers, [](const Impl::Entry& entry) { return entry.informer.expired(); });
  std::shared_ptr<InformerCore> core = impl_->Make(resource, used);
  impl_->informers.push_back({key, core});
  return SharedInformer(std::move(core));
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
  const TimePoint deadline = impl_->options.clock->Now() + timeout;
  for (const auto& core : impl_->Alive()) {
    if (Result<void> synced = core->WaitForSync(deadline, stop); !synced) return synced;
  }
  return {};
}

Result<void> SharedInformerFactory::Shutdown() {
  const auto alive = impl_->Alive();
  for (const auto& core : alive) {
    if (core->OnOwnThread()) {
      return Error{.code = ErrorCode::kFailedPrecondition,
                   .message = "a factory cannot be shut down from one of its own handlers: it would wait for itself"};
    }
  }
  {
    const MutexLock lock(impl_->mutex);
    impl_->shut_down = true;
  }
  for (const auto& core : alive) core->ShutDown();
  impl_->EmptyGraveyard();
  impl_->pool->Stop();
  return {};
}

std::size_t SharedInformerFactory::Size() const { return impl_->Alive().size(); }

}  // namespace kinformer
