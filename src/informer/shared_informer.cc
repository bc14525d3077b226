#include <kinformer/informer/shared_informer.h>

#include <optional>
#include <utility>

#include "src/informer/informer_core.h"

namespace kinformer {
namespace {

/// A timeout so long that the clock would overflow is none.
std::optional<TimePoint> DeadlineOf(const Clock& clock, Duration timeout) {
  const TimePoint now = clock.Now();
  if (timeout >= TimePoint::max() - now) return std::nullopt;
  return now + timeout;
}

}  // namespace

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
  core_.reset();
}

SharedInformer::SharedInformer(std::shared_ptr<internal::InformerCore> core) : core_(std::move(core)) {}

InformerRegistration SharedInformer::AddEventHandler(EventHandler handler, const HandlerOptions& options) const {
  Result<std::shared_ptr<internal::ProcessorListener>> listener = core_->AddEventHandler(std::move(handler), options);
  if (!listener) return {};
  return InformerRegistration(core_, HandlerRegistration(*std::move(listener)));
}

Result<void> SharedInformer::AddIndexer(std::string name, IndexFunction function) const {
  return core_->indexer()->AddIndexer(std::move(name), std::move(function));
}

Lister SharedInformer::Lister() const { return kinformer::Lister(core_->indexer()); }

void SharedInformer::Start() const { core_->Start(); }

void SharedInformer::Stop() const { core_->Stop(); }

bool SharedInformer::HasSynced() const { return core_->HasSynced(); }

Result<void> SharedInformer::WaitForCacheSync(Duration timeout, const std::stop_token& stop) const {
  return core_->WaitForSync(DeadlineOf(core_->clock(), timeout), stop);
}

Result<void> SharedInformer::SetNamespaces(std::vector<std::string> namespaces) const {
  return core_->SetNamespaces(std::move(namespaces));
}

Result<void> SharedInformer::SetTransform(NamedTransform transform) const {
  return core_->SetTransform(std::move(transform));
}

void SharedInformer::SetWatchErrorHandler(std::function<void(const Error&)> on_error) const {
  core_->SetWatchErrorHandler(std::move(on_error));
}

std::string SharedInformer::LastSyncResourceVersion() const { return core_->ResourceVersion(); }

Result<void> SharedInformer::WaitForResourceVersion(const std::string& version, Duration timeout,
                                                    const std::stop_token& stop,
                                                    const std::string& namespace_name) const {
  return core_->WaitForResourceVersion(version, namespace_name, DeadlineOf(core_->clock(), timeout), stop);
}

InformerStatus SharedInformer::Status() const { return core_->Status(); }

bool SharedInformer::OnOwnThread() const { return core_->OnOwnThread(); }

const std::string& SharedInformer::Name() const { return core_->name(); }

}  // namespace kinformer
