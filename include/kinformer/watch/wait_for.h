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
/// `subject`: the object's name in messages.
Result<ObjectPtr> WaitForKey(const SharedInformer& informer, const std::string& subject, const NamespacedName& key,
                             const WaitCondition& condition, const WaitLimit& limit, const std::stop_token& stop);

std::string SubjectOf(std::string_view kind, const NamespacedName& key);

template <ObjectView T>
Result<std::optional<T>> ToView(Result<ObjectPtr> object) {
  if (!object) return std::move(object).error();
  if (*object == nullptr) return std::optional<T>();
  Result<T> view = T::From(*std::move(object));
  if (!view) return std::move(view).error();
  return std::optional<T>(*view);
}

template <typename Function, typename T>
concept TypedCondition = !std::convertible_to<Function, WaitCondition> &&
                         (TestableWith<Function, const T&> || TestableWith<Function, const T*>);
}  // namespace internal

/// Waits until one object meets the condition, and returns it in that state; null (nullopt in typed forms) if the
/// condition was met by its absence.
///
///     auto ready = ki::WaitFor(pods, {"default", "web-0"}, ki::HasStatusCondition("Ready"), 30s);
///     auto gone = ki::WaitFor(client.For<Pod>(), {"default", "web-9"}, ki::IsDeleted(), 1min, stop);
///
/// It uses the informer's cache and an event handler, and sends no requests. Every state that the informer sees is
/// tested, in order. No object counts as absent before the informer has synced; an object outside of the informer's
/// scope counts as absent. The caller must start the informer.
///
/// kDeadlineExceeded says what was waited for, what was seen last and, if the watch is down, why. If the informer has
/// not synced, the error has the code of the cause, as in WaitForCacheSync. kCancelled when stopped. An error of the
/// condition is returned with the object's name prepended. kFailedPrecondition inside a handler of this informer, which
/// would block its own events, and when the informer is shut down.
///
/// Must not be called from functions that informers run on their pool: transforms, index functions, `on_error`.
Result<ObjectPtr> WaitFor(const SharedInformer& informer, const NamespacedName& key, const WaitCondition& condition,
                          const WaitLimit& limit, const std::stop_token& stop = {});

template <ObjectView T>
Result<std::optional<T>> WaitFor(const SharedIndexInformer<T>& informer, const NamespacedName& key,
                                 const WaitCondition& condition, const WaitLimit& limit,
                                 const std::stop_token& stop = {}) {
  return internal::ToView<T>(
      internal::WaitForKey(informer.Untyped(), internal::SubjectOf(T::kInfo.kind, key), key, condition, limit, stop));
}
/// With a function, as for When<T>.
template <ObjectView T, internal::TypedCondition<T> Function>
Result<std::optional<T>> WaitFor(const SharedIndexInformer<T>& informer, const NamespacedName& key, Function condition,
                                 const WaitLimit& limit, const std::stop_token& stop = {}) {
  return WaitFor(informer, key, When<T>("the caller's condition", std::move(condition)), limit, stop);
}

/// The same without an informer: lists and watches this object while it waits. May be called inside handlers.
Result<ObjectPtr> WaitFor(const ResourceClient& client, const NamespacedName& key, const WaitCondition& condition,
                          const WaitLimit& limit, const std::stop_token& stop = {});

template <ObjectView T>
Result<std::optional<T>> WaitFor(const TypedClient<T>& client, const NamespacedName& key,
                                 const WaitCondition& condition, const WaitLimit& limit,
                                 const std::stop_token& stop = {}) {
  return internal::ToView<T>(WaitFor(client.Untyped(), key, condition, limit, stop));
}
template <ObjectView T, internal::TypedCondition<T> Function>
Result<std::optional<T>> WaitFor(const TypedClient<T>& client, const NamespacedName& key, Function condition,
                                 const WaitLimit& limit, const std::stop_token& stop = {}) {
  return WaitFor(client, key, When<T>("the caller's condition", std::move(condition)), limit, stop);
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_WAIT_FOR_H_
