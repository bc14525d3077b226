#include "src/api/element.h"
#include "src/api/rest_access.h"

namespace kinformer::api::internal {

bool IsSet(const Member& member, const void* at) {
  switch (member.kind) {
    case Kind::kStruct:
      return !IsEmpty(*member.type, at);
    case Kind::kPart: {
      const auto& part = *static_cast<const PartData*>(at);
      return part.state != State::kAbsent || part.HasValue(*member.type);
    }
    case Kind::kList:
      return static_cast<const ListData*>(at)->state != State::kAbsent;
    case Kind::kMap:
      return static_cast<const MapData*>(at)->state != State::kAbsent;
    default:
      return WithScalar(member.kind, [at]<typename T>(Scalar<T>) {
        return static_cast<const FieldData<T>*>(at)->state != State::kAbsent;
      });
  }
}

bool IsEmpty(const Type& type, const void* object) {
  if (!RestOf(type, object).empty()) return false;
  for (const Member* member = type.members; member != type.members + type.member_count; ++member) {
    if (IsSet(*member, At(object, member->offset))) return false;
  }
  return true;
}

}  // namespace kinformer::api::internal
