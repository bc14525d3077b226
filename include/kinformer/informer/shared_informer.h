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
#include <kinformer/store/indexer.h>
#include <kinformer/store/lister.h>
#include <kinformer/views/view.h>

namespace kinformer {

namespace internal {
class InformerCore;
}

/// A handler's place in an informer, and a hold on the informer itself: while it lives, the watch goes on. Destroying
/// it removes the handler, see HandlerRegistration.
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
  HandlerRegistration handler_;  ///< Goes first: no handler runs when the informer is let go.
};

/// One watch of a kind, a cache of it, and handlers that are told what happens: for objects of any kind. A handle:
/// copies are the same informer, and the last handle or registration to go closes the watch.
///
/// Consistency: the cache is changed before a handler is told, in the server's order; a list that replaces the cache
/// does so at once. Every handler sees the events of one object in order, each on its own thread. An event may be
/// missed while the watch is broken, but not its effect: the relist that follows brings every difference, deletions
/// included (`final_state_unknown`).
///
/// @par Thread Safety
/// All functions may be called from any thread, handlers included. Inside a handler, what would wait for that handler
/// returns kFailedPrecondition.
class SharedInformer {
 public:
  explicit SharedInformer(std::shared_ptr<internal::InformerCore> core);

  /// The handler first sees every object in the cache, then what happens. After the factory's Shutdown nothing happens
  /// any more: the registration is empty then, and never synced.
  InformerRegistration AddEventHandler(EventHandler handler, const HandlerOptions& options = {}) const;
  /// May be called while running: objects that are there are filed.
  Result<void> AddIndexer(std::string name, IndexFunction function) const;
  kinformer::Lister Lister() const;

  /// Lists and watches; starts the factory's threads where they do not run yet. The factory's Start does it for all its
  /// informers. Again after a Stop.
  void Start() const;
  /// Ends the watch; the cache stays as it is and handlers stay registered.
  void Stop() const;

  /// Another set of namespaces, for an informer that was made with InformerOptions::namespaces (else
  /// kFailedPrecondition). Objects of namespaces that are not in it leave the cache, and handlers are told so as of
  /// deletions whose final state is unknown; those of new ones come as additions of the initial list, and
  /// WaitForCacheSync waits for them.
  Result<void> SetNamespaces(std::vector<std::string> namespaces) const;
  /// Before the first Start, for all who share this informer; kFailedPrecondition after it. Whoever asks the factory
  /// for an informer later gets this one only by naming the same transform.
  Result<void> SetTransform(NamedTransform transform) const;
  /// In place of InformerOptions::on_error, at any time.
  void SetWatchErrorHandler(std::function<void(const Error&)> on_error) const;

  bool HasSynced() const;
  /// Where it takes too long, the error tells why: the last one that the server gave, with its code.
  Result<void> WaitForCacheSync(Duration timeout, const std::stop_token& stop = {}) const;
  /// The version up to which the cache is a copy of the server; of an informer of several namespaces the oldest of
  /// theirs.
  std::string LastSyncResourceVersion() const;
  /// Waits until the cache has what you wrote: give it the resourceVersion that the write returned. To an informer of
  /// several namespaces name the one you wrote to: where nothing happens, a namespace hears of new versions only once a
  /// minute.
  Result<void> WaitForResourceVersion(const std::string& version, Duration timeout, const std::stop_token& stop = {},
                                      const std::string& namespace_name = {}) const;
  InformerStatus Status() const;
  /// True inside a handler or an index function of this informer, where waiting for it would be waiting for oneself.
  bool OnOwnThread() const;
  /// For messages: "pods in default".
  const std::string& Name() const;

 private:
  std::shared_ptr<internal::InformerCore> core_;
};

/// A SharedInformer whose objects are seen as Ts.
template <ObjectView T>
class SharedIndexInformer {
 public:
  explicit SharedIndexInformer(SharedInformer untyped) : untyped_(std::move(untyped)) {}

  InformerRegistration AddEventHandler(EventHandlerFor<T> handler, const HandlerOptions& options = {}) const {
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
  Result<void> WaitForResourceVersion(const std::string& version, Duration timeout, const std::stop_token& stop = {},
                                      const std::string& namespace_name = {}) const {
    return untyped_.WaitForResourceVersion(version, timeout, stop, namespace_name);
  }
  InformerStatus Status() const { return untyped_.Status(); }
  const std::string& Name() const { return untyped_.Name(); }
  const SharedInformer& Untyped() const { return untyped_; }

 private:
  SharedInformer untyped_;
};

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_SHARED_INFORMER_H_
