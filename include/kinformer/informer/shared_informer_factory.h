#ifndef KINFORMER_INFORMER_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_INFORMER_SHARED_INFORMER_FACTORY_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include <kinformer/base/backoff.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/client/client.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/informer/shared_informer.h>

namespace kinformer {

struct FactoryOptions {
  /// For informers that name none; empty: all namespaces.
  std::string namespace_name{};
  /// How often handlers see every object again, unless they say themselves; zero: never.
  std::chrono::milliseconds resync{0};
  /// For informers that name none.
  BackoffOptions backoff{};
  NamedTransform transform{};
  NamedTweak tweak{};
  /// On which all informers run, however many there are.
  std::size_t threads = 2;
  Logger logger{};
  std::shared_ptr<const Clock> clock = Clock::System();
};

/// Makes informers that share what they have in common: one watch per kind, namespace, selectors and transform,
/// however many ask for it. An informer runs while somebody holds a handle on it or a registration with it.
///
/// @par Thread Safety
/// All functions may be called from any thread; Shutdown and the destructor not from a handler.
class SharedInformerFactory {
 public:
  explicit SharedInformerFactory(Client client, FactoryOptions options = {});
  /// Shuts down.
  ~SharedInformerFactory();
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// An informer of a typed view's kind. Not started before Start, unless one like it runs already.
  template <ObjectView T>
  std::shared_ptr<const SharedIndexInformer<T>> For(const InformerOptions& options = {}) {
    return std::make_shared<const SharedIndexInformer<T>>(ForResource(Resource::Of(T::kInfo), options));
  }
  /// An informer of a kind that is known only at run time.
  SharedInformer ForResource(const Resource& resource, const InformerOptions& options = {});

  /// Starts those that are not running; call it again after asking for more.
  void Start();
  /// Waits for all informers that are held. The error names the one that is not synced, and why.
  Result<void> WaitForCacheSync(Duration timeout, const std::stop_token& stop = {});
  /// Ends all watches and handlers and joins all threads. Handles stay readable. kFailedPrecondition inside a handler.
  Result<void> Shutdown();
  /// Watches that exist now.
  std::size_t Size() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_SHARED_INFORMER_FACTORY_H_
