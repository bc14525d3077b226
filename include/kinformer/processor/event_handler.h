#ifndef KINFORMER_PROCESSOR_EVENT_HANDLER_H_
#define KINFORMER_PROCESSOR_EVENT_HANDLER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include <kinformer/codec/object.h>

namespace kinformer {

/// An object that is gone. Of one whose deletion was missed (found out by a relist) only the last known state is there.
template <typename T>
struct Deleted {
  T last_known;
  bool final_state_unknown = false;
};

/// What to do when something happens to an object of type T (a view, or ObjectPtr). Functions left out are not called.
/// They run one at a time, in order, on the handler's own thread; what they throw is caught, counted and reported.
template <typename T>
struct EventHandlerFor {
  /// `in_initial_list`: it was there when the handler came.
  std::function<void(const T& object, bool in_initial_list)> on_add{};
  /// Also called with the same object twice when a resync is due.
  std::function<void(const T& before, const T& after)> on_update{};
  std::function<void(const Deleted<T>& gone)> on_delete{};
};
using EventHandler = EventHandlerFor<ObjectPtr>;

/// What happens when a handler is slower than the events.
enum class Overflow {
  /// Everything waits, as in client-go.
  kUnbounded,
  /// Beyond `max_pending`, events of one object are folded into one: the latest state wins, deletes are never dropped.
  kCoalesce,
};

struct HandlerOptions {
  /// How often the handler wants to see every object again; zero: never. At least a second.
  std::chrono::milliseconds resync{0};
  Overflow overflow = Overflow::kUnbounded;
  std::size_t max_pending = 1024;
};

/// Turns updates that cross the predicate into adds and deletes: the handler sees only objects that match.
template <typename T, typename Predicate>
EventHandlerFor<T> Filtered(Predicate predicate, EventHandlerFor<T> handler) {
  EventHandlerFor<T> filtered;
  filtered.on_add = [predicate, on_add = handler.on_add](const T& object, bool in_initial_list) {
    if (on_add && predicate(object)) on_add(object, in_initial_list);
  };
  filtered.on_update = [predicate, handler](const T& before, const T& after) {
    const bool was = predicate(before);
    const bool is = predicate(after);
    if (was && is) {
      if (handler.on_update) handler.on_update(before, after);
    } else if (is) {
      if (handler.on_add) handler.on_add(after, false);
    } else if (was) {
      if (handler.on_delete) handler.on_delete(Deleted<T>{before, false});
    }
  };
  filtered.on_delete = [predicate, on_delete = handler.on_delete](const Deleted<T>& gone) {
    if (on_delete && predicate(gone.last_known)) on_delete(gone);
  };
  return filtered;
}

}  // namespace kinformer

#endif  // KINFORMER_PROCESSOR_EVENT_HANDLER_H_
