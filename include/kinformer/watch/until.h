#ifndef KINFORMER_WATCH_UNTIL_H_
#define KINFORMER_WATCH_UNTIL_H_

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include <kinformer/base/result.h>
#include <kinformer/client/client.h>
#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/store/lister.h>
#include <kinformer/views/view.h>
#include <kinformer/watch/retry_watcher.h>
#include <kinformer/watch/wait_condition.h>
#include <kinformer/watch/wait_limit.h>

namespace kinformer {

/// A question to what happens, with the words for it. Asked on the waiting thread, with no lock held, for each event in
/// order; an error ends the waiting with it.
class EventCondition {
 public:
  using Test = std::function<Result<bool>(const WatchEvent& event)>;

  EventCondition(std::string description, Test test) : description_(std::move(description)), test_(std::move(test)) {}
  /// A function alone, which returns bool or Result<bool>.
  template <typename Function>
  requires(std::is_invocable_r_v<Result<bool>, const Function&, const WatchEvent&>)
      EventCondition(Function function)  // NOLINT(google-explicit-constructor)
      : EventCondition("an event as described by the caller", Test(std::move(function))) {}
  /// Of the object that the event is about; a deleted one is absent.
  EventCondition(const WaitCondition& condition);  // NOLINT(google-explicit-constructor)

  const std::string& Description() const { return description_; }
  /// What `test` throws is kInternal.
  Result<bool> IsMetBy(const WatchEvent& event) const;

 private:
  std::string description_;
  Test test_;
};

/// The same on a typed view: `function` is asked with a TypedWatchEvent<T>. An object of another kind is an error.
template <ObjectView T, typename Function>
EventCondition WhenEvent(std::string description, Function function) {
  return EventCondition(std::move(description), [f = std::move(function)](const WatchEvent& event) -> Result<bool> {
    Result<T> object = T::From(event.object);
    if (!object) return std::move(object).error();
    return f(TypedWatchEvent<T>{.type = event.type, .object = *std::move(object)});
  });
}

/// Waits for an event that meets the condition and returns it. The watcher stands behind that event afterwards: wait
/// for the next thing with it.
///
/// The watcher's error where it cannot go on (410 among them). kDeadlineExceeded says what was seen last and, if the
/// watch is down, why. `limit` counts by the watcher's clock.
Result<WatchEvent> Until(RetryWatcher& watcher, const EventCondition& condition, const WaitLimit& limit,
                         const std::stop_token& stop = {});
/// With a RetryWatcher of its own.
Result<WatchEvent> Until(const ResourceClient& client, const std::string& resource_version,
                         const EventCondition& condition, const WaitLimit& limit, const WatchScope& scope = {},
                         const std::stop_token& stop = {});

/// Asked once the cache is synced; true: nothing more to wait for.
using StorePrecondition = std::function<Result<bool>(const Lister& store)>;

/// As Until, over an informer's list and watch: it begins with the objects that exist, as added, and survives whatever
/// the informer survives, 410 among it. What is missed while the watch is down may then arrive in one event, or (a
/// delete and a new object of that name) in two.
///
/// nullopt where the precondition was met.
Result<std::optional<WatchEvent>> UntilWithSync(const SharedInformer& informer, const EventCondition& condition,
                                                const WaitLimit& limit, const StorePrecondition& precondition = {},
                                                const std::stop_token& stop = {});
/// With an informer of its own, which ends with the call.
Result<std::optional<WatchEvent>> UntilWithSync(const Client& client, const Resource& resource,
                                                const InformerOptions& options, const EventCondition& condition,
                                                const WaitLimit& limit, const StorePrecondition& precondition = {},
                                                const std::stop_token& stop = {});
/// The same, of a typed view's kind: `UntilWithSync<Pod>(client, {.namespace_name = "default"}, IsDeleted(), 1min)`.
template <ObjectView T>
Result<std::optional<WatchEvent>> UntilWithSync(const Client& client, const InformerOptions& options,
                                                const EventCondition& condition, const WaitLimit& limit,
                                                const StorePrecondition& precondition = {},
                                                const std::stop_token& stop = {}) {
  return UntilWithSync(client, Resource::Of(T::kInfo), options, condition, limit, precondition, stop);
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_UNTIL_H_
