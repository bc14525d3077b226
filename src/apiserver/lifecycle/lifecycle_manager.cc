#include "src/apiserver/lifecycle/lifecycle_manager.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <kinformer/base/mutex.h>

#include "src/apiserver/lifecycle/garbage_collector.h"
#include "src/apiserver/lifecycle/namespace_cleaner.h"

namespace kinformer::apiserver {
namespace {

/// What failed is tried again after this; on the machine's clock, since it waits for what threads are doing.
constexpr std::chrono::milliseconds kRetry{100};

/// As Kubernetes' collector: events belong to nobody, and their number would be a burden. Of a resource with several
/// versions one is enough.
std::vector<StorePtr> Followed(const std::vector<StorePtr>& all) {
  std::vector<StorePtr> followed;
  std::set<std::string> prefixes;
  for (const StorePtr& store : all) {
    if (store->kind().cached && prefixes.insert(store->kind().Prefix()).second) followed.push_back(store);
  }
  return followed;
}

}  // namespace

/// Shared with notifications, which may be under way when the manager ends.
struct LifecycleManager::Signal {
  Mutex mutex;
  CondVar changed;
  bool news KINFORMER_GUARDED_BY(mutex) = true;
  bool kinds KINFORMER_GUARDED_BY(mutex) = true;

  void Wake(bool of_kinds) {
    {
      const MutexLock lock(mutex);
      news = true;
      kinds = kinds || of_kinds;
    }
    changed.NotifyAll();
  }
};

LifecycleManager::LifecycleManager(LifecycleOptions options)
    : options_(std::move(options)), signal_(std::make_shared<Signal>()) {}

LifecycleManager::~LifecycleManager() { Stop(); }

void LifecycleManager::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void LifecycleManager::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void LifecycleManager::KindsChanged() { signal_->Wake(true); }

void LifecycleManager::Run(const std::stop_token& stop) const {
  pthread_setname_np(pthread_self(), "kinformer-life");
  ObjectFollower follower([signal = signal_] { signal->Wake(false); });
  std::vector<StorePtr> all;
  GarbageCollector collector(
      {.find =
           [&all](const GroupVersionResource& resource) {
             const auto it = std::find_if(all.begin(), all.end(),
                                          [&](const StorePtr& store) { return store->kind().resource == resource; });
             return it == all.end() ? StorePtr() : *it;
           },
       .find_kind =
           [&all](std::string_view api_version, std::string_view kind) {
             const auto it = std::find_if(all.begin(), all.end(), [&](const StorePtr& store) {
               return store->kind().kind == kind && store->kind().resource.ApiVersion() == api_version;
             });
             return it == all.end() ? StorePtr() : *it;
           }},
      options_.logger);
  NamespaceCleaner cleaner([&all] { return all; }, options_.logger);
  bool again = false;
  for (;;) {
    bool kinds = false;
    {
      MutexLock lock(signal_->mutex);
      std::optional<TimePoint> retry;
      if (again || !follower.AllOpen()) retry = Clock::System()->Now() + kRetry;
      signal_->changed.Wait(lock, *Clock::System(), retry, stop,
                            [this]() KINFORMER_REQUIRES(signal_->mutex) { return signal_->news; });
      signal_->news = false;
      kinds = std::exchange(signal_->kinds, false);
    }
    if (stop.stop_requested()) return;
    if (kinds) {
      all = options_.stores();
      follower.SetStores(Followed(all));
    }
    for (const ObjectNews& news : follower.Next(stop)) {
      collector.Take(news);
      cleaner.Take(news);
    }
    // Before all kinds are known, an owner could be taken for missing.
    const bool collected = !follower.Complete() || collector.Work(stop);
    const bool cleaned = cleaner.Work(stop);
    again = !collected || !cleaned;
  }
}

}  // namespace kinformer::apiserver
