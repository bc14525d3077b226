#ifndef KINFORMER_SRC_PROCESSOR_COALESCING_QUEUE_H_
#define KINFORMER_SRC_PROCESSOR_COALESCING_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "src/processor/notification.h"

namespace kinformer::internal {

/// A FIFO while fewer than `max_pending` notifications wait. Beyond that, a notification is folded into the one pending
/// for the same object, if there is one.
///
/// Folding keeps the handler's view consistent. The next call for an object starts from the state the handler last saw
/// (some state, deleted, or nothing), and the last call leaves it at the object's current state:
///
///   pending                    next               pending after folding
///   add 1                      update 1→2, sync   add 2
///   add 1                      delete             nothing: the handler never saw it
///   update 1→2                 update 2→3, sync   update 1→3
///   update 1→2, or a sync      delete 3           delete 3
///   sync 1                     update 1→2         update 1→2
///   delete 1                   add 2              delete 1, then add 2: two objects of one name
///   delete 1, add 2            update 2→3         delete 1, add 3
///   delete 1, add 2            delete             delete 1
///   update 1→2, other uid      delete             delete 1 (final state unknown): the handler never saw 2
///
/// A deletion of an object the handler has seen is therefore always delivered. Order is preserved per object; across
/// objects, a folded event takes the position of the one it was folded into. At most `max_pending` plus twice the
/// number of objects are pending.
///
/// @par Thread Safety
/// None: the owner locks.
class CoalescingQueue {
 public:
  explicit CoalescingQueue(std::size_t max_pending) : max_pending_(max_pending) {}

  /// Precondition: notifications for one object are consecutive, like the changes of a store.
  void Push(Notification notification);
  /// Precondition: Size() > 0.
  Notification Pop();
  /// Pending calls.
  std::size_t Size() const { return size_; }
  /// Pending additions from the initial list.
  std::size_t Initial() const { return initial_; }
  /// Calls saved by folding so far.
  std::uint64_t Coalesced() const { return coalesced_; }

 private:
  // Up to two calls for one object, in this order.
  struct Entry {
    std::optional<Notification> deletion{};
    std::optional<Notification> change{};
  };
  // Views into an object held by the entry. When folding releases that object, the key is rebuilt.
  struct Key {
    std::string_view namespace_name{};
    std::string_view name{};
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  using Entries = std::list<Entry>;

  static Key KeyOf(const Entry& entry);
  static Entry Fold(Entry entry, Notification next);
  void Count(const Entry& entry);
  void Uncount(const Entry& entry);

  std::size_t max_pending_;
  Entries entries_;
  // The last entry of each object.
  std::unordered_map<Key, Entries::iterator, KeyHash> last_;
  std::size_t size_ = 0;
  std::size_t initial_ = 0;
  std::uint64_t coalesced_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_PROCESSOR_COALESCING_QUEUE_H_
