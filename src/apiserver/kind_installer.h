#ifndef KINFORMER_SRC_APISERVER_KIND_INSTALLER_H_
#define KINFORMER_SRC_APISERVER_KIND_INSTALLER_H_

// In:     kinds: built-in and user-defined
// Out:    for each kind its storage, watch cache and rules, added to the served resources
// Thread: any
// Next:   ResourceTable

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/crd/kind_host.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/base/mutex.h"
#include "src/base/task_pool.h"
#include "src/listwatch/cacher/cacher.h"
#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

struct KindInstallerOptions {
  std::shared_ptr<TaskPool> pool{};
  std::shared_ptr<Backend> backend{};
  /// The served resources; lives as long as the stores in it.
  std::shared_ptr<ResourceTable> resources{};
  bool watch_cache = true;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// Called after a kind was added or removed; may be unset.
  std::function<void()> on_kinds_changed{};
};

/// Creates and removes the components that serve a kind.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class KindInstaller final : public KindHost {
 public:
  explicit KindInstaller(KindInstallerOptions options) : options_(std::move(options)) {}

  /// A storage whose cache is not started yet. It accepts writes already.
  std::shared_ptr<ObjectStorage> Make(const ServedKind& kind);
  /// Starts the caches of all storages made so far and waits until they are filled. Call once.
  Result<void> StartCaches(const std::stop_token& stop) const;
  /// Stops all caches.
  void Stop();
  std::vector<std::shared_ptr<Cacher>> cachers() const;
  /// Fails if caches do not follow their storage; the error names them and the reasons. Skips caches that are being
  /// filled for the first time: their kind is not served yet.
  Result<void> CheckCaches() const;

  Result<std::shared_ptr<ObjectStorage>> Open(const ServedKind& kind, const std::stop_token& stop) override;
  void Drain(const std::shared_ptr<ObjectStorage>& storage, const std::stop_token& stop) override;
  void Close(const std::shared_ptr<ObjectStorage>& storage) override;
  void Install(const ServedKind& kind, std::shared_ptr<ObjectStorage> storage) override;
  void Remove(const GroupVersionResource& resource) override;
  void KindsChanged() override;

 private:
  const KindInstallerOptions options_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Cacher>> cachers_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_KIND_INSTALLER_H_
