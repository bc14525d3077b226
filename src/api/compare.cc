#include <cmath>

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
        return left.state == right.state &&
               (left.state != State::kValue || SameValue(Stored(left.value), Stored(right.value)));
      });
  }
}

/// An element is never absent: one that was not given contents is written as [] or {}.
template <typename Data>
bool ContainersEqual(const Type& element, const Data& a, const Data& b) {
  const bool is_null = a.state == State::kNull;
  return is_null == (b.state == State::kNull) && (is_null || Data::SameContents(element, a, b));
}

/// True if the same of both rests is written. Precondition: the structs' own members are equal, so those that hide a
/// member of the rest are set in both or in neither.
bool RestsEqual(const Type& type, const void* a, const void* b) {
  if (RestAccess::Text(RestOf(type, a)) == RestAccess::Text(RestOf(type, b))) return true;
  const auto written = [&type](const void* object) {
    return EntriesOf(RestOf(type, object), [&](std::string_view name) {
      const Member* const member = FindMember(type, name);
      return member != nullptr && IsSet(*member, At(object, member->offset));
    });
  };
  return SameEntries(written(a), written(b));
}

}  // namespace

bool SameValue(double a, double b) { return a == b || (!std::isfinite(a) && !std::isfinite(b)); }

bool Equal(const Type& type, const void* a, const void* b) {
  for (const Member* member = type.members; member != type.members + type.member_count; ++member) {
    if (!MembersEqual(*member, At(a, member->offset), At(b, member->offset))) return false;
  }
  return RestsEqual(type, a, b);
}

bool ElementsEqual(const Type& type, const void* a, const void* b) {
  switch (type.kind) {
    case Kind::kStruct:
      return Equal(type, a, b);
    case Kind::kList:
      return ContainersEqual(*type.element, *static_cast<const ListData*>(a), *static_cast<const ListData*>(b));
    case Kind::kMap:
      return ContainersEqual(*type.element, *static_cast<const MapData*>(a), *static_cast<const MapData*>(b));
    default:
      return WithScalar(type.kind, [a, b]<typename T>(Scalar<T>) {
        return SameValue(*static_cast<const T*>(a), *static_cast<const T*>(b));
      });
  }
}

}  // namespace kinformer::api::internal
