#include <kinformer/watch/until.h>

#include <kinformer/informer/shared_informer_factory.h>

#include "src/base/user_code.h"
#include "src/watch/informer_events.h"
#include "src/watch/wait_text.h"

namespace kinformer {
namespace {

std::string Seen(const std::optional<WatchEvent>& event) {
  if (!event) return "no event";
  return std::string(ToString(event->type)) + " " + ToString(event->object->Key()) + " at version " +
         std::string(event->object->ResourceVersion());
}

}  // namespace

EventCondition::EventCondition(const WaitCondition& condition)
    : EventCondition(condition.Description(), [condition](const WatchEvent& event) {
        return condition.IsMetBy(event.type == WatchEventType::kDeleted ? nullptr : event.object);
      }) {}

Result<bool> EventCondition::IsMetBy(const WatchEvent& event) const {
  if (!test_) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "the condition \"" + description_ + "\" has no function"};
  }
  return internal::ContainResult([&] { return test_(event); },
                                 [&](const std::string& what) { return internal::ConditionThrew(description_, what); });
}

Result<WatchEvent> Until(RetryWatcher& watcher, const EventCondition& condition, const WaitLimit& limit,
                         const std::stop_token& stop) {
  const std::optional<TimePoint> deadline = WaitLimit(limit.timeout(), watcher.clock()).Deadline();
  std::optional<WatchEvent> last;
  for (;;) {
    Result<WatchEvent> event = watcher.NextBefore(deadline, stop);
    if (!event) {
      const std::optional<Error>& down = watcher.LastError();
      const std::string why = down ? "the watch is down: " + ToString(*down) : "";
      if (event.error().code == ErrorCode::kCancelled && stop.stop_requested()) {
        return internal::StoppedError("the watch", condition.Description(), Seen(last), why);
      }
      if (event.error().code != ErrorCode::kDeadlineExceeded) return event;
      return internal::TimeoutError("the watch", limit.timeout(), condition.Description(), Seen(last), why);
    }
    const Result<bool> met = condition.IsMetBy(*event);
    if (!met.ok()) return met.error();
    if (*met) return event;
    last = *std::move(event);
  }
}

Result<WatchEvent> Until(const ResourceClient& client, const std::string& resource_version,
                         const EventCondition& condition, const WaitLimit& limit, const Selection& selection,
                         const std::stop_token& stop) {
  Result<RetryWatcher> watcher = RetryWatcher::Create(client, resource_version, selection, {.clock = limit.clock()});
  if (!watcher) return std::move(watcher).error();
  Result<WatchEvent> event = Until(*watcher, condition, limit, stop);
  if (!event) return Annotate(std::move(event).error(), ToString(client.resource().gvr));
  return event;
}

namespace {

/// Takes the informer by value: the condition may drop the caller's handle.
Result<std::optional<WatchEvent>> UntilOn(const SharedInformer informer, internal::WaitsOn waits_on,
                                          const EventCondition& condition, const WaitLimit& limit,
                                          const StorePrecondition& precondition, const std::stop_token& stop) {
  const std::optional<TimePoint> deadline = limit.Deadline();
  internal::InformerEvents events(informer);
  if (precondition) {
    if (Result<void> synced = informer.WaitForCacheSync(limit.RemainingUntil(deadline), stop); !synced) {
      return std::move(synced).error();
    }
    const Result<bool> met = internal::ContainResult([&] { return precondition(informer.Lister()); },
                                                     [](const std::string& what) {
                                                       return Error{.code = ErrorCode::kInternal,
                                                                    .message = "the precondition threw: " + what};
                                                     });
    if (!met.ok()) return met.error();
    if (*met) return std::optional<WatchEvent>();
  }
  std::optional<WatchEvent> last;
  for (;;) {
    Result<std::optional<internal::InformerEvent>> next = events.Next(*limit.clock(), deadline, stop);
    if (!next && next.error().code != ErrorCode::kCancelled) return Annotate(std::move(next).error(), informer.Name());
    if (!next || !*next) {
      const std::string why = internal::WhyNoEvents(informer, waits_on);
      if (!next) return internal::StoppedError(informer.Name(), condition.Description(), Seen(last), why);
      return internal::TimeoutError(informer.Name(), limit.timeout(), condition.Description(), Seen(last), why);
    }
    WatchEvent event = std::move((*next)->event);
    const Result<bool> met = condition.IsMetBy(event);
    if (!met.ok()) return met.error();
    if (*met) return std::optional<WatchEvent>(std::move(event));
    last = std::move(event);
  }
}

}  // namespace

Result<std::optional<WatchEvent>> UntilWithSync(const SharedInformer& informer, const EventCondition& condition,
                                                const WaitLimit& limit, const StorePrecondition& precondition,
                                                const std::stop_token& stop) {
  if (informer.OnOwnThread()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = informer.Name() + ": waiting for an informer inside one of its handlers"};
  }
  return UntilOn(informer, internal::WaitsOn::kInformer, condition, limit, precondition, stop);
}

Result<std::optional<WatchEvent>> UntilWithSync(const Client& client, const Resource& resource,
                                                const Selection& selection, const EventCondition& condition,
                                                const WaitLimit& limit, const StorePrecondition& precondition,
                                                const std::stop_token& stop) {
  SharedInformerFactory factory(client, {.threads = 1, .clock = limit.clock()});
  const SharedInformer informer = factory.ForResource(resource, selection);
  factory.Start();
  return UntilOn(informer, internal::WaitsOn::kClient, condition, limit, precondition, stop);
}

}  // namespace kinformer
