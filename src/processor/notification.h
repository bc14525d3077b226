#ifndef KINFORMER_SRC_PROCESSOR_NOTIFICATION_H_
#define KINFORMER_SRC_PROCESSOR_NOTIFICATION_H_

#include <kinformer/codec/object.h>

namespace kinformer::internal {

/// What happened to one object. kSync: nothing did, but a resync shows it again (`before` is `after`).
struct Notification {
  enum class Kind { kAdd, kUpdate, kDelete, kSync };
  Kind kind = Kind::kAdd;
  ObjectPtr before{};            ///< kUpdate; of a kDelete, the last known state.
  ObjectPtr after{};             ///< kAdd, kUpdate, kSync
  bool in_initial_list = false;  ///< kAdd
  bool final_state_unknown = false;
};

/// The object that it is about, in the newest state it names.
inline const ObjectPtr& Subject(const Notification& notification) {
  return notification.kind == Notification::Kind::kDelete ? notification.before : notification.after;
}

/// True if a handler is not synced before it has handled this.
inline bool IsInitial(const Notification& notification) {
  return notification.kind == Notification::Kind::kAdd && notification.in_initial_list;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_NOTIFICATION_H_
