#ifndef KINFORMER_SRC_STORE_VALUE_INDEX_H_
#define KINFORMER_SRC_STORE_VALUE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/store/object_table.h"

namespace kinformer::internal {

/// Slots by value, any number of values a slot. To file, move and remove costs the same however many share a value; one
/// value of one slot takes 24 bytes and each slot 4.
class ValueIndex {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  using Link = std::uint32_t;
  static constexpr Link kEnd = UINT32_MAX;

 public:
  /// The slots under one value, in the order in which they were filed.
  class Group {
   public:
    std::size_t Size() const { return size_; }

   private:
    friend class ValueIndex;
    Link first_ = kEnd;
    Link last_ = kEnd;
    std::uint32_t size_ = 0;
  };

  ValueIndex() = default;
  ValueIndex(ValueIndex&&) = default;
  ValueIndex& operator=(ValueIndex&&) = default;
  ValueIndex(const ValueIndex&) = delete;
  ValueIndex& operator=(const ValueIndex&) = delete;
  ~ValueIndex() = default;

  /// Room for that many slots with a value each.
  void Reserve(std::size_t slots);

  /// Files the slot under these values and no others; none removes it. Precondition: sorted, each once.
  void File(Slot slot, std::span<const std::string> values) { FileAll(slot, values); }
  void File(Slot slot, std::string_view value) { FileAll(slot, std::span<const std::string_view>(&value, 1)); }
  void Remove(Slot slot) { FileAll(slot, std::span<const std::string_view>()); }

  /// Null if nothing is filed under it.
  const Group* Find(std::string_view value) const;
  bool Contains(const Group& group, Slot slot) const;
  template <typename Visit>
  void ForEach(const Group& group, Visit visit) const {
    for (Link link = group.first_; link != kEnd; link = filings_[link].next) visit(filings_[link].slot);
  }
  /// Those with at least one slot, in no order.
  std::vector<std::string> Values() const;

 private:
  using Groups = std::unordered_map<std::string, Group, Hash, std::equal_to<>>;
  /// One value of one slot: a link in its group's list, and in its slot's.
  struct Filing {
    Groups::value_type* group = nullptr;  ///< Nodes of the map stay where they are.
    Slot slot = kNoSlot;
    Link previous = kEnd;
    Link next = kEnd;
    Link next_of_slot = kEnd;  ///< In the order of values; of a free filing, the next free one.
  };

  template <typename Text>
  void FileAll(Slot slot, std::span<const Text> values);
  template <typename Text>
  bool IsFiledUnder(Slot slot, std::span<const Text> values) const;
  Link Append(Slot slot, std::string_view value);
  void Unlink(Link link);

  Groups groups_;
  std::vector<Filing> filings_;
  Link free_ = kEnd;
  std::vector<Link> first_of_slot_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_STORE_VALUE_INDEX_H_
