#ifndef KINFORMER_INFORMER_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_INFORMER_SHARED_INFORMER_FACTORY_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/backoff.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/client/client.h>
#include <kinformer/client/selection.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/views/metadata_of.h>
#include <kinformer/views/view.h>

namespace kinformer {

struct FactoryOptions {
  /// For informers that set none; empty: all namespaces.
  std::string namespace_name{};
  /// How often handlers see every object again, unless they or their informer set another period; zero: never.
  std::chrono::milliseconds resync{0};
  /// For informers that set none.
  BackoffOptions backoff{};
  NamedTransform transform{};
  NamedTweak tweak{};
  /// Limit of the bytes that wait for an informer's cache. Above it, the informer does not read from the server until
  /// half of them are applied. One list may exceed it.
  std::size_t max_queued_bytes = std::size_t{64} << 20;
  /// Threads shared by all informers.
  std::size_t threads = 2;
  Logger logger{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// Creates and shares informers: one watch per API version, kind, selection, transform and tweak, however many
/// callers request it. Transforms and tweaks are compared by name; an informer with an unnamed one of its own is
/// never shared. An informer runs while a handle, a registration or a lister of it exists.
///
/// @par Thread Safety
/// All functions may be called from any thread, including callbacks. Inside a callback, calls that would wait for that
/// callback return kFailedPrecondition.
class SharedInformerFactory {
 public:
  explicit SharedInformerFactory(const Client& client, FactoryOptions options = {});
  /// Shuts down and waits for running callbacks without a time limit; every ten seconds, a warning names those that
  /// have not returned. Inside a callback it does not wait: no callback starts afterwards, and running ones end later.
  ~SharedInformerFactory();
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// An informer for a typed view's kind. Start starts it; a shared informer may be running already.
  template <FullView T>
  SharedIndexInformer<T> For(const Selection& selection = {}, const InformerOptions& options = {}) {
    return SharedIndexInformer<T>(ForResource(Resource::Of(T::kInfo), selection, options));
  }
  /// An informer for a resource that is known only at run time.
  SharedInformer ForResource(const Resource& resource, const Selection& selection = {},
                             const InformerOptions& options = {});
  /// An informer over a source other than this client's API server: another server, a file, a test. Never shared.
  SharedInformer ForSource(std::shared_ptr<ListerWatcher> source, const SourceOptions& options = {});
  /// The same with objects as Ts; objects of other kinds are skipped.
  template <ObjectView T>
  SharedIndexInformer<T> ForSource(std::shared_ptr<ListerWatcher> source, SourceOptions options = {}) {
    options.kind = T::kInfo.Gvk();
    return SharedIndexInformer<T>(ForSource(std::move(source), options));
  }

  /// An informer that requests only metadata. Never shared with informers of whole objects.
  template <FullView T>
  SharedIndexInformer<MetadataOf<T>> ForMetadata(const Selection& selection = {}, const InformerOptions& options = {}) {
    return SharedIndexInformer<MetadataOf<T>>(ForMetadata(Resource::Of(T::kInfo), selection, options));
  }
  /// Its objects are PartialObjectMetadata, and partial (Object::IsPartial).
  SharedInformer ForMetadata(const Resource& resource, const Selection& selection = {},
                             const InformerOptions& options = {});

  /// Starts the informers that are not running. Call it again after creating more.
  void Start();
  /// Waits for all informers that are alive. The error names the informer that has not synced, and why.
  Result<void> WaitForCacheSync(Duration timeout, const std::stop_token& stop = {});
  /// Ends all watches and handlers, waits for running callbacks and joins all threads. Handles stay readable. After
  /// `timeout`, kDeadlineExceeded names the callbacks that have not returned; even then no callback starts afterwards,
  /// and Shutdown may be called again. Inside a callback of this factory's informers it does nothing and returns
  /// kFailedPrecondition.
  Result<void> Shutdown(Duration timeout = std::chrono::seconds(30));
  /// The informers that are alive, in order of creation.
  std::vector<InformerInfo> Informers() const;
  /// The number of informers that are alive.
  std::size_t Size() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_SHARED_INFORMER_FACTORY_H_
