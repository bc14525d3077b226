#include "src/store/object_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace kinformer::internal {
namespace {

constexpr std::size_t kMinCells = 8;
/// Compacting fewer unused bytes is not worth the work.
constexpr std::size_t kMinUnusedTexts = 4096;

}  // namespace

std::uint32_t ObjectTable::Hash(std::string_view namespace_name, std::string_view name) {
  const std::hash<std::string_view> hash;
  const std::uint64_t mixed = hash(name) ^ (static_cast<std::uint64_t>(hash(namespace_name)) * 0x9e3779b97f4a7c15ULL);
  return static_cast<std::uint32_t>(mixed ^ (mixed >> 32U));
}

std::size_t ObjectTable::CellsFor(std::size_t objects) {
  return std::bit_ceil(std::max(kMinCells, objects + objects / 3 + 1));
}

void ObjectTable::Reserve(std::size_t objects) {
  objects_.reserve(objects);
  keys_.reserve(objects);
  if (const std::size_t cells = CellsFor(objects); cells > cells_.size()) Rehash(cells);
}

Slot ObjectTable::Find(std::string_view namespace_name, std::string_view name) const {
  if (cells_.empty()) return kNoSlot;
  return cells_[FindCell(Hash(namespace_name, name), namespace_name, name)].slot;
}

ObjectTable::Change ObjectTable::Set(ObjectPtr object) {
  if (const std::size_t cells = CellsFor(Size() + 1); cells > cells_.size()) Rehash(cells);
  const std::string_view namespace_name = object->Namespace();
  const std::string_view name = object->Name();
  const std::uint32_t hash = Hash(namespace_name, name);
  Cell& cell = cells_[FindCell(hash, namespace_name, name)];
  if (cell.slot != kNoSlot) return {cell.slot, std::exchange(objects_[cell.slot], std::move(object))};

  const Key key = AppendKey(namespace_name, name);
  Slot slot = SlotsEnd();
  if (free_.empty()) {
    objects_.push_back(std::move(object));
    keys_.push_back(key);
  } else {
    slot = free_.back();
    free_.pop_back();
    objects_[slot] = std::move(object);
    keys_[slot] = key;
  }
  cell = {hash, slot};
  return {slot, nullptr};
}

ObjectTable::Change ObjectTable::Erase(std::string_view namespace_name, std::string_view name) {
  if (cells_.empty()) return {};
  const std::size_t cell = FindCell(Hash(namespace_name, name), namespace_name, name);
  const Slot slot = cells_[cell].slot;
  if (slot == kNoSlot) return {};
  FreeCell(cell);
  free_.push_back(slot);
  unused_texts_ += std::exchange(keys_[slot], {}).Size();
  return {slot, std::exchange(objects_[slot], nullptr)};
}

std::size_t ObjectTable::FindCell(std::uint32_t hash, std::string_view namespace_name, std::string_view name) const {
  std::size_t cell = hash & (cells_.size() - 1);
  for (; cells_[cell].slot != kNoSlot; cell = Next(cell)) {
    if (cells_[cell].hash != hash) continue;
    const Slot slot = cells_[cell].slot;
    if (NameAt(slot) == name && NamespaceAt(slot) == namespace_name) break;
  }
  return cell;
}

void ObjectTable::Rehash(std::size_t cells) {
  const std::vector<Cell> old = std::exchange(cells_, std::vector<Cell>(cells));
  for (const Cell& moved : old) {
    if (moved.slot == kNoSlot) continue;
    std::size_t cell = Home(moved);
    while (cells_[cell].slot != kNoSlot) cell = Next(cell);
    cells_[cell] = moved;
  }
}

void ObjectTable::FreeCell(std::size_t cell) {
  // Backward-shift deletion: move up entries whose probe sequence passed this cell, so that no search ends early.
  const std::size_t mask = cells_.size() - 1;
  std::size_t hole = cell;
  for (std::size_t at = Next(hole); cells_[at].slot != kNoSlot; at = Next(at)) {
    const std::size_t from_home = (at - Home(cells_[at])) & mask;
    const std::size_t from_hole = (at - hole) & mask;
    if (from_home < from_hole) continue;
    cells_[hole] = cells_[at];
    hole = at;
  }
  cells_[hole] = {};
}

ObjectTable::Key ObjectTable::AppendKey(std::string_view namespace_name, std::string_view name) {
  if (unused_texts_ > kMinUnusedTexts && unused_texts_ > texts_.size() / 2) CompactTexts();
  const Key key{static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(namespace_name.size()),
                static_cast<std::uint32_t>(name.size())};
  texts_.append(namespace_name).append(name);
  return key;
}

void ObjectTable::CompactTexts() {
  std::string compact;
  compact.reserve(texts_.size() - unused_texts_);
  for (Key& key : keys_) {
    const auto offset = static_cast<std::uint32_t>(compact.size());
    compact.append(texts_, key.offset, key.Size());
    key.offset = offset;
  }
  texts_ = std::move(compact);
  unused_texts_ = 0;
}

}  // namespace kinformer::internal
