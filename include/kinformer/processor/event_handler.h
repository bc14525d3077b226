#ifndef KINFORMER_PROCESSOR_EVENT_HANDLER_H_
#define KINFORMER_PROCESSOR_EVENT_HANDLER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <kinformer/codec/object.h>

namespace kinformer {

/// A deleted object. If `final_state_unknown`, a relist found that the deletion was missed: `last_known` may be
/// outdated.
template <typename T>
struct Deleted {
  T last_known;
  bool final_state_unknown = false;
};

/// Callbacks for events of objects of type T (a view or ObjectPtr). Unset functions are skipped. They run one at a
/// time, in order, on the handler's own thread. Exceptions are caught, counted and logged.
template <typename T>
struct EventHandlerFor {
  /// `in_initial_list`: the object comes from the initial list.
  std::function<void(const T& object, bool in_initial_list)> on_add{};
  /// On a resync, also called with the same object twice.
  std::function<void(const T& before, const T& after)> on_update{};
  std::function<void(const Deleted<T>& gone)> on_delete{};
};
using EventHandler = EventHandlerFor<ObjectPtr>;

/// What happens when a handler is slower than the events.
enum class Overflow {
  /// Every event is queued, as in client-go.
  kUnbounded,
  /// Beyond `max_pending`, events of the same object are coalesced: the latest state wins, and deletions are never
  /// dropped.
  kCoalesce,
};

struct HandlerOptions {
  /// For status and messages. Default: "1", "2", … in the order in which handlers are added.
  std::string name{};
  /// How often the handler sees every object again, at least a second; zero: never; nullopt: the informer's period.
  std::optional<std::chrono::milliseconds> resync{};
  Overflow overflow = Overflow::kUnbounded;
  std::size_t max_pending = 1024;
};

/// Shows the handler only objects that match: an update that crosses the predicate becomes an addition or a deletion.
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
