#include <kinformer/api/part.h>

#include <new>
#include <utility>

#include "src/api/element.h"

namespace kinformer::api::internal {
namespace {

/// Memory of a struct that is not yet constructed, freed if construction throws.
template <typename Function>
void* NewStruct(const Type& type, Function&& construct) {
  void* const memory = ::operator new(type.size);
  try {
    construct(memory);
  } catch (...) {
    ::operator delete(memory);
    throw;
  }
  return memory;
}

}  // namespace

void* PartData::Make(const Type& type) {
  if (value == nullptr) value = NewStruct(type, type.construct);
  return value;
}

void PartData::Take(const Type& type, void* from) {
  value = NewStruct(type, [&](void* memory) { type.move(memory, from); });
  state = State::kValue;
}

void PartData::TakeCopy(const Type& type, const void* from) {
  CopyStruct(type, Make(type), from);
  state = State::kValue;
}

void PartData::CopyFrom(const Type& type, const PartData& other) {
  PartData copy;
  try {
    if (other.value != nullptr) copy.TakeCopy(type, other.value);
  } catch (...) {
    copy.Reset(type);
    throw;
  }
  copy.state = other.state;
  MoveFrom(type, copy);
}

void PartData::MoveFrom(const Type& type, PartData& other) noexcept {
  // `other` may be inside of what is about to be destroyed.
  PartData old = std::exchange(*this, std::exchange(other, PartData()));
  old.Reset(type);
}

void PartData::Reset(const Type& type) noexcept {
  if (value != nullptr) {
    type.destroy(value);
    ::operator delete(value);
  }
  *this = PartData();
}

bool PartData::Equal(const Type& type, const PartData& a, const PartData& b) {
  const bool has_value = a.HasValue(type);
  if (has_value != b.HasValue(type)) return false;
  return has_value ? internal::Equal(type, a.value, b.value) : a.state == b.state;
}

}  // namespace kinformer::api::internal
