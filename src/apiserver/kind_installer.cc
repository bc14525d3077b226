#include "src/apiserver/kind_installer.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/cacher/object_text.h"
#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/storage/storage_lister_watcher.h"
#include "src/apiserver/storage/undecorated_storage.h"

namespace kinformer::apiserver {
namespace {

/// Filling empty caches takes milliseconds; this is for machines that are very busy.
constexpr std::chrono::seconds kReadyTimeout{30};
constexpr std::chrono::seconds kDrainTimeout{3};
constexpr std::chrono::microseconds kPoll{200};

/// On the machine's clock whatever the server's is: it waits for threads that are running. False: not in time.
template <typename Condition>
bool Await(std::chrono::seconds timeout, const std::stop_token& stop, Condition condition) {
  const auto give_up = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (stop.stop_requested() || std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
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
  // On a clock that a test moves, nobody's processor time goes by.
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
    if (Await(kReadyTimeout, stop, [&] { return cacher->Ready().ok(); })) continue;
    if (Result<void> ready = cacher->Ready(); !ready) return ready;
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

Result<std::shared_ptr<ObjectStorage>> KindInstaller::Open(const ServedKind& kind, const std::stop_token& stop) {
  std::shared_ptr<ObjectStorage> storage = Make(kind);
  if (const auto cacher = std::dynamic_pointer_cast<Cacher>(storage)) cacher->Start();
  if (Await(kReadyTimeout, stop, [&] { return storage->Ready().ok(); })) return storage;
  Result<void> ready = storage->Ready();
  Close(storage);
  if (!ready) return std::move(ready).error();
  return Error{.code = ErrorCode::kCancelled, .message = "the server ends"};
}

void KindInstaller::Drain(const std::shared_ptr<ObjectStorage>& storage, const std::stop_token& stop) {
  const auto cacher = std::dynamic_pointer_cast<Cacher>(storage);
  if (cacher == nullptr || !cacher->Ready()) return;
  // A list of what is newest returns when the cache knows of all that was written; then its watchers must be told.
  const Result<ListResult> newest = cacher->List({}, stop);
  if (!newest) return;
  const Revision revision = ParseRevision(newest->resource_version).value_or(0);
  (void)Await(kDrainTimeout, stop, [&] { return cacher->Status().dispatcher.revision >= revision; });
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
  // The table holds the stores, not they the table.
  context.find_namespace = [resources = std::weak_ptr(options_.resources)](
                               const std::string& name, const std::stop_token& stop) -> Result<ObjectPtr> {
    const auto table = resources.lock();
    if (table == nullptr) return Error{.code = ErrorCode::kCancelled, .message = "the server ends"};
    return FindNamespace(*table, name, stop);
  };
  options_.resources->Install(std::make_shared<ResourceStore>(kind, kind.Seen(std::move(storage)), std::move(context)));
}

void KindInstaller::Remove(const GroupVersionResource& resource) { options_.resources->Remove(resource); }

void KindInstaller::KindsChanged() {
  if (options_.on_kinds_changed) options_.on_kinds_changed();
}

}  // namespace kinformer::apiserver
