#include "src/api/element.h"

#include <cstring>
#include <new>
#include <utility>

namespace kinformer::api::internal {
namespace {

template <typename T>
constexpr Type ScalarElement(Kind kind) {
  return {.kind = kind,
          .size = sizeof(T),
          .construct = &Construct<T>,
          .move = &Move<T>,
          .destroy = &Destroy<T>,
          .empty = &Empty<T>};
}

}  // namespace

constinit const Type kTextType = ScalarElement<std::string>(Kind::kText);
constinit const Type kIntType = ScalarElement<std::int64_t>(Kind::kInt);
constinit const Type kDoubleType = ScalarElement<double>(Kind::kDouble);
constinit const Type kBoolType = ScalarElement<bool>(Kind::kBool);
constinit const Type kTimeType = ScalarElement<Time>(Kind::kTime);
constinit const Type kMicroTimeType = ScalarElement<MicroTime>(Kind::kMicroTime);
constinit const Type kDurationType = ScalarElement<Duration>(Kind::kDuration);
constinit const Type kQuantityType = ScalarElement<Quantity>(Kind::kQuantity);
constinit const Type kIntOrStringType = ScalarElement<IntOrString>(Kind::kIntOrString);
constinit const Type kBytesType = ScalarElement<Bytes>(Kind::kBytes);
constinit const Type kRawJsonType = ScalarElement<RawJson>(Kind::kRawJson);

Text::Text(std::string_view text) : value(text) {}
Text::Text(std::string&& text) noexcept : value(std::move(text)) {}
Text::Text(const Text& other) = default;
Text::Text(Text&& other) noexcept = default;
Text& Text::operator=(const Text& other) = default;
Text& Text::operator=(Text&& other) noexcept = default;
Text::~Text() = default;

const Member* FindMember(const Type& type, std::string_view name) {
  // Faster than a binary search: the sizes alone reject nearly all.
  for (const Member* member = type.members; member != type.members + type.member_count; ++member) {
    if (member->name_size == name.size() && std::memcmp(member->name, name.data(), name.size()) == 0) return member;
  }
  return nullptr;
}

void ConstructElement(const Type& type, void* at) {
  switch (type.kind) {
    case Kind::kList:
      ::new (at) ListData();
      break;
    case Kind::kMap:
      ::new (at) MapData();
      break;
    default:
      type.construct(at);
  }
}

void MoveElement(const Type& type, void* to, void* from) noexcept {
  switch (type.kind) {
    case Kind::kList:
      (::new (to) ListData())->MoveFrom(*type.element, *static_cast<ListData*>(from));
      break;
    case Kind::kMap:
      (::new (to) MapData())->MoveFrom(*type.element, *static_cast<MapData*>(from));
      break;
    default:
      type.move(to, from);
  }
}

void DestroyElement(const Type& type, void* at) noexcept {
  switch (type.kind) {
    case Kind::kList:
      static_cast<ListData*>(at)->Reset(*type.element);
      break;
    case Kind::kMap:
      static_cast<MapData*>(at)->Reset(*type.element);
      break;
    default:
      type.destroy(at);
  }
}

}  // namespace kinformer::api::internal
