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
#include <kinformer/client/selection.h>
#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/store/lister.h>
#include <kinformer/views/view.h>
#include <kinformer/watch/retry_watcher.h>
#include <kinformer/watch/wait_condition.h>
#include <kinformer/watch/wait_limit.h>

namespace kinformer {

/// A condition on watch events, with its description. Tested on the waiting thread, with no lock held, for each event
/// in order; an error ends the wait.
class EventCondition {
 public:
  using Test = std::function<Result<bool>(const WatchEvent& event)>;

  EventCondition(std::string description, Test test) : description_(std::move(description)), test_(std::move(test)) {}
  /// From a function that returns bool or Result<bool>.
  template <typename Function>
  requires(std::is_invocable_r_v<Result<bool>, const Function&, const WatchEvent&>)
      EventCondition(Function function)  // NOLINT(google-explicit-constructor)
      : EventCondition("the caller's event condition", Test(std::move(function))) {}
  /// A condition on the object of the event; a deleted object counts as absent.
  EventCondition(const WaitCondition& condition);  // NOLINT(google-explicit-constructor)

  const std::string& Description() const& { return description_; }
  const std::string& Description() const&& = delete;
  /// kInternal if `test` throws.
  Result<bool> IsMetBy(const WatchEvent& event) const;

 private:
  std::string description_;
  Test test_;
};

/// The same for a typed view: `function` takes a TypedWatchEvent<T>. An object of another kind is an error.
template <ObjectView T, typename Function>
EventCondition WhenEvent(std::string description, Function function) {
  return EventCondition(std::move(description), [f = std::move(function)](const WatchEvent& event) -> Result<bool> {
    Result<T> object = T::From(event.object);
    if (!object) return std::move(object).error();
    return f(TypedWatchEvent<T>{.type = event.type, .object = *std::move(object)});
  });
}

/// Waits for an event that meets the condition and returns it. The watcher is then positioned after that event, so that
/// the next wait continues from there.
///
/// Returns the watcher's error if it cannot resume (410, for example). kDeadlineExceeded says what was seen last and,
/// if the watch is down, why. `limit` is measured on the watcher's clock.
Result<WatchEvent> Until(RetryWatcher& watcher, const EventCondition& condition, const WaitLimit& limit,
                         const std::stop_token& stop = {});
/// The same with its own RetryWatcher.
Result<WatchEvent> Until(const ResourceClient& client, const std::string& resource_version,
                         const EventCondition& condition, const WaitLimit& limit, const Selection& selection = {},
                         const std::stop_token& stop = {});

/// Tested once the cache is synced; true: there is nothing to wait for.
using StorePrecondition = std::function<Result<bool>(const Lister& store)>;

/// Like Until, but over an informer: it starts with the existing objects, as ADDED events, and survives everything that
/// the informer survives, including 410. Changes missed while the watch was down may arrive as one event, or as two if
/// an object was deleted and recreated.
///
/// nullopt if the precondition was met.
Result<std::optional<WatchEvent>> UntilWithSync(const SharedInformer& informer, const EventCondition& condition,
                                                const WaitLimit& limit, const StorePrecondition& precondition = {},
                                                const std::stop_token& stop = {});
/// The same with its own informer, which ends with the call.
Result<std::optional<WatchEvent>> UntilWithSync(const Client& client, const Resource& resource,
                                                const Selection& selection, const EventCondition& condition,
                                                const WaitLimit& limit, const StorePrecondition& precondition = {},
                                                const std::stop_token& stop = {});
/// The same for a typed view's kind: `UntilWithSync<Pod>(client, {.namespace_name = "default"}, IsDeleted(), 1min)`.
template <FullView T>
Result<std::optional<WatchEvent>> UntilWithSync(const Client& client, const Selection& selection,
                                                const EventCondition& condition, const WaitLimit& limit,
                                                const StorePrecondition& precondition = {},
                                                const std::stop_token& stop = {}) {
  return UntilWithSync(client, Resource::Of(T::kInfo), selection, condition, limit, precondition, stop);
}

}  // namespace kinformer

#endif  // KINFORMER_WATCH_UNTIL_H_
