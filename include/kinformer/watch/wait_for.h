#ifndef KINFORMER_WATCH_WAIT_FOR_H_
#define KINFORMER_WATCH_WAIT_FOR_H_

#include <concepts>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/typed_client.h>
#include <kinformer/codec/object.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/meta/names.h>
#include <kinformer/views/view.h>
#include <kinformer/watch/wait_condition.h>
#include <kinformer/watch/wait_limit.h>

namespace kinformer {

namespace internal {
/// `subject`: how messages name the object.
Result<ObjectPtr> WaitForKey(const SharedInformer& informer, const std::string& subject, const NamespacedName& key,
                             const WaitCondition& condition, const WaitLimit& limit, const std::stop_token& stop);

std::string SubjectOf(std::string_view kind, const NamespacedName& key);

template <ObjectView T>
Result<std::optional<T>> See(Result<ObjectPtr> object) {
  if (!object) return std::move(object).error();
  if (*object == nullptr) return std::optional<T>();
  Result<T> view = T::From(*std::move(object));
  if (!view) return std::move(view).error();
  return std::optional<T>(*view);
}

template <typename Function, typename T>
concept TypedQuestion =
    !std::convertible_to<Function, WaitCondition> && (AsksAbout<Function, const T&> || AsksAbout<Function, const T*>);
}  // namespace internal

/// Waits until one object meets the condition, and returns it as it was then; null (nullopt in typed forms) if the
/// condition was met by its absence.
///
///     auto ready = WaitFor(*pods, {"default", "web"}, HasStatusCondition("Ready") && !IsBeingDeleted(), 30s);
///     auto gone = WaitFor(client->For<Pod>(), {"default", "web"}, IsDeleted(), 1min, stop);
///
/// It uses the informer's cache and a handler of it, and sends nothing itself. Every state that the informer sees is
/// asked about, in order. Nothing counts as absent before the informer has synced; an object outside of what the
/// informer watches counts as absent. The informer must be started, by you.
///
/// kDeadlineExceeded says what was waited for, what was seen last and, if the watch is down, why; where the informer
/// has not synced, the error has the code of what kept it from that, as WaitForCacheSync's. kCancelled when stopped. An
/// error of the condition comes back as it is, with the object's name before it. kFailedPrecondition inside a handler
/// of this very informer, which would hear of nothing in the meantime, and when the informer is shut down.
///
/// Not to be called by functions that informers run on their pool: transforms, index functions, `on_error`.
Result<ObjectPtr> WaitFor(const SharedInformer& informer, const NamespacedName& key, const WaitCondition& condition,
                          const WaitLimit& limit, const std::stop_token& stop = {});

template <ObjectView T>
Result<std::optional<T>> WaitFor(const SharedIndexInformer<T>& informer, const NamespacedName& key,
                                 const WaitCondition& condition, const WaitLimit& limit,
                                 const std::stop_token& stop = {}) {
  return internal::See<T>(
      internal::WaitForKey(informer.Untyped(), internal::SubjectOf(T::kInfo.kind, key), key, condition, limit, stop));
}
/// With a function as When<T> takes it.
template <ObjectView T, internal::TypedQuestion<T> Function>
Result<std::optional<T>> WaitFor(const SharedIndexInformer<T>& informer, const NamespacedName& key, Function condition,
                                 const WaitLimit& limit, const std::stop_token& stop = {}) {
  return WaitFor(informer, key, When<T>("the caller's condition", std::move(condition)), limit, stop);
}

/// The same without an informer: lists and watches this one object while it waits. May be called inside handlers.
Result<ObjectPtr> WaitFor(const ResourceClient& client, const NamespacedName& key, const WaitCondition& condition,
                          const WaitLimit& limit, const std::stop_token& stop = {});

template <ObjectView T>
Result<std::optional<T>> WaitFor(const TypedClient<T>& client, const NamespacedName& key,
                                 const WaitCondition& condition, const WaitLimit& limit,
                                 const std::stop_token& stop = {}) {
  return internal::See<T>(WaitFor(client.Untyped(), key, condition, limit, stop));
}
template <ObjectView T, internal::TypedQuestion<T> Function>
Result<std::optional<T>> WaitFor(const TypedClient<T>& client, const NamespacedName& key, Function condition,
                                 const WaitLimit& limit, const std::stop_token& stop = {}) {
  return WaitFor(client, key, When<T>("the caller's condition", std::move(condition)), limit, stop);
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_WAIT_FOR_H_
