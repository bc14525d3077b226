#include "src/apiserver/protobuf/tables.h"

#include <algorithm>

namespace kinformer::apiserver::protobuf {
namespace {

#include "src/apiserver/protobuf/tables.inc"

constexpr std::string_view Text(std::uint16_t at, std::uint8_t length) { return {kPool + at, length}; }

}  // namespace

std::string_view Field::Name() const { return Text(name, name_length); }

std::string_view Message::Name() const { return Text(name, name_length); }

std::span<const Field> Message::Fields() const { return std::span(kFields).subspan(first_field, field_count); }

const Field* Message::Find(std::uint64_t number) const {
  const std::span<const Field> fields = Fields();
  const auto found = std::lower_bound(fields.begin(), fields.end(), number,
                                      [](const Field& field, std::uint64_t wanted) { return field.number < wanted; });
  return found == fields.end() || found->number != number ? nullptr : &*found;
}

const Message& MessageOf(const Field& field) { return kMessages[field.message]; }

const Message* FindKind(std::string_view api_version, std::string_view kind) {
  for (const Kind& known : kKinds) {
    const std::string_view version = Text(known.api_version, known.api_version_length);
    if ((version.empty() || version == api_version) && Text(known.kind, known.kind_length) == kind) {
      return &kMessages[known.message];
    }
  }
  return nullptr;
}

}  // namespace kinformer::apiserver::protobuf
