#include <kinformer/informer/shared_informer.h>

#include <optional>
#include <utility>

#include "src/base/mutex.h"
#include "src/informer/informer_core.h"

namespace kinformer {
InformerRegistration::InformerRegistration(std::shared_ptr<internal::InformerCore> core, HandlerRegistration handler)
    : core_(std::move(core)), handler_(std::move(handler)) {}
InformerRegistration::InformerRegistration(InformerRegistration&&) noexcept = default;
InformerRegistration::~InformerRegistration() = default;

InformerRegistration& InformerRegistration::operator=(InformerRegistration&& other) noexcept {
  if (this != &other) {
    handler_ = std::move(other.handler_);
    core_ = std::move(other.core_);
  }
  return *this;
}

void InformerRegistration::Remove() {
  handler_.Remove();
  std::shared_ptr<internal::InformerCore> core;  // Released after the lock.
  {
    // Several threads may call Remove at the same time. The lock is held only for a swap, so one for all is enough.
    static Mutex mutex;
    const MutexLock lock(mutex);
    core.swap(core_);
  }
}

SharedInformer::SharedInformer(std::shared_ptr<internal::InformerCore> core) : core_(std::move(core)) {}

Result<InformerRegistration> SharedInformer::AddEventHandler(EventHandler handler,
                                                             const HandlerOptions& options) const {
  Result<std::shared_ptr<internal::ProcessorListener>> listener = core_->AddEventHandler(std::move(handler), options);
  if (!listener) return Annotate(std::move(listener).error(), core_->name());
  return InformerRegistration(core_, HandlerRegistration(*std::move(listener)));
}

Result<void> SharedInformer::AddIndexer(std::string name, IndexFunction function) const {
  const std::shared_ptr<internal::InformerCore> core = core_;  // The function may drop this handle.
  return core->indexer()->AddIndexer(std::move(name), std::move(function));
}

Lister SharedInformer::Lister() const {
  // Shares ownership of the informer, not just of the cache: it must keep following the server while it is read.
  return kinformer::Lister(std::shared_ptr<const Indexer>(core_, core_->indexer().get()));
}

void SharedInformer::Start() const { std::shared_ptr(core_)->Start(); }

void SharedInformer::Stop() const { std::shared_ptr(core_)->Stop(); }

bool SharedInformer::HasSynced() const { return core_->HasSynced(); }

Result<void> SharedInformer::WaitForCacheSync(Duration timeout, const std::stop_token& stop) const {
  return core_->WaitForSync(core_->clock().After(timeout), stop);
}

Result<void> SharedInformer::SetNamespaces(std::vector<std::string> namespaces) const {
  return std::shared_ptr(core_)->SetNamespaces(std::move(namespaces));
}

Result<void> SharedInformer::SetTransform(NamedTransform transform) const {
  return std::shared_ptr(core_)->SetTransform(std::move(transform));
}

void SharedInformer::SetWatchErrorHandler(std::function<void(const Error&)> on_error) const {
  std::shared_ptr(core_)->SetWatchErrorHandler(std::move(on_error));
}

std::string SharedInformer::LastSyncResourceVersion() const { return core_->ResourceVersion(); }

Result<void> SharedInformer::WaitForResourceVersion(const std::string& version, Duration timeout,
                                                    const std::stop_token& stop) const {
  return WaitForResourceVersion(version, std::string(), timeout, stop);
}

Result<void> SharedInformer::WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                                    Duration timeout, const std::stop_token& stop) const {
  return core_->WaitForResourceVersion(version, namespace_name, core_->clock().After(timeout), stop);
}

InformerStatus SharedInformer::Status() const { return core_->Status(); }

bool SharedInformer::OnOwnThread() const { return core_->OnOwnThread(); }

const std::string& SharedInformer::Name() const& { return core_->name(); }

}  // namespace kinformer
