#ifndef KINFORMER_SRC_INFORMER_CACHE_PROGRESS_H_
#define KINFORMER_SRC_INFORMER_CACHE_PROGRESS_H_

// In:     what InformerCore has applied to its cache, and the errors of its sources
// Out:    whether the cache is synced, at which version it is, and waits for both
// Thread: any
// Next:   the users' waits

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/informer/informer_options.h>

#include "src/base/mutex.h"
#include "src/delta/delta_fifo.h"

namespace kinformer::internal {

/// Compares resource versions as numbers, an order the API guarantees. Versions that are not numbers must be equal.
bool IsAtLeast(const std::string& version, const std::string& wanted);

struct CacheProgressOptions {
  /// The informer's name, for messages.
  std::string name{};
  /// The version of the cache, for an informer with a single source. Unset: a multi-namespace informer, whose version
  /// is the oldest of its namespaces. Called with a lock held: it must not call back.
  std::function<std::string()> cache_version{};
  /// With `cache_version`: the namespace the source is limited to; empty: none.
  std::string only_namespace{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// How far an informer's cache has followed its sources. A scope is one source: the whole cache, or one namespace.
///
/// @par Thread Safety
/// All functions may be called from any thread. None calls user code.
class CacheProgress {
 public:
  struct RunState {
    bool started = false;  ///< Stays true after a stop.
    bool running = false;
    bool shut_down = false;
  };
  struct OpenedScope {
    int scope = 0;
    std::string namespace_name{};  ///< "": all namespaces.
  };
  struct Applied {
    /// True once: the first list of every namespace is in the cache.
    bool first_sync = false;
    /// Scopes whose kForget has been applied: they exist no more.
    std::vector<int> forgotten{};
  };
  /// How a kReplaceAll or kForget of a scope is to be applied.
  struct ReplacePlan {
    std::string namespace_name{};
    bool initial = false;  ///< The scope's first list.
    /// The namespace was added again and its new list already applied: a kForget has no effect.
    bool taken_over = false;
  };

  explicit CacheProgress(CacheProgressOptions options) : options_(std::move(options)) {}

  void SetNamespaces(std::vector<std::string> namespaces, const std::vector<OpenedScope>& opened,
                     const std::vector<int>& retired);
  void Started(const std::vector<OpenedScope>& opened);
  void Stopped();
  void ShutDown();
  RunState State() const;
  std::vector<std::string> Namespaces() const;

  /// Removes deltas of retired scopes.
  void DropRetired(std::vector<Delta>& batch) const;
  /// Precondition: the scope has not been forgotten.
  ReplacePlan PlanReplace(int scope) const;
  /// The batch is in the cache, and its notifications are queued. Waits notice at the latest with Wake.
  Applied OnApplied(const std::vector<Delta>& batch);
  void Wake() const { changed_.NotifyAll(); }
  void OnSourceError(int scope, const Error& error);
  /// An index function failed: a successful list does not clear this error.
  void OnCacheError(const Error& error);

  bool HasSynced() const;
  std::string ResourceVersion() const;
  /// Sets the version, whether it is synced, and the last error unless `status` has one.
  void Describe(InformerStatus& status) const;
  /// See InformerCore.
  Result<void> WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const;
  Result<void> WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                      std::optional<TimePoint> deadline, const std::stop_token& stop) const;
  Error ShutDownError() const;

 private:
  struct Scope {
    std::string namespace_name{};
    std::string resource_version{};
    bool synced = false;
    /// The last error before it synced.
    std::optional<Error> error{};
    /// The namespace was removed from the set. The scope is erased once its kForget is applied.
    bool retired = false;
  };

  void Open(const std::vector<OpenedScope>& opened) KINFORMER_REQUIRES(mutex_);
  bool AllSynced() const KINFORMER_REQUIRES(mutex_);
  /// The error of a source that is not synced, else the last error.
  const std::optional<Error>& WhyNotSynced() const KINFORMER_REQUIRES(mutex_);
  bool Reached(const std::string& version, const std::string& namespace_name) const KINFORMER_REQUIRES(mutex_);
  std::string OldestVersion() const KINFORMER_REQUIRES(mutex_);
  /// kInvalidArgument if the informer does not watch that namespace.
  Result<void> CheckWatched(const std::string& namespace_name) const KINFORMER_REQUIRES(mutex_);

  const CacheProgressOptions options_;
  mutable Mutex mutex_;
  mutable CondVar changed_;
  RunState state_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::string> namespaces_ KINFORMER_GUARDED_BY(mutex_);
  std::map<int, Scope> scopes_ KINFORMER_GUARDED_BY(mutex_);
  bool first_sync_told_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::optional<Error> last_error_ KINFORMER_GUARDED_BY(mutex_);
  bool last_error_is_of_cache_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_CACHE_PROGRESS_H_
