#ifndef KINFORMER_SRC_PROCESSOR_NOTIFICATION_H_
#define KINFORMER_SRC_PROCESSOR_NOTIFICATION_H_

#include <kinformer/codec/object.h>

namespace kinformer::internal {

/// A change to one object. kSync: no change, redelivered by a resync.
struct Notification {
  enum class Kind { kAdd, kUpdate, kDelete, kSync };
  Kind kind = Kind::kAdd;
  ObjectPtr before{};            ///< kUpdate; for kDelete, the last known state.
  ObjectPtr after{};             ///< kAdd, kUpdate, kSync
  bool in_initial_list = false;  ///< kAdd
  bool final_state_unknown = false;
};

/// The object concerned, in the newest state the notification carries.
inline const ObjectPtr& Subject(const Notification& notification) {
  return notification.kind == Notification::Kind::kDelete ? notification.before : notification.after;
}

/// True if a handler counts as synced only after handling this.
inline bool IsInitial(const Notification& notification) {
  return notification.kind == Notification::Kind::kAdd && notification.in_initial_list;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_NOTIFICATION_H_
