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

/// Slots by value, any number of values per slot. File and Remove cost the same however many slots share a value. Each
/// slot costs 4 bytes plus 24 bytes per value.
class ValueIndex {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  using Link = std::uint32_t;
  static constexpr Link kEnd = UINT32_MAX;

 public:
  /// The slots filed under one value, in filing order.
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

  /// Reserves space for `slots` slots with one value each.
  void Reserve(std::size_t slots);

  /// Files the slot under exactly these values; an empty list removes it. Precondition: sorted, without duplicates.
  void File(Slot slot, std::span<const std::string> values) { FileAll(slot, values); }
  void File(Slot slot, std::string_view value) { FileAll(slot, std::span<const std::string_view>(&value, 1)); }
  void Remove(Slot slot) { FileAll(slot, std::span<const std::string_view>()); }

  /// Null if no slot has this value.
  const Group* Find(std::string_view value) const;
  bool Contains(const Group& group, Slot slot) const;
  template <typename Visit>
  void ForEach(const Group& group, Visit visit) const {
    for (Link link = group.first_; link != kEnd; link = filings_[link].next) visit(filings_[link].slot);
  }
  /// The values with at least one slot. Order is unspecified.
  std::vector<std::string> Values() const;

 private:
  using Groups = std::unordered_map<std::string, Group, Hash, std::equal_to<>>;
  /// One value of one slot: a node in both its group's list and its slot's list.
  struct Filing {
    Groups::value_type* group = nullptr;  ///< Map nodes have stable addresses.
    Slot slot = kNoSlot;
    Link previous = kEnd;
    Link next = kEnd;
    Link next_of_slot = kEnd;  ///< In value order. For a free filing: the next free one.
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
