#include <kinformer/watch/wait_for.h>

#include <kinformer/meta/selector.h>

#include "src/client/request_target.h"
#include "src/informer/private_informer.h"
#include "src/watch/informer_events.h"
#include "src/watch/wait_text.h"

namespace kinformer {
namespace internal {
namespace {

/// One wait for one object: tests the condition on each new state, and builds the errors.
class Waiting {
 public:
  Waiting(const SharedInformer& informer, WaitsOn waits_on, const std::string& subject, const NamespacedName& key,
          const WaitCondition& condition, const WaitLimit& limit, const std::stop_token& stop)
      : informer_(informer),
        waits_on_(waits_on),
        subject_(subject),
        key_(key),
        condition_(condition),
        limit_(limit),
        stop_(stop) {}

  Result<ObjectPtr> Run() {
    const std::optional<TimePoint> deadline = limit_.Deadline();
    // If the cached state already meets the condition, no handler is needed.
    if (informer_.HasSynced()) {
      if (Ask(informer_.Lister().Find(key_))) return Answer();
    }
    InformerEvents events(informer_, key_);
    if (Result<void> synced = events.WaitForSync(limit_.RemainingUntil(deadline), stop_); !synced)
      return NotSynced(synced.error());
    if (!events.BeginsWithInitial() && Ask(nullptr)) return Answer();
    for (;;) {
      Result<std::optional<InformerEvent>> next = events.Next(*limit_.clock(), deadline, stop_);
      if (!next) return Ended(std::move(next).error());
      if (!*next) return TimedOut(WhyNoEvents(informer_, waits_on_));
      const WatchEvent& event = (*next)->event;
      if (Ask(event.type == WatchEventType::kDeleted ? nullptr : event.object)) return Answer();
    }
  }

 private:
  /// Tests the condition; true if the wait is over, see Answer. Does not test the same state twice.
  bool Ask(const ObjectPtr& object) {
    if (seen_ && *seen_ == object) return false;
    seen_ = object;
    outcome_ = condition_.IsMetBy(object);
    return !outcome_.ok() || *outcome_;
  }

  Result<ObjectPtr> Answer() const {
    if (!outcome_.ok()) return Annotate(outcome_.error(), subject_);
    return *seen_;
  }

  Error NotSynced(Error error) const {
    if (error.code != ErrorCode::kDeadlineExceeded) return Ended(std::move(error));
    const InformerStatus status = informer_.Status();
    if (status.synced || !status.last_error) return TimedOut(WhyNoEvents(informer_, waits_on_));
    // Keeps the code, status and reason of the error that prevented the sync.
    Error why = *status.last_error;
    why.message = TimedOut(WhyNoEvents(informer_, waits_on_, /*with_status=*/false)).message;
    return why;
  }

  Error Ended(Error error) const {
    if (error.code != ErrorCode::kCancelled) return Annotate(std::move(error), subject_);
    return StoppedError(subject_, condition_.Description(), Seen(), WhyNoEvents(informer_, waits_on_));
  }

  Error TimedOut(const std::string& why) const {
    return TimeoutError(subject_, limit_.timeout(), condition_.Description(), Seen(), why);
  }

  std::string Seen() const {
    if (seen_) return condition_.Describe(*seen_);
    return waits_on_ == WaitsOn::kClient ? "nothing" : "nothing, " + informer_.Name() + " not synced";
  }

  const SharedInformer informer_;  ///< A copy: the condition may drop the caller's handle.
  const WaitsOn waits_on_;
  const std::string& subject_;
  const NamespacedName& key_;
  const WaitCondition& condition_;
  const WaitLimit& limit_;
  const std::stop_token& stop_;

  std::optional<ObjectPtr> seen_;  ///< The state tested last; null: absent. Unset: none yet.
  Result<bool> outcome_ = false;
};

Result<ObjectPtr> WaitOn(const SharedInformer& informer, WaitsOn waits_on, const std::string& subject,
                         const NamespacedName& key, const WaitCondition& condition, const WaitLimit& limit,
                         const std::stop_token& stop) {
  if (stop.stop_requested()) return StoppedError(subject, condition.Description(), "nothing", "");
  return Waiting(informer, waits_on, subject, key, condition, limit, stop).Run();
}

}  // namespace

std::string SubjectOf(std::string_view kind, const NamespacedName& key) {
  return std::string(kind) + " " + ToString(key);
}

Result<ObjectPtr> WaitForKey(const SharedInformer& informer, const std::string& subject, const NamespacedName& key,
                             const WaitCondition& condition, const WaitLimit& limit, const std::stop_token& stop) {
  if (key.name.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = subject + ": the object's name is empty"};
  }
  if (informer.OnOwnThread()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = subject + ": waiting for an informer inside one of its handlers"};
  }
  return WaitOn(informer, WaitsOn::kInformer, subject, key, condition, limit, stop);
}

}  // namespace internal

Result<ObjectPtr> WaitFor(const SharedInformer& informer, const NamespacedName& key, const WaitCondition& condition,
                          const WaitLimit& limit, const std::stop_token& stop) {
  return internal::WaitForKey(informer, informer.Name() + ": " + ToString(key), key, condition, limit, stop);
}

Result<ObjectPtr> WaitFor(const ResourceClient& client, const NamespacedName& key, const WaitCondition& condition,
                          const WaitLimit& limit, const std::stop_token& stop) {
  const Resource& resource = client.resource();
  const std::string subject = internal::SubjectOf(resource.kind, key);
  if (key.name.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = subject + ": the object's name is empty"};
  }
  if (resource.scope == Scope::kCluster && !key.namespace_name.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = subject + ": objects of this kind have no namespace"};
  }
  if (auto path = internal::ResourcePath(resource, {key.namespace_name, key.name}); !path) {
    return Annotate(std::move(path).error(), subject);
  }
  Result<FieldSelector> by_name = FieldSelector::From({{.field = "metadata.name", .value = key.name}});
  if (!by_name) return Annotate(std::move(by_name).error(), subject);

  const internal::PrivateInformer own(client,
                                      {.namespace_name = key.namespace_name, .field_selector = ToString(*by_name)},
                                      {.name = subject, .clock = limit.clock()});
  return internal::WaitOn(own.informer(), internal::WaitsOn::kClient, subject, key, condition, limit, stop);
}

}  // namespace kinformer
