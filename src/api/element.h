#ifndef KINFORMER_SRC_API_ELEMENT_H_
#define KINFORMER_SRC_API_ELEMENT_H_

// The elements of lists and maps, of any type, and the members of structs.

#include <kinformer/api/generated.h>

namespace kinformer::api::internal {

/// The type that a scalar kind stands for.
template <typename T>
struct Scalar {
  using Type = T;
};

/// Calls `function` with a Scalar<T>. Precondition: `kind` is one of Field's types.
template <typename Function>
decltype(auto) WithScalar(Kind kind, Function&& function) {
  switch (kind) {
    case Kind::kInt:
      return function(Scalar<std::int64_t>());
    case Kind::kDouble:
      return function(Scalar<double>());
    case Kind::kBool:
      return function(Scalar<bool>());
    case Kind::kTime:
      return function(Scalar<Time>());
    case Kind::kMicroTime:
      return function(Scalar<MicroTime>());
    case Kind::kDuration:
      return function(Scalar<Duration>());
    case Kind::kQuantity:
      return function(Scalar<Quantity>());
    case Kind::kIntOrString:
      return function(Scalar<IntOrString>());
    case Kind::kBytes:
      return function(Scalar<Bytes>());
    case Kind::kRawJson:
      return function(Scalar<RawJson>());
    default:
      return function(Scalar<std::string>());
  }
}

inline void* At(void* object, std::size_t offset) { return static_cast<char*>(object) + offset; }
inline const void* At(const void* object, std::size_t offset) { return static_cast<const char*>(object) + offset; }
inline Rest& RestOf(const Type& type, void* object) { return *static_cast<Rest*>(At(object, type.rest_offset)); }
inline const Rest& RestOf(const Type& type, const void* object) {
  return *static_cast<const Rest*>(At(object, type.rest_offset));
}

/// nullptr if the struct has no member of this name.
const Member* FindMember(const Type& type, std::string_view name);
/// True if the member would be written.
bool IsSet(const Member& member, const void* at);

void ConstructElement(const Type& type, void* at);
void MoveElement(const Type& type, void* to, void* from) noexcept;
void DestroyElement(const Type& type, void* at) noexcept;
/// `to`: constructed and empty.
void CopyElement(const Type& type, void* to, const void* from);
bool ElementsEqual(const Type& type, const void* a, const void* b);

void CopyStruct(const Type& type, void* to, const void* from);

}  // namespace kinformer::api::internal

#endif  // KINFORMER_SRC_API_ELEMENT_H_
