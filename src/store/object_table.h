#ifndef KINFORMER_SRC_STORE_OBJECT_TABLE_H_
#define KINFORMER_SRC_STORE_OBJECT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer::internal {

/// The place of an object in an ObjectTable. An object keeps its slot, through updates, until it is erased.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

/// Objects by namespace and name: an open hash table of slots. Keys are kept together, apart from the objects: a search
/// that looked into objects would fetch three or four pieces of cold memory for each. An object costs 28 bytes, its
/// key, and its share of the hash table, 11 to 22 bytes.
class ObjectTable {
 public:
  /// What a Set or Erase did.
  struct Change {
    Slot slot = kNoSlot;
    ObjectPtr before{};
  };

  /// Room for that many objects.
  void Reserve(std::size_t objects);
  /// Gives back room that is not used.
  void ShrinkTexts() { texts_.shrink_to_fit(); }

  /// kNoSlot if it is not there.
  Slot Find(std::string_view namespace_name, std::string_view name) const;
  /// Precondition: `object` is not null. `before` is null if it is new.
  Change Set(ObjectPtr object);
  /// `slot` is kNoSlot if it was not there.
  Change Erase(std::string_view namespace_name, std::string_view name);

  /// Null for a slot that is free.
  const ObjectPtr& At(Slot slot) const { return objects_[slot]; }
  /// The namespace of a slot that is not free. Valid until the next Set.
  std::string_view NamespaceAt(Slot slot) const {
    return std::string_view(texts_).substr(keys_[slot].offset, keys_[slot].namespace_size);
  }
  std::string_view NameAt(Slot slot) const {
    return std::string_view(texts_).substr(keys_[slot].offset + keys_[slot].namespace_size, keys_[slot].name_size);
  }
  /// Slots are below this.
  Slot SlotsEnd() const { return static_cast<Slot>(objects_.size()); }
  std::size_t Size() const { return objects_.size() - free_.size(); }

 private:
  struct Cell {
    std::uint32_t hash = 0;
    Slot slot = kNoSlot;
  };

  /// Where in texts_: the namespace, and the name right after it.
  struct Key {
    std::size_t Size() const { return std::size_t{namespace_size} + name_size; }

    std::uint32_t offset = 0;
    std::uint32_t namespace_size = 0;
    std::uint32_t name_size = 0;
  };

  static std::uint32_t Hash(std::string_view namespace_name, std::string_view name);
  static std::size_t CellsFor(std::size_t objects);
  /// The cell with that key, or the free one where the search for it ended. Precondition: there are cells.
  std::size_t FindCell(std::uint32_t hash, std::string_view namespace_name, std::string_view name) const;
  std::size_t Home(const Cell& cell) const { return cell.hash & (cells_.size() - 1); }
  std::size_t Next(std::size_t cell) const { return (cell + 1) & (cells_.size() - 1); }
  void Rehash(std::size_t cells);
  void FreeCell(std::size_t cell);
  Key AppendKey(std::string_view namespace_name, std::string_view name);
  /// Gives up the texts of keys that are gone.
  void CompactTexts();

  std::vector<ObjectPtr> objects_;  ///< By slot.
  std::vector<Key> keys_;           ///< By slot.
  std::string texts_;
  std::size_t unused_texts_ = 0;
  std::vector<Slot> free_;
  std::vector<Cell> cells_;  ///< A power of two of them, or none; linear probing, at most three quarters used.
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_STORE_OBJECT_TABLE_H_
