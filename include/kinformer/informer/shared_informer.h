#ifndef KINFORMER_INFORMER_SHARED_INFORMER_H_
#define KINFORMER_INFORMER_SHARED_INFORMER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>
#include <kinformer/store/index.h>
#include <kinformer/store/lister.h>
#include <kinformer/views/view.h>

namespace kinformer {

namespace internal {
class InformerCore;
}

/// A registered handler. It keeps the informer alive: the watch continues at least until the handler is removed.
/// Destruction removes the handler, see HandlerRegistration. Remove may be called from any thread, and more than once.
class [[nodiscard]] InformerRegistration {
 public:
  InformerRegistration() = default;
  InformerRegistration(std::shared_ptr<internal::InformerCore> core, HandlerRegistration handler);
  InformerRegistration(InformerRegistration&&) noexcept;
  InformerRegistration& operator=(InformerRegistration&&) noexcept;
  ~InformerRegistration();

  void Remove();
  bool HasSynced() const { return handler_.HasSynced(); }
  HandlerStatus Status() const { return handler_.Status(); }
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop = {}) const {
    return handler_.WaitForSync(timeout, stop);
  }

 private:
  std::shared_ptr<internal::InformerCore> core_;
  HandlerRegistration handler_;  ///< Destroyed first: no handler runs when the informer is released.
};

/// One watch, a cache of its objects, and the handlers of its events; for objects of any kind. A handle: copies refer
/// to the same informer. The watch ends with the last handle, registration or lister.
///
/// Consistency: the cache is updated before handlers are called, in the server's order; a relist replaces the cache
/// atomically. Every handler runs on its own thread and sees the events of an object in order. Events may be missed
/// while the watch is broken, but not their effect: the relist that follows delivers every difference, including
/// deletions (`final_state_unknown`).
///
/// @par Thread Safety
/// All functions may be called from any thread, including handlers. Inside a handler, calls that would wait for that
/// handler return kFailedPrecondition.
class SharedInformer {
 public:
  explicit SharedInformer(std::shared_ptr<internal::InformerCore> core);
  // Copyable but not movable, so that a handle is never empty.
  SharedInformer(const SharedInformer&) noexcept = default;
  SharedInformer& operator=(const SharedInformer&) noexcept = default;

  /// The handler first sees every object in the cache, then all changes. kFailedPrecondition after the factory's
  /// Shutdown.
  Result<InformerRegistration> AddEventHandler(EventHandler handler, const HandlerOptions& options = {}) const;
  /// May be called while running: existing objects are indexed.
  Result<void> AddIndexer(std::string name, IndexFunction function) const;
  /// Keeps the informer and its watch alive. An index function of this informer must not hold one: that would be a
  /// reference cycle.
  kinformer::Lister Lister() const;

  /// Starts to list and watch, and starts the factory's threads if they are not running. The factory's Start does this
  /// for all its informers. May be called again after Stop.
  void Start() const;
  /// Ends the watch, and waits for a transform, tweak or `on_error` that is running (inside one of them, it does not
  /// wait). Keeps the cache and the handlers.
  void Stop() const;

  /// Replaces the set of namespaces; kFailedPrecondition unless the informer was made with InformerOptions::namespaces.
  /// Objects of removed namespaces leave the cache, and handlers see them deleted with `final_state_unknown`. Objects
  /// of new namespaces arrive as additions of the initial list, for which WaitForCacheSync waits.
  Result<void> SetNamespaces(std::vector<std::string> namespaces) const;
  /// Sets the transform for all users of this informer; kFailedPrecondition after the first Start. From then on, the
  /// factory shares this informer only with requests that name the same transform.
  Result<void> SetTransform(NamedTransform transform) const;
  /// Replaces InformerOptions::on_error, at any time.
  void SetWatchErrorHandler(std::function<void(const Error&)> on_error) const;

  bool HasSynced() const;
  /// On a timeout, returns the last error from the server, with its code, if there is one.
  Result<void> WaitForCacheSync(Duration timeout, const std::stop_token& stop = {}) const;
  /// The version up to which the cache reflects the server; for a multi-namespace informer, the oldest of its
  /// namespaces' versions.
  std::string LastSyncResourceVersion() const;
  /// Waits until the cache is at least as new as `version`, for example the resourceVersion that a write returned.
  Result<void> WaitForResourceVersion(const std::string& version, Duration timeout,
                                      const std::stop_token& stop = {}) const;
  /// The same for one namespace of a multi-namespace informer. Prefer it there: an idle namespace receives new versions
  /// only once a minute, and the other form waits for all namespaces.
  Result<void> WaitForResourceVersion(const std::string& version, const std::string& namespace_name, Duration timeout,
                                      const std::stop_token& stop = {}) const;
  InformerStatus Status() const;
  /// True inside a handler of this informer and inside any callback on the factory's pool, where waiting for the
  /// informer would deadlock.
  bool OnOwnThread() const;
  /// The name in messages: "pods in default".
  const std::string& Name() const&;
  const std::string& Name() const&& = delete;

 private:
  std::shared_ptr<internal::InformerCore> core_;
};

/// A SharedInformer whose objects are Ts. Also a handle: cheap to copy.
template <ObjectView T>
class SharedIndexInformer {
 public:
  explicit SharedIndexInformer(const SharedInformer& untyped) : untyped_(untyped) {}

  Result<InformerRegistration> AddEventHandler(EventHandlerFor<T> handler, const HandlerOptions& options = {}) const {
    EventHandler untyped;
    if (handler.on_add) {
      untyped.on_add = [f = std::move(handler.on_add)](const ObjectPtr& object, bool in_initial_list) {
        f(T(object), in_initial_list);
      };
    }
    if (handler.on_update) {
      untyped.on_update = [f = std::move(handler.on_update)](const ObjectPtr& before, const ObjectPtr& after) {
        f(T(before), T(after));
      };
    }
    if (handler.on_delete) {
      untyped.on_delete = [f = std::move(handler.on_delete)](const Deleted<ObjectPtr>& gone) {
        f(Deleted<T>{T(gone.last_known), gone.final_state_unknown});
      };
    }
    return untyped_.AddEventHandler(std::move(untyped), options);
  }

  template <typename Function>
  Result<void> AddIndexer(const std::string& name, Function function) const {
    return untyped_.AddIndexer(name,
                               [f = std::move(function)](const ObjectPtr& object) -> Keys { return f(T(object)); });
  }
  TypedLister<T> Lister() const { return TypedLister<T>(untyped_.Lister()); }

  void Start() const { untyped_.Start(); }
  void Stop() const { untyped_.Stop(); }
  Result<void> SetNamespaces(std::vector<std::string> namespaces) const {
    return untyped_.SetNamespaces(std::move(namespaces));
  }
  Result<void> SetTransform(NamedTransform transform) const { return untyped_.SetTransform(std::move(transform)); }
  void SetWatchErrorHandler(std::function<void(const Error&)> on_error) const {
    untyped_.SetWatchErrorHandler(std::move(on_error));
  }
  bool HasSynced() const { return untyped_.HasSynced(); }
  Result<void> WaitForCacheSync(Duration timeout, const std::stop_token& stop = {}) const {
    return untyped_.WaitForCacheSync(timeout, stop);
  }
  std::string LastSyncResourceVersion() const { return untyped_.LastSyncResourceVersion(); }
  Result<void> WaitForResourceVersion(const std::string& version, Duration timeout,
                                      const std::stop_token& stop = {}) const {
    return untyped_.WaitForResourceVersion(version, timeout, stop);
  }
  Result<void> WaitForResourceVersion(const std::string& version, const std::string& namespace_name, Duration timeout,
                                      const std::stop_token& stop = {}) const {
    return untyped_.WaitForResourceVersion(version, namespace_name, timeout, stop);
  }
  InformerStatus Status() const { return untyped_.Status(); }
  const std::string& Name() const& { return untyped_.Name(); }
  const std::string& Name() const&& = delete;
  const SharedInformer& Untyped() const& { return untyped_; }
  SharedInformer Untyped() const&& { return untyped_; }

 private:
  SharedInformer untyped_;
};

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_SHARED_INFORMER_H_
