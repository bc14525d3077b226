#ifndef KINFORMER_SRC_INFORMER_SOURCE_SET_H_
#define KINFORMER_SRC_INFORMER_SOURCE_SET_H_

// In:     start, stop, the set of namespaces
// Out:    one running InformerSource per namespace, or one for everything
// Thread: any; the sources run on the pool
// Next:   CacheProgress, which is told which scopes exist

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/reflector/transform.h>

#include "src/base/mutex.h"
#include "src/informer/cache_progress.h"
#include "src/informer/informer_source.h"

namespace kinformer::internal {

/// Makes the ListerWatcher of one namespace. Must not call user code.
using MakeListerWatcher = std::function<std::shared_ptr<ListerWatcher>(const std::string& namespace_name)>;
/// Informers with equal keys have the same transform. nullopt for an unnamed transform, which equals no other.
std::optional<std::string> TransformKeyOf(const NamedTransform& transform);
Error EmptyNamespaceError(const std::string& name);

struct SourceSetOptions {
  /// The informer's name, for messages.
  std::string name{};
  /// For a single source.
  std::shared_ptr<ListerWatcher> everything{};
  /// For a multi-namespace informer.
  MakeListerWatcher make{};
  std::vector<std::string> namespaces{};
  Transform transform{};
  std::optional<std::string> transform_key = std::string();
};

/// The sources of one informer: started, stopped and replaced together. All changes of the informer's RunState are made
/// here.
///
/// @par Thread Safety
/// All functions may be called from any thread. None calls user code; Stop, SetNamespaces and AwaitStopped wait for
/// user code that a source runs.
class SourceSet {
 public:
  using MakeSource = std::function<std::shared_ptr<InformerSource>(int scope, const std::string& namespace_name,
                                                                   std::shared_ptr<ListerWatcher> lister_watcher,
                                                                   Transform transform)>;

  /// `progress` must outlive it. `make_source` is called with a lock held.
  SourceSet(SourceSetOptions options, CacheProgress& progress, MakeSource make_source);

  /// False if it was running or has been shut down. The sources are created by the first Start.
  bool Start();
  void Stop();
  /// Ends the sources for good.
  void RequestShutDown();
  /// Waits for the sources, including those of removed namespaces. Returns how many still run user code at the
  /// deadline, or cannot be waited for here.
  int AwaitStopped(std::optional<TimePoint> deadline);
  /// See InformerCore.
  Result<void> SetNamespaces(std::vector<std::string> namespaces);
  Result<void> SetTransform(NamedTransform transform);
  std::optional<std::string> TransformKey() const;
  /// The sources of the current namespaces.
  std::vector<std::shared_ptr<InformerSource>> Sources() const;
  /// Destroys the sources of these scopes, whose objects have left the cache, once no call of theirs runs. Also
  /// destroys those that an earlier call had to keep.
  void Discard(const std::vector<int>& scopes);

 private:
  /// A source that was removed from the set stays in `sources_` until Discard: its kForget refers to it.
  struct Entry {
    std::shared_ptr<InformerSource> source{};
    bool retired = false;
  };

  CacheProgress::OpenedScope Open(const std::string& namespace_name, std::shared_ptr<ListerWatcher> lister_watcher)
      KINFORMER_REQUIRES(mutex_);

  const SourceSetOptions options_;
  CacheProgress& progress_;
  const MakeSource make_source_;

  /// Taken before the mutex of `progress_`.
  mutable Mutex mutex_;
  std::map<int, Entry> sources_ KINFORMER_GUARDED_BY(mutex_);
  int last_scope_ KINFORMER_GUARDED_BY(mutex_) = 0;
  Transform transform_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<std::string> transform_key_ KINFORMER_GUARDED_BY(mutex_);
  /// Discarded, but one of their calls runs.
  std::vector<std::shared_ptr<InformerSource>> ending_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_SOURCE_SET_H_
