#include "src/apiserver/kind_installer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/listwatch/storage/storage_lister_watcher.h"
#include "src/listwatch/storage/undecorated_storage.h"

namespace kinformer::apiserver {
namespace {

/// Generous, for overloaded machines: filling an empty cache takes milliseconds.
constexpr std::chrono::seconds kReadyTimeout{30};
constexpr std::chrono::seconds kDrainTimeout{3};
/// If the storage is unavailable, all caches report the same reason.
constexpr std::size_t kMaxReasons = 3;

/// Waits in real time, even if the server has a simulated clock: it waits for running threads. False on timeout or
/// stop.
bool AwaitFilled(const Cacher& cacher, const std::stop_token& stop) {
  const Clock& clock = *Clock::System();
  return cacher.AwaitReady(clock, clock.Now() + kReadyTimeout, stop);
}

Result<ObjectPtr> FindNamespace(const ResourceTable& resources, const std::string& name, const std::stop_token& stop) {
  const auto namespaces = resources.Find({"", "v1", "namespaces"});
  if (namespaces == nullptr) return ObjectPtr();
  Result<ObjectPtr> found = namespaces->storage().Get("", name, "", stop);
  if (!found && IsNotFound(found.error())) return ObjectPtr();
  return found;
}

}  // namespace

std::shared_ptr<ObjectStorage> KindInstaller::Make(const ServedKind& kind) {
  auto storage = std::make_shared<UndecoratedStorage>(options_.backend, kind.ForStorage(), *options_.pool);
  if (!options_.watch_cache || !kind.cached) return storage;
  CacherOptions options{.logger = options_.logger};
  // CPU time does not pass on a simulated clock: do not pause to coalesce events.
  if (options_.clock != Clock::System()) options.dispatcher.cost_per_watcher = {};
  auto cacher = std::make_shared<Cacher>(
      options_.pool, std::make_shared<StorageListerWatcher>(options_.backend, kind.ForStorage(), *options_.pool),
      std::move(storage), BackendProgress::Of(*options_.backend), std::move(options));
  {
    const MutexLock lock(mutex_);
    cachers_.push_back(cacher);
  }
  return cacher;
}

Result<void> KindInstaller::StartCaches(const std::stop_token& stop) const {
  for (const auto& cacher : cachers()) cacher->Start();
  for (const auto& cacher : cachers()) {
    if (AwaitFilled(*cacher, stop)) continue;
    Result<void> ready = cacher->Following();
    if (!ready) {
      return Annotate(std::move(ready).error(), "filling the watch cache of " + ToString(cacher->options().resource));
    }
  }
  return {};
}

void KindInstaller::Stop() {
  std::vector<std::shared_ptr<Cacher>> cachers;
  {
    const MutexLock lock(mutex_);
    cachers.swap(cachers_);
  }
  for (const auto& cacher : cachers) cacher->Stop();
}

std::vector<std::shared_ptr<Cacher>> KindInstaller::cachers() const {
  const MutexLock lock(mutex_);
  return cachers_;
}

Result<void> KindInstaller::CheckCaches() const {
  std::size_t failed = 0;
  std::string reasons;
  for (const auto& cacher : cachers()) {
    // First fill: its definition was just created, and its kind is not served yet.
    if (!cacher->HasBeenFilled()) continue;
    const Result<void> following = cacher->Following();
    if (following || ++failed > kMaxReasons) continue;
    reasons += (reasons.empty() ? "" : "; ") + ToString(cacher->options().resource) + ": " + following.error().message;
  }
  if (failed == 0) return {};
  if (failed > kMaxReasons) reasons += "; and " + std::to_string(failed - kMaxReasons) + " more";
  return Error{.code = ErrorCode::kFailedPrecondition, .message = "watch cache of " + reasons};
}

Result<std::shared_ptr<ObjectStorage>> KindInstaller::Open(const ServedKind& kind, const std::stop_token& stop) {
  std::shared_ptr<ObjectStorage> storage = Make(kind);
  const auto cacher = std::dynamic_pointer_cast<Cacher>(storage);
  if (cacher == nullptr) return storage;
  cacher->Start();
  if (AwaitFilled(*cacher, stop)) return storage;
  Result<void> ready = storage->Ready();
  Close(storage);
  if (!ready) return std::move(ready).error();
  return Error{.code = ErrorCode::kCancelled, .message = "the server is shutting down"};
}

void KindInstaller::Drain(const std::shared_ptr<ObjectStorage>& storage, const std::stop_token& stop) {
  const auto cacher = std::dynamic_pointer_cast<Cacher>(storage);
  if (cacher == nullptr) return;
  // In real time, as AwaitFilled.
  const Clock& clock = *Clock::System();
  cacher->AwaitDispatched(clock, clock.Now() + kDrainTimeout, stop);
}

void KindInstaller::Close(const std::shared_ptr<ObjectStorage>& storage) {
  const auto cacher = std::dynamic_pointer_cast<Cacher>(storage);
  if (cacher == nullptr) return;
  {
    const MutexLock lock(mutex_);
    std::erase(cachers_, cacher);
  }
  cacher->Stop();
}

void KindInstaller::Install(const ServedKind& kind, std::shared_ptr<ObjectStorage> storage) {
  RegistryContext context{.clock = options_.clock};
  // Weak: the table owns the stores.
  context.find_namespace = [resources = std::weak_ptr(options_.resources)](
                               const std::string& name, const std::stop_token& stop) -> Result<ObjectPtr> {
    const auto table = resources.lock();
    if (table == nullptr) return Error{.code = ErrorCode::kCancelled, .message = "the server is shutting down"};
    return FindNamespace(*table, name, stop);
  };
  options_.resources->Install(std::make_shared<ResourceStore>(kind, kind.Seen(std::move(storage)), std::move(context)));
}

void KindInstaller::Remove(const GroupVersionResource& resource) { options_.resources->Remove(resource); }

void KindInstaller::KindsChanged() {
  if (options_.on_kinds_changed) options_.on_kinds_changed();
}

}  // namespace kinformer::apiserver
