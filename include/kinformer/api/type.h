#ifndef KINFORMER_API_TYPE_H_
#define KINFORMER_API_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

// The tables that describe typed structs. Reading, writing, copying and comparing are one interpreter each over these
// tables, so that neither the library nor its users compile code per struct.
//
// A generated struct consists of a declaration and a table. In the header:
//
//     struct Container {
//       Field<std::string> name{};               // `name` first, the others sorted by JSON name
//       List<std::string> args{};
//       Map<Quantity> limits{};
//       Part<Probe> livenessProbe{};             // another struct: Part, also if it is declared further down
//       Field<std::string> namespace_{};         // the JSON name, escaped where it is a keyword or a macro
//       Rest rest_{};                            // last
//
//       bool operator==(const Container& other) const;
//       static const internal::Type kType;
//     };
//
// Every member has the initializer `{}`, without which g++ warns about designated initializers. Only a kind's
// `metadata` is a plain struct. A kind has no members for apiVersion and kind: they are in the table.
//
// In the source:
//
//     constexpr internal::Member kContainerMembers[] = {    // sorted by JSON name, bytewise
//         internal::Named<decltype(Container::args)>("args", offsetof(Container, args)),
//         ...
//         internal::Named<decltype(Container::namespace_)>("namespace", offsetof(Container, namespace_)),
//     };
//     constinit const internal::Type Container::kType =
//         internal::StructType<Container>(kContainerMembers, offsetof(Container, rest_));
//     constinit const internal::Type Pod::kType =           // a kind
//         internal::StructType<Pod>(kPodMembers, offsetof(Pod, rest_), {"v1", "Pod"});
//     bool Container::operator==(const Container& other) const { return internal::Equal(kType, this, &other); }
//
// Structs are copied and assigned member by member, as the compiler does it. So a struct must not be assigned from
// inside itself (`s = *s.not_`, `s = std::move(s.allOf[0])`): a member would destroy the source before all is read.
// Copy or move it out first. A single Part, List or Map may be assigned from its own inside.
//
// A struct without members passes no table: StructType<T>(offsetof(T, rest_)). Names that are not sorted, names with
// characters that JSON escapes, and offsets beyond 64 KB do not compile.

namespace kinformer::api {

template <typename T>
class Field;
template <typename T>
class Part;
template <typename T>
class List;
template <typename T>
class Map;
class Time;
class MicroTime;
class Duration;
class Quantity;
class IntOrString;
class Bytes;
class RawJson;

namespace internal {

/// Bumped when generated code must be generated again.
inline constexpr int kTableFormat = 1;

enum class Kind : std::uint8_t {
  kText,
  kInt,
  kDouble,
  kBool,
  kTime,
  kMicroTime,
  kDuration,
  kQuantity,
  kIntOrString,
  kBytes,
  kRawJson,
  kStruct,
  kPart,
  kList,
  kMap,
};

struct Type;

/// One member of a struct.
struct Member {
  constexpr std::string_view Name() const { return {name, name_size}; }

  const char* name;
  /// kPart and kStruct: the struct. kList and kMap: the elements.
  const Type* type;
  std::uint16_t offset;
  std::uint16_t name_size;
  Kind kind;
};

/// Empty for a struct that is no kind.
struct KindName {
  std::string_view api_version{};
  std::string_view kind{};
};

/// A struct, or the elements of a list or map.
struct Type {
  Kind kind = Kind::kStruct;
  std::uint32_t size = 0;
  /// The elements of a list or map that is itself an element.
  const Type* element = nullptr;

  // Structs and scalars. `move` constructs *to and leaves *from to be destroyed.
  void (*construct)(void* at) = nullptr;
  void (*move)(void* to, void* from) noexcept = nullptr;
  void (*destroy)(void* at) noexcept = nullptr;

  /// What an absent part or entry reads as.
  const void* (*empty)() = nullptr;

  // Structs.
  const Member* members = nullptr;
  std::uint16_t member_count = 0;
  std::uint16_t rest_offset = 0;
  KindName kind_name{};
};

template <typename T>
void Construct(void* at) {
  ::new (at) T{};
}
template <typename T>
void Move(void* to, void* from) noexcept {
  ::new (to) T(static_cast<T&&>(*static_cast<T*>(from)));
}
template <typename T>
void Destroy(void* at) noexcept {
  static_cast<T*>(at)->~T();
}
template <typename T>
const void* Empty() {
  // Never destroyed: it may be read until the process ends.
  static const T* const empty = new T{};
  return empty;
}

extern const Type kTextType;
extern const Type kIntType;
extern const Type kDoubleType;
extern const Type kBoolType;
extern const Type kTimeType;
extern const Type kMicroTimeType;
extern const Type kDurationType;
extern const Type kQuantityType;
extern const Type kIntOrStringType;
extern const Type kBytesType;
extern const Type kRawJsonType;

template <typename T>
struct TypeFor {
  static constexpr const Type* Get() { return &T::kType; }
};
template <Kind kind, const Type& type>
struct ScalarType {
  static constexpr Kind kKind = kind;
  static constexpr const Type* Get() { return &type; }
};
template <>
struct TypeFor<std::string> : ScalarType<Kind::kText, kTextType> {};
template <>
struct TypeFor<std::int64_t> : ScalarType<Kind::kInt, kIntType> {};
template <>
struct TypeFor<double> : ScalarType<Kind::kDouble, kDoubleType> {};
template <>
struct TypeFor<bool> : ScalarType<Kind::kBool, kBoolType> {};
template <>
struct TypeFor<Time> : ScalarType<Kind::kTime, kTimeType> {};
template <>
struct TypeFor<MicroTime> : ScalarType<Kind::kMicroTime, kMicroTimeType> {};
template <>
struct TypeFor<Duration> : ScalarType<Kind::kDuration, kDurationType> {};
template <>
struct TypeFor<Quantity> : ScalarType<Kind::kQuantity, kQuantityType> {};
template <>
struct TypeFor<IntOrString> : ScalarType<Kind::kIntOrString, kIntOrStringType> {};
template <>
struct TypeFor<Bytes> : ScalarType<Kind::kBytes, kBytesType> {};
template <>
struct TypeFor<RawJson> : ScalarType<Kind::kRawJson, kRawJsonType> {};

template <typename T>
inline constexpr Type kListType{
    .kind = Kind::kList, .size = sizeof(List<T>), .element = TypeFor<T>::Get(), .empty = &Empty<List<T>>};
template <typename T>
inline constexpr Type kMapType{
    .kind = Kind::kMap, .size = sizeof(Map<T>), .element = TypeFor<T>::Get(), .empty = &Empty<Map<T>>};
template <typename T>
struct TypeFor<List<T>> {
  static constexpr const Type* Get() { return &kListType<T>; }
};
template <typename T>
struct TypeFor<Map<T>> {
  static constexpr const Type* Get() { return &kMapType<T>; }
};

/// The table entry of a T, a list's element or a struct.
template <typename T>
constexpr const Type& TypeOf() {
  return *TypeFor<T>::Get();
}

/// How a member of type M is described: a plain struct, or one of the four templates.
template <typename M>
struct MemberOf {
  static constexpr Kind kKind = Kind::kStruct;
  static constexpr const Type* kType = &M::kType;
};
template <typename T>
struct MemberOf<Field<T>> {
  static constexpr Kind kKind = TypeFor<T>::kKind;
  static constexpr const Type* kType = nullptr;
};
template <typename T>
struct MemberOf<Part<T>> {
  static constexpr Kind kKind = Kind::kPart;
  static constexpr const Type* kType = TypeFor<T>::Get();
};
template <typename T>
struct MemberOf<List<T>> {
  static constexpr Kind kKind = Kind::kList;
  static constexpr const Type* kType = TypeFor<T>::Get();
};
template <typename T>
struct MemberOf<Map<T>> {
  static constexpr Kind kKind = Kind::kMap;
  static constexpr const Type* kType = TypeFor<T>::Get();
};

/// Not constexpr, so that a constant expression that reaches them does not compile; the names say why.
void TheOffsetExceeds64KB();
void TheNamesAreNotSorted();
void TheNameHasCharactersThatJsonEscapes();

constexpr std::uint16_t CheckedOffset(std::size_t offset) {
  if (offset > 0xFFFF) TheOffsetExceeds64KB();
  return static_cast<std::uint16_t>(offset);
}

template <typename M>
constexpr Member Named(std::string_view json_name, std::size_t offset) {
  for (const char c : json_name) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') TheNameHasCharactersThatJsonEscapes();
  }
  return {json_name.data(), MemberOf<M>::kType, CheckedOffset(offset), CheckedOffset(json_name.size()),
          MemberOf<M>::kKind};
}

template <typename T>
constexpr Type StructType(std::size_t rest_offset, KindName kind_name = {}) {
  static_assert(std::is_standard_layout_v<T>, "the members must be public, and the struct without bases");
  static_assert(alignof(T) <= alignof(std::max_align_t));
  return {.size = sizeof(T),
          .construct = &Construct<T>,
          .move = &Move<T>,
          .destroy = &Destroy<T>,
          .empty = &Empty<T>,
          .rest_offset = CheckedOffset(rest_offset),
          .kind_name = kind_name};
}
template <typename T, std::size_t kCount>
constexpr Type StructType(const Member (&members)[kCount], std::size_t rest_offset, KindName kind_name = {}) {
  for (std::size_t i = 1; i < kCount; ++i) {
    if (members[i - 1].Name() >= members[i].Name()) TheNamesAreNotSorted();
  }
  Type type = StructType<T>(rest_offset, kind_name);
  type.members = members;
  type.member_count = CheckedOffset(kCount);
  return type;
}

// The interpreters. `object` is of the struct type that the table describes.

/// True if nothing of it would be written.
bool IsEmpty(const Type& type, const void* object);
/// True if the same would be written for both, where numbers, times and amounts count by their meaning.
bool Equal(const Type& type, const void* a, const void* b);

}  // namespace internal
}  // namespace kinformer::api

#endif  // KINFORMER_API_TYPE_H_
