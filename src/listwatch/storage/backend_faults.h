#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_BACKEND_FAULTS_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_BACKEND_FAULTS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <kinformer/base/result.h>

#include "src/base/mutex.h"

namespace kinformer::apiserver {

/// One call of a Backend, as a fault hook sees it.
struct BackendCall {
  enum class Kind { kPut, kDelete, kGet, kRange, kWatch };
  /// An error returned before the call replaces it. An error returned after the call replaces its result, as if the
  /// response were lost.
  enum class Phase { kBefore, kAfter };
  Kind kind = Kind::kGet;
  Phase phase = Phase::kBefore;
  std::string_view key{};
};

/// The fault hook of a Backend. Without a hook, a call costs one atomic load.
///
/// @par Thread Safety
/// All functions may be called from any thread. The hook runs on the caller's thread with no lock held; it may still be
/// running when Set returns.
class BackendFaults {
 public:
  using Hook = std::function<std::optional<Error>(const BackendCall&)>;

  /// An empty function removes the hook.
  void Set(Hook hook) {
    std::shared_ptr<const Hook> shared = hook ? std::make_shared<const Hook>(std::move(hook)) : nullptr;
    const MutexLock lock(mutex_);
    hook_.swap(shared);
    armed_.store(hook_ != nullptr, std::memory_order_release);
  }

  std::optional<Error> Check(const BackendCall& call) {
    if (!armed_.load(std::memory_order_acquire)) return std::nullopt;
    std::shared_ptr<const Hook> hook;
    {
      const MutexLock lock(mutex_);
      hook = hook_;
    }
    return hook ? (*hook)(call) : std::nullopt;
  }

  /// Runs `call` with the hook before and after it.
  template <typename Call>
  auto Around(BackendCall::Kind kind, std::string_view key, Call call) -> decltype(call()) {
    if (auto fault = Check({kind, BackendCall::Phase::kBefore, key})) return *std::move(fault);
    auto result = call();
    if (auto fault = Check({kind, BackendCall::Phase::kAfter, key})) return *std::move(fault);
    return result;
  }

 private:
  std::atomic<bool> armed_ = false;
  Mutex mutex_;
  std::shared_ptr<const Hook> hook_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_BACKEND_FAULTS_H_
