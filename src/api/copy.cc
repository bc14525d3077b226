#include "src/api/element.h"

namespace kinformer::api::internal {

void CopyStruct(const Type& type, void* to, const void* from) {
  for (const Member* member = type.members; member != type.members + type.member_count; ++member) {
    void* const target = At(to, member->offset);
    const void* const source = At(from, member->offset);
    switch (member->kind) {
      case Kind::kStruct:
        CopyStruct(*member->type, target, source);
        break;
      case Kind::kPart:
        static_cast<PartData*>(target)->CopyFrom(*member->type, *static_cast<const PartData*>(source));
        break;
      case Kind::kList:
        static_cast<ListData*>(target)->CopyFrom(*member->type, *static_cast<const ListData*>(source));
        break;
      case Kind::kMap:
        static_cast<MapData*>(target)->CopyFrom(*member->type, *static_cast<const MapData*>(source));
        break;
      default:
        WithScalar(member->kind, [&]<typename T>(Scalar<T>) {
          const auto& field = *static_cast<const FieldData<T>*>(source);
          if (field.state != State::kAbsent) *static_cast<FieldData<T>*>(target) = field;
        });
    }
  }
  const Rest& rest = RestOf(type, from);
  if (!rest.empty()) RestOf(type, to) = rest;
}

void CopyElement(const Type& type, void* to, const void* from) {
  switch (type.kind) {
    case Kind::kStruct:
      CopyStruct(type, to, from);
      break;
    case Kind::kList:
      static_cast<ListData*>(to)->CopyFrom(*type.element, *static_cast<const ListData*>(from));
      break;
    case Kind::kMap:
      static_cast<MapData*>(to)->CopyFrom(*type.element, *static_cast<const MapData*>(from));
      break;
    default:
      WithScalar(type.kind, [&]<typename T>(Scalar<T>) { *static_cast<T*>(to) = *static_cast<const T*>(from); });
  }
}

}  // namespace kinformer::api::internal
