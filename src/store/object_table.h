#ifndef KINFORMER_SRC_STORE_OBJECT_TABLE_H_
#define KINFORMER_SRC_STORE_OBJECT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer::internal {

/// The position of an object in an ObjectTable. Stable across updates, until the object is erased.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

/// Objects by namespace and name: an open-addressing hash table of slots. Keys are stored contiguously, apart from the
/// objects: comparing keys inside the objects would cost three or four cache misses per probe. Overhead per object: 28
/// bytes, the key's text, and 11 to 22 bytes of hash table.
class ObjectTable {
 public:
  /// The result of a Set or Erase.
  struct Change {
    Slot slot = kNoSlot;
    ObjectPtr before{};
  };

  /// Reserves space for `objects` objects.
  void Reserve(std::size_t objects);
  /// Releases unused capacity of the key text.
  void ShrinkTexts() { texts_.shrink_to_fit(); }

  /// kNoSlot if not found.
  Slot Find(std::string_view namespace_name, std::string_view name) const;
  /// Precondition: `object` is not null. `before` is null if the key is new.
  Change Set(ObjectPtr object);
  /// `slot` is kNoSlot if the key was not found.
  Change Erase(std::string_view namespace_name, std::string_view name);

  /// Null for a free slot.
  const ObjectPtr& At(Slot slot) const { return objects_[slot]; }
  /// Precondition: the slot is in use. Valid until the next Set.
  std::string_view NamespaceAt(Slot slot) const {
    return std::string_view(texts_).substr(keys_[slot].offset, keys_[slot].namespace_size);
  }
  std::string_view NameAt(Slot slot) const {
    return std::string_view(texts_).substr(keys_[slot].offset + keys_[slot].namespace_size, keys_[slot].name_size);
  }
  /// All slots are below this.
  Slot SlotsEnd() const { return static_cast<Slot>(objects_.size()); }
  std::size_t Size() const { return objects_.size() - free_.size(); }

 private:
  struct Cell {
    std::uint32_t hash = 0;
    Slot slot = kNoSlot;
  };

  /// Location in texts_: the namespace, immediately followed by the name.
  struct Key {
    std::size_t Size() const { return std::size_t{namespace_size} + name_size; }

    std::uint32_t offset = 0;
    std::uint32_t namespace_size = 0;
    std::uint32_t name_size = 0;
  };

  static std::uint32_t Hash(std::string_view namespace_name, std::string_view name);
  static std::size_t CellsFor(std::size_t objects);
  /// The cell with that key, or the free cell that ended the search. Precondition: cells_ is not empty.
  std::size_t FindCell(std::uint32_t hash, std::string_view namespace_name, std::string_view name) const;
  std::size_t Home(const Cell& cell) const { return cell.hash & (cells_.size() - 1); }
  std::size_t Next(std::size_t cell) const { return (cell + 1) & (cells_.size() - 1); }
  void Rehash(std::size_t cells);
  void FreeCell(std::size_t cell);
  Key AppendKey(std::string_view namespace_name, std::string_view name);
  /// Drops the text of erased keys.
  void CompactTexts();

  std::vector<ObjectPtr> objects_;  ///< By slot.
  std::vector<Key> keys_;           ///< By slot.
  std::string texts_;
  std::size_t unused_texts_ = 0;
  std::vector<Slot> free_;
  std::vector<Cell> cells_;  ///< Size is zero or a power of two. Linear probing, load factor at most 3/4.
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_STORE_OBJECT_TABLE_H_
