#include "src/api/element.h"
#include "src/api/rest_access.h"

namespace kinformer::api::internal {
namespace {

bool MembersEqual(const Member& member, const void* a, const void* b) {
  switch (member.kind) {
    case Kind::kStruct:
      return Equal(*member.type, a, b);
    case Kind::kPart:
      return PartData::Equal(*member.type, *static_cast<const PartData*>(a), *static_cast<const PartData*>(b));
    case Kind::kList:
      return ListData::Equal(*member.type, *static_cast<const ListData*>(a), *static_cast<const ListData*>(b));
    case Kind::kMap:
      return MapData::Equal(*member.type, *static_cast<const MapData*>(a), *static_cast<const MapData*>(b));
    default:
      return WithScalar(member.kind, [a, b]<typename T>(Scalar<T>) {
        const auto& left = *static_cast<const FieldData<T>*>(a);
        const auto& right = *static_cast<const FieldData<T>*>(b);
        return left.state == right.state && (left.state != State::kValue || Stored(left.value) == Stored(right.value));
      });
  }
}

/// True if the rest of `a` that is written is also that of `b`.
bool RestIsIn(const Type& type, const void* a, const void* b) {
  RestCursor cursor(RestOf(type, a));
  while (cursor.Next()) {
    const std::string name = cursor.Name();
    const Member* const member = FindMember(type, name);
    // The structs' members are equal, so it is set in both or in neither.
    if (member != nullptr && IsSet(*member, At(a, member->offset))) continue;
    if (RestOf(type, b).Find(name) != cursor.Value()) return false;
  }
  return true;
}

}  // namespace

bool Equal(const Type& type, const void* a, const void* b) {
  for (const Member* member = type.members; member != type.members + type.member_count; ++member) {
    if (!MembersEqual(*member, At(a, member->offset), At(b, member->offset))) return false;
  }
  return RestIsIn(type, a, b) && RestIsIn(type, b, a);
}

bool ElementsEqual(const Type& type, const void* a, const void* b) {
  switch (type.kind) {
    case Kind::kStruct:
      return Equal(type, a, b);
    case Kind::kList:
      return ListData::Equal(*type.element, *static_cast<const ListData*>(a), *static_cast<const ListData*>(b));
    case Kind::kMap:
      return MapData::Equal(*type.element, *static_cast<const MapData*>(a), *static_cast<const MapData*>(b));
    default:
      return WithScalar(
          type.kind, [a, b]<typename T>(Scalar<T>) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); });
  }
}

}  // namespace kinformer::api::internal
