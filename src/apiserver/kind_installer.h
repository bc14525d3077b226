#ifndef KINFORMER_SRC_APISERVER_KIND_INSTALLER_H_
#define KINFORMER_SRC_APISERVER_KIND_INSTALLER_H_

// In:     kinds: those that every server has, and those that users define
// Out:    each with its storage, its watch cache and its rules among what is served
// Thread: any
// Next:   ResourceTable

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>
#include <kinformer/base/task_pool.h>

#include "src/apiserver/cacher/cacher.h"
#include "src/apiserver/crd/kind_host.h"
#include "src/apiserver/endpoints/resource_table.h"
#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct KindInstallerOptions {
  std::shared_ptr<TaskPool> pool{};
  std::shared_ptr<Backend> backend{};
  /// Of the resources that are served; lives as long as the stores in it.
  std::shared_ptr<ResourceTable> resources{};
  bool watch_cache = true;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
  /// After a kind has come or gone; may be unset.
  std::function<void()> on_kinds_changed{};
};

/// Builds what serves a kind.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class KindInstaller final : public KindHost {
 public:
  explicit KindInstaller(KindInstallerOptions options) : options_(std::move(options)) {}

  /// A storage whose cache nobody fills yet: writes are taken already.
  std::shared_ptr<ObjectStorage> Make(const ServedKind& kind);
  /// Fills the caches of all those. Once.
  Result<void> StartCaches(const std::stop_token& stop) const;
  /// Ends all caches.
  void Stop();
  std::vector<std::shared_ptr<Cacher>> cachers() const;

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
