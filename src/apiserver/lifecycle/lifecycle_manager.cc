#include "src/apiserver/lifecycle/lifecycle_manager.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <kinformer/base/backoff.h>

#include "src/apiserver/lifecycle/garbage_collector.h"
#include "src/apiserver/lifecycle/namespace_cleaner.h"
#include "src/apiserver/lifecycle/retry_schedule.h"
#include "src/base/mutex.h"
#include "src/base/user_code.h"

namespace kinformer::apiserver {
namespace {

/// Retries use the system clock, because they wait for work on other threads.
constexpr std::chrono::milliseconds kFirstRestart{100};
constexpr std::chrono::seconds kLastRestart{10};

/// Like Kubernetes' collector, ignores events, which are numerous and never owned. One version per resource is enough.
std::vector<StorePtr> Followed(const std::vector<StorePtr>& all) {
  std::vector<StorePtr> followed;
  std::set<std::string> prefixes;
  for (const StorePtr& store : all) {
    if (store->kind().cached && prefixes.insert(store->kind().Prefix()).second) followed.push_back(store);
  }
  return followed;
}

}  // namespace

/// Shared with notifications, which may outlive the manager.
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

/// The state of the thread.
class LifecycleManager::Worker {
 public:
  Worker(const LifecycleOptions& options, const std::shared_ptr<Signal>& signal)
      : options_(options),
        follower_([signal] { signal->Wake(false); }, options.logger),
        collector_({.find =
                        [this](const GroupVersionResource& resource) {
                          return Find([&](const ServedKind& kind) { return kind.resource == resource; });
                        },
                    .find_kind =
                        [this](std::string_view api_version, std::string_view kind) {
                          return Find([&](const ServedKind& served) {
                            return served.kind == kind && served.resource.ApiVersion() == api_version;
                          });
                        }},
                   options.logger, options.clock),
        cleaner_([this] { return all_; }, options.logger) {}

  void UpdateKinds() {
    all_ = options_.stores();
    follower_.SetStores(Followed(all_));
    collector_.KindsChanged();
  }

  /// Returns when to call it again without news.
  std::optional<TimePoint> Work(TimePoint now, const std::stop_token& stop) {
    for (const ObjectNews& news : follower_.Next(now, stop)) {
      // Contained one by one: news is delivered only once.
      const auto thrown = internal::Contain([&] {
        collector_.Take(news);
        cleaner_.Take(news);
      });
      if (thrown) options_.logger.Error("apiserver", "processing an object change failed", {{"error", *thrown}});
    }
    std::optional<TimePoint> again = follower_.NextTry();
    // Until all kinds are synced, an existing owner could appear to be missing.
    if (follower_.Complete()) again = Earlier(again, collector_.Work(now, stop));
    return Earlier(again, cleaner_.Work(now, stop));
  }

 private:
  template <typename Condition>
  StorePtr Find(Condition condition) const {
    const auto it =
        std::find_if(all_.begin(), all_.end(), [&](const StorePtr& store) { return condition(store->kind()); });
    return it == all_.end() ? StorePtr() : *it;
  }

  const LifecycleOptions& options_;
  std::vector<StorePtr> all_;
  ObjectFollower follower_;
  GarbageCollector collector_;
  NamespaceCleaner cleaner_;
};

void LifecycleManager::Run(const std::stop_token& stop) const {
  pthread_setname_np(pthread_self(), "kinformer-life");
  Worker worker(options_, signal_);
  std::optional<TimePoint> again;
  Backoff backoff({.initial = kFirstRestart, .cap = kLastRestart, .jitter = 0});
  bool failed = false;
  for (;;) {
    bool kinds = false;
    {
      MutexLock lock(signal_->mutex);
      // After a failure, news is not processed before the retry.
      signal_->changed.Wait(lock, *Clock::System(), again, stop,
                            [&]() KINFORMER_REQUIRES(signal_->mutex) { return !failed && signal_->news; });
      signal_->news = false;
      kinds = std::exchange(signal_->kinds, false);
    }
    if (stop.stop_requested()) return;
    const TimePoint now = Clock::System()->Now();
    const auto thrown = internal::Contain([&] {
      if (kinds) worker.UpdateKinds();
      again = worker.Work(now, stop);
    });
    failed = thrown.has_value();
    if (!failed) {
      backoff.Reset();
      continue;
    }
    again = now + backoff.Next(now);
    options_.logger.Error("apiserver", "garbage collection failed, will be retried", {{"error", *thrown}});
    if (kinds) signal_->Wake(true);
  }
}

}  // namespace kinformer::apiserver
