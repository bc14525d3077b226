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

/// Everything in the order it came while no more than `max_pending` wait; from there on what comes is folded into what
/// waits for the same object, if anything does.
///
/// Folding keeps true what the handler has been told. Whatever it was told last about an object, say that it is in
/// state 1, gone, or nothing at all, is where the next call for that object starts, and the last call leaves it where
/// the object is:
///
///   waits                      comes              waits then
///   add 1                      update 1→2, sync   add 2
///   add 1                      delete             nothing: it was never told of it
///   update 1→2                 update 2→3, sync   update 1→3
///   update 1→2, or a sync      delete 3           delete 3
///   sync 1                     update 1→2         update 1→2
///   delete 1                   add 2              delete 1, then add 2: two objects of one name
///   delete 1, add 2            update 2→3         delete 1, add 3
///   delete 1, add 2            delete             delete 1
///   update 1→2, other uid      delete             delete 1 (final state unknown): the handler never heard of 2
///
/// So an object that the handler has seen and that goes is always deleted for it. Order is kept for each object;
/// between objects a folded event takes the place of the one it was folded into. No more than `max_pending` and twice
/// the number of objects wait at any time.
///
/// @par Thread Safety
/// None: its owner locks.
class CoalescingQueue {
 public:
  explicit CoalescingQueue(std::size_t max_pending) : max_pending_(max_pending) {}

  /// Precondition: notifications of one object follow one another, as changes of a store do.
  void Push(Notification notification);
  /// Precondition: Size() > 0.
  Notification Pop();
  /// Calls that wait.
  std::size_t Size() const { return size_; }
  /// Additions of the initial list among them.
  std::size_t Initial() const { return initial_; }
  /// Calls that folding has saved so far.
  std::uint64_t Coalesced() const { return coalesced_; }

 private:
  // Up to two calls about one object, in this order.
  struct Entry {
    std::optional<Notification> deletion{};
    std::optional<Notification> change{};
  };
  // Views into the object that the entry holds; where folding lets go of that object, the key is made anew.
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
