#include <kinformer/api/list.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "src/api/element.h"

namespace kinformer::api::internal {

void ListData::Reserve(const Type& element, std::size_t count) {
  if (count <= capacity) return;
  if (count > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("kinformer::api::List is too long");
  void* const memory = ::operator new(count* element.size);
  for (std::size_t i = 0; i < size; ++i) {
    void* const from = At(element, i);
    MoveElement(element, static_cast<char*>(memory) + i * element.size, from);
    DestroyElement(element, from);
  }
  ::operator delete(data);
  data = memory;
  capacity = static_cast<std::uint32_t>(count);
}

void* ListData::Append(const Type& element) {
  // Many lists have one element, and structs are large.
  if (size == capacity) Reserve(element, size == 0 ? std::size_t{1} : size * std::size_t{2});
  void* const slot = At(element, size);
  ConstructElement(element, slot);
  ++size;
  state = State::kValue;
  return slot;
}

void ListData::AppendMoved(const Type& element, void* value) {
  if (size == capacity) Reserve(element, std::max<std::size_t>(4, size * std::size_t{2}));
  MoveElement(element, At(element, size), value);
  ++size;
  state = State::kValue;
}

void ListData::AppendCopies(const Type& element, const void* values, std::size_t count) {
  Reserve(element, size + count);
  for (std::size_t i = 0; i < count; ++i) {
    CopyElement(element, Append(element), static_cast<const char*>(values) + i * element.size);
  }
}

void ListData::Erase(const Type& element, std::size_t index) {
  DestroyElement(element, At(element, index));
  for (std::size_t i = index + 1; i < size; ++i) {
    MoveElement(element, At(element, i - 1), At(element, i));
    DestroyElement(element, At(element, i));
  }
  --size;
}

void ListData::CopyFrom(const Type& element, const ListData& other) {
  ListData copy;
  try {
    copy.AppendCopies(element, other.data, other.size);
  } catch (...) {
    copy.Reset(element);
    throw;
  }
  copy.state = other.state;
  MoveFrom(element, copy);
}

void ListData::MoveFrom(const Type& element, ListData& other) noexcept {
  // `other` may be inside of what is about to be destroyed.
  ListData old = std::exchange(*this, std::exchange(other, ListData()));
  old.Reset(element);
}

void ListData::Clear(const Type& element) noexcept {
  for (std::size_t i = 0; i < size; ++i) DestroyElement(element, At(element, i));
  size = 0;
}

void ListData::Reset(const Type& element) noexcept {
  Clear(element);
  ::operator delete(data);
  *this = ListData();
}

bool ListData::Equal(const Type& element, const ListData& a, const ListData& b) {
  return a.state == b.state && SameContents(element, a, b);
}

bool ListData::SameContents(const Type& element, const ListData& a, const ListData& b) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i) {
    if (!ElementsEqual(element, a.At(element, i), b.At(element, i))) return false;
  }
  return true;
}

}  // namespace kinformer::api::internal
