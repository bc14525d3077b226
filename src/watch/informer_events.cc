#include "src/watch/informer_events.h"

#include <utility>

namespace kinformer::internal {

/// The handler's end of the inbox. Shared by the handler's functions, which are destroyed when the handler ends for any
/// reason: its destructor tells the reader that the informer was shut down.
class InformerEvents::Tap {
 public:
  Tap(std::shared_ptr<Inbox> inbox, std::optional<NamespacedName> only)
      : inbox_(std::move(inbox)), only_(std::move(only)) {}
  ~Tap() {
    {
      const MutexLock lock(inbox_->mutex);
      inbox_->closed = true;
    }
    inbox_->changed.NotifyAll();
  }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  void Put(WatchEventType type, const ObjectPtr& object, bool in_initial_list) const {
    if (only_ && (object->Name() != only_->name || object->Namespace() != only_->namespace_name)) return;
    {
      const MutexLock lock(inbox_->mutex);
      inbox_->events.push_back({.event = {.type = type, .object = object}, .in_initial_list = in_initial_list});
      if (only_ && inbox_->events.size() > kMaxOfOne) inbox_->events.pop_front();
    }
    inbox_->changed.NotifyAll();
  }

 private:
  const std::shared_ptr<Inbox> inbox_;
  const std::optional<NamespacedName> only_;
};

EventHandler InformerEvents::Handler(const std::shared_ptr<Inbox>& inbox, const std::optional<NamespacedName>& only) {
  const auto tap = std::make_shared<const Tap>(inbox, only);
  return {.on_add = [tap](const ObjectPtr& object, bool initial) { tap->Put(WatchEventType::kAdded, object, initial); },
          .on_update =
              [tap](const ObjectPtr& before, const ObjectPtr& after) {
                // A resync is not an event.
                if (before != after) tap->Put(WatchEventType::kModified, after, false);
              },
          .on_delete =
              [tap](const Deleted<ObjectPtr>& gone) { tap->Put(WatchEventType::kDeleted, gone.last_known, false); }};
}

InformerEvents::InformerEvents(const SharedInformer& informer, const std::optional<NamespacedName>& only)
    : registration_(informer.AddEventHandler(Handler(inbox_, only))) {}

Result<std::optional<InformerEvent>> InformerEvents::Next(const Clock& clock, std::optional<TimePoint> deadline,
                                                          const std::stop_token& stop) {
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"};
  MutexLock lock(inbox_->mutex);
  inbox_->changed.Wait(lock, clock, deadline, stop, [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
    return !inbox_->events.empty() || inbox_->closed;
  });
  if (!inbox_->events.empty()) {
    InformerEvent event = std::move(inbox_->events.front());
    inbox_->events.pop_front();
    return std::optional<InformerEvent>(std::move(event));
  }
  if (inbox_->closed) {
    return Error{.code = ErrorCode::kFailedPrecondition, .message = "the informer is shut down"};
  }
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"};
  return std::optional<InformerEvent>();
}

bool InformerEvents::BeginsWithInitial() const {
  const MutexLock lock(inbox_->mutex);
  return !inbox_->events.empty() && inbox_->events.front().in_initial_list;
}

}  // namespace kinformer::internal
