#include <kinformer/api/map.h>

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/api/element.h"

namespace kinformer::api::internal {
namespace {

using Example = MapEntry<IntOrString>;

constexpr std::size_t kValueOffset = sizeof(std::string);
constexpr std::size_t kAlignment = alignof(std::string);
static_assert(sizeof(Example) == kValueOffset + sizeof(IntOrString) && alignof(IntOrString) <= kAlignment,
              "the values of a map lie right behind their keys");

}  // namespace

std::size_t MapData::Stride(const Type& value) {
  return (kValueOffset + value.size + kAlignment - 1) / kAlignment * kAlignment;
}

std::string& MapData::Key(const Type& value, std::size_t index) const {
  return *reinterpret_cast<std::string*>(static_cast<char*>(data) + index * Stride(value));
}

void* MapData::Value(const Type& value, std::size_t index) const {
  return static_cast<char*>(data) + index * Stride(value) + kValueOffset;
}

std::size_t MapData::LowerBound(const Type& value, std::string_view key) const {
  // Servers send maps sorted.
  if (size == 0 || Key(value, size - 1) < key) return size;
  std::size_t begin = 0;
  std::size_t count = size;
  while (count > 0) {
    const std::size_t half = count / 2;
    if (Key(value, begin + half) < key) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}

const void* MapData::Find(const Type& value, std::string_view key) const {
  const std::size_t index = LowerBound(value, key);
  return index < size && Key(value, index) == key ? Value(value, index) : nullptr;
}

void* MapData::Renew(const Type& value, std::string_view key) {
  const std::size_t index = LowerBound(value, key);
  if (index < size && Key(value, index) == key) {
    void* const slot = Value(value, index);
    DestroyElement(value, slot);
    ConstructElement(value, slot);
    return slot;
  }
  std::string new_key(key);
  if (size == capacity) Grow(value);
  // Makes room from the end.
  for (std::size_t i = size; i > index; --i) {
    ::new (&Key(value, i)) std::string(std::move(Key(value, i - 1)));
    Key(value, i - 1).~basic_string();
    MoveElement(value, Value(value, i), Value(value, i - 1));
    DestroyElement(value, Value(value, i - 1));
  }
  ::new (&Key(value, index)) std::string(std::move(new_key));
  ConstructElement(value, Value(value, index));
  ++size;
  state = State::kValue;
  return Value(value, index);
}

void MapData::SetMoved(const Type& value, std::string_view key, void* from) {
  void* const slot = Renew(value, key);
  DestroyElement(value, slot);
  MoveElement(value, slot, from);
}

void* MapData::Append(const Type& value, std::string_view key) {
  std::string new_key(key);
  if (size == capacity) Grow(value);
  void* const slot = Value(value, size);
  ConstructElement(value, slot);
  ::new (&Key(value, size)) std::string(std::move(new_key));
  ++size;
  state = State::kValue;
  return slot;
}

void MapData::AppendMoved(const Type& value, std::string_view key, void* from) {
  void* const slot = Append(value, key);
  DestroyElement(value, slot);
  MoveElement(value, slot, from);
}

void MapData::Sort(const Type& value) {
  const auto is_sorted = [&] {
    for (std::size_t i = 1; i < size; ++i) {
      if (Key(value, i - 1) >= Key(value, i)) return false;
    }
    return true;
  };
  if (is_sorted()) return;
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int keys = Key(value, a).compare(Key(value, b));
    return keys != 0 ? keys < 0 : a < b;
  });
  MapData sorted;
  sorted.data = ::operator new(capacity* Stride(value));
  sorted.capacity = capacity;
  sorted.state = state;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_last = i + 1 == order.size() || Key(value, order[i]) != Key(value, order[i + 1]);
    if (is_last) sorted.TakeEntry(value, *this, order[i]);
  }
  MoveFrom(value, sorted);
}

void MapData::TakeEntry(const Type& value, const MapData& other, std::size_t index) noexcept {
  ::new (&Key(value, size)) std::string(std::move(other.Key(value, index)));
  MoveElement(value, Value(value, size), other.Value(value, index));
  ++size;
}

void MapData::Grow(const Type& value) {
  const std::size_t count = std::max<std::size_t>(4, size * std::size_t{2});
  if (count > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("kinformer::api::Map is too large");
  MapData larger;
  larger.data = ::operator new(count* Stride(value));
  larger.capacity = static_cast<std::uint32_t>(count);
  larger.state = state;
  for (std::size_t i = 0; i < size; ++i) larger.TakeEntry(value, *this, i);
  MoveFrom(value, larger);
}

bool MapData::Erase(const Type& value, std::string_view key) {
  const std::size_t index = LowerBound(value, key);
  if (index == size || Key(value, index) != key) return false;
  DestroyElement(value, Value(value, index));
  for (std::size_t i = index + 1; i < size; ++i) {
    Key(value, i - 1) = std::move(Key(value, i));
    MoveElement(value, Value(value, i - 1), Value(value, i));
    DestroyElement(value, Value(value, i));
  }
  --size;
  Key(value, size).~basic_string();
  return true;
}

void MapData::CopyFrom(const Type& value, const MapData& other) {
  MapData copy;
  try {
    for (std::size_t i = 0; i < other.size; ++i) {
      CopyElement(value, copy.Append(value, other.Key(value, i)), other.Value(value, i));
    }
  } catch (...) {
    copy.Reset(value);
    throw;
  }
  copy.state = other.state;
  MoveFrom(value, copy);
}

void MapData::MoveFrom(const Type& value, MapData& other) noexcept {
  // `other` may be inside of what is about to be destroyed.
  MapData old = std::exchange(*this, std::exchange(other, MapData()));
  old.Reset(value);
}

void MapData::Clear(const Type& value) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    DestroyElement(value, Value(value, i));
    Key(value, i).~basic_string();
  }
  size = 0;
}

void MapData::Reset(const Type& value) noexcept {
  Clear(value);
  ::operator delete(data);
  *this = MapData();
}

bool MapData::Equal(const Type& value, const MapData& a, const MapData& b) {
  return a.state == b.state && SameContents(value, a, b);
}

bool MapData::SameContents(const Type& value, const MapData& a, const MapData& b) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i) {
    if (a.Key(value, i) != b.Key(value, i)) return false;
    if (!ElementsEqual(value, a.Value(value, i), b.Value(value, i))) return false;
  }
  return true;
}

}  // namespace kinformer::api::internal
