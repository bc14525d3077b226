#include <kinformer/watch/wait_for.h>

#include <memory>

#include <kinformer/base/task_pool.h>
#include <kinformer/meta/selector.h>

#include "src/client/http_lister_watcher.h"
#include "src/client/request_target.h"
#include "src/informer/informer_core.h"
#include "src/watch/informer_events.h"
#include "src/watch/wait_text.h"

namespace kinformer {
namespace internal {
namespace {

/// One wait for one object: what it has been asked about, and how that is told.
class Waiting {
 public:
  Waiting(const SharedInformer& informer, const std::string& subject, const NamespacedName& key,
          const WaitCondition& condition, const WaitLimit& limit, const std::stop_token& stop)
      : informer_(informer), subject_(subject), key_(key), condition_(condition), limit_(limit), stop_(stop) {}

  Result<ObjectPtr> Run() {
    const std::optional<TimePoint> deadline = limit_.Deadline();
    // What the cache has may do: then there is no need of a handler.
    if (informer_.HasSynced()) {
      Result<ObjectPtr> cached = informer_.Lister().Get(key_.namespace_name, key_.name);
      if (Ask(cached ? *cached : nullptr)) return Answer();
    }
    InformerEvents events(informer_, key_);
    if (Result<void> synced = events.WaitForSync(limit_.LeftUntil(deadline), stop_); !synced)
      return NotSynced(synced.error());
    if (!events.BeginsWithInitial() && Ask(nullptr)) return Answer();
    for (;;) {
      Result<std::optional<InformerEvent>> next = events.Next(*limit_.clock(), deadline, stop_);
      if (!next) return Annotate(std::move(next).error(), subject_);
      if (!*next) {
        return WaitedInVain(subject_, limit_.timeout(), condition_.Description(), condition_.Describe(*seen_),
                            WhyQuiet(informer_));
      }
      const WatchEvent& event = (*next)->event;
      if (Ask(event.type == WatchEventType::kDeleted ? nullptr : event.object)) return Answer();
    }
  }

 private:
  /// True: that is the end, see Answer. Nobody is asked twice about the same state.
  bool Ask(const ObjectPtr& object) {
    if (seen_ && *seen_ == object) return false;
    seen_ = object;
    outcome_ = condition_.IsMetBy(object);
    return !outcome_ || *outcome_;
  }

  Result<ObjectPtr> Answer() const {
    if (!outcome_) return Annotate(outcome_.error(), subject_);
    return *seen_;
  }

  Error NotSynced(Error error) const {
    if (error.code != ErrorCode::kDeadlineExceeded) return Annotate(std::move(error), subject_);
    const InformerStatus status = informer_.Status();
    const std::string seen = !seen_ ? "nothing, " + informer_.Name() + " not synced" : condition_.Describe(*seen_);
    Error in_vain = WaitedInVain(subject_, limit_.timeout(), condition_.Description(), seen, WhyQuiet(informer_));
    if (status.synced || !status.last_error) return in_vain;
    Error why = *status.last_error;
    why.message = std::move(in_vain.message);
    return why;
  }

  const SharedInformer& informer_;
  const std::string& subject_;
  const NamespacedName& key_;
  const WaitCondition& condition_;
  const WaitLimit& limit_;
  const std::stop_token& stop_;

  std::optional<ObjectPtr> seen_;  ///< The state asked about last; null: absent.
  Result<bool> outcome_ = false;
};

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
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = subject + ": stopped"};
  return Waiting(informer, subject, key, condition, limit, stop).Run();
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

  const auto source = internal::MakeHttpListerWatcher(
      client, {.namespace_name = key.namespace_name, .field_selector = ToString(*by_name)});
  // A list and a watch, which every server has: to stream one object saves nothing.
  internal::ReflectorOptions reflector{.name = subject,
                                       .expected = source->ExpectedKind(),
                                       .expected_namespace = source->ExpectedNamespace(),
                                       .streaming_lists = false};
  const auto pool = std::make_shared<TaskPool>(TaskPoolOptions{.threads = 1, .clock = limit.clock()});
  pool->Start();
  const SharedInformer informer(
      std::make_shared<internal::InformerCore>(pool, source, internal::InformerCoreOptions{.reflector = reflector}));
  informer.Start();
  return internal::WaitForKey(informer, subject, key, condition, limit, stop);
}

}  // namespace kinformer
