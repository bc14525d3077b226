#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <kinformer/api/json.h>

#include "src/api/append_text.h"
#include "src/api/element.h"
#include "src/api/rest_access.h"

namespace kinformer::api::internal {
namespace {

class Writer {
 public:
  std::string Finish() && { return std::move(out_); }

  void Struct(const Type& type, const void* object, bool is_root) {
    out_.push_back('{');
    const std::size_t begin = out_.size();
    const bool has_kind = is_root && !type.kind_name.kind.empty();
    if (has_kind) {
      Name("apiVersion", begin);
      AppendText(type.kind_name.api_version, out_);
      Name("kind", begin);
      AppendText(type.kind_name.kind, out_);
    }
    for (const Member* member = type.members; member != type.members + type.member_count; ++member) {
      WriteMember(*member, At(object, member->offset), begin);
    }
    if (const Rest& rest = RestOf(type, object); !rest.empty()) WriteRest(type, object, has_kind, begin);
    out_.push_back('}');
  }

  void Element(const Type& type, const void* value) {
    switch (type.kind) {
      case Kind::kStruct:
        Struct(type, value, /*is_root=*/false);
        break;
      case Kind::kList:
        Elements(*type.element, *static_cast<const ListData*>(value));
        break;
      case Kind::kMap:
        Entries(*type.element, *static_cast<const MapData*>(value));
        break;
      default:
        Value(type.kind, value);
    }
  }

 private:
  void Name(std::string_view name, std::size_t begin) {
    if (out_.size() != begin) out_.push_back(',');
    out_.push_back('"');
    out_.append(name);
    out_.append("\":", 2);
  }

  void WriteMember(const Member& member, const void* at, std::size_t begin) {
    switch (member.kind) {
      case Kind::kStruct:
        if (IsEmpty(*member.type, at)) return;
        Name(member.Name(), begin);
        Struct(*member.type, at, /*is_root=*/false);
        return;
      case Kind::kPart: {
        const auto& part = *static_cast<const PartData*>(at);
        if (part.HasValue(*member.type)) {
          Name(member.Name(), begin);
          Struct(*member.type, part.value, /*is_root=*/false);
        } else if (part.state == State::kNull) {
          Name(member.Name(), begin);
          out_.append("null");
        }
        return;
      }
      case Kind::kList: {
        const auto& list = *static_cast<const ListData*>(at);
        if (list.state == State::kAbsent) return;
        Name(member.Name(), begin);
        Elements(*member.type, list);
        return;
      }
      case Kind::kMap: {
        const auto& map = *static_cast<const MapData*>(at);
        if (map.state == State::kAbsent) return;
        Name(member.Name(), begin);
        Entries(*member.type, map);
        return;
      }
      default:
        WithScalar(member.kind, [&]<typename T>(Scalar<T>) {
          const auto& field = *static_cast<const FieldData<T>*>(at);
          if (field.state == State::kAbsent) return;
          Name(member.Name(), begin);
          if (field.state == State::kNull) {
            out_.append("null");
          } else {
            Write(Stored(field.value));
          }
        });
    }
  }

  void WriteRest(const Type& type, const void* object, bool has_kind, std::size_t begin) {
    RestCursor cursor(RestOf(type, object));
    while (cursor.Next()) {
      const std::string name = cursor.Name();
      if (has_kind && (name == "apiVersion" || name == "kind")) continue;
      const Member* const member = FindMember(type, name);
      if (member != nullptr && IsSet(*member, At(object, member->offset))) continue;
      if (out_.size() != begin) out_.push_back(',');
      out_.append(cursor.QuotedName());
      out_.push_back(':');
      out_.append(cursor.Value());
    }
  }

  void Elements(const Type& element, const ListData& list) {
    if (list.state == State::kNull) {
      out_.append("null");
      return;
    }
    out_.push_back('[');
    for (std::size_t i = 0; i < list.size; ++i) {
      if (i != 0) out_.push_back(',');
      Element(element, list.At(element, i));
    }
    out_.push_back(']');
  }

  void Entries(const Type& value, const MapData& map) {
    if (map.state == State::kNull) {
      out_.append("null");
      return;
    }
    out_.push_back('{');
    for (std::size_t i = 0; i < map.size; ++i) {
      if (i != 0) out_.push_back(',');
      AppendText(map.Key(value, i), out_);
      out_.push_back(':');
      Element(value, map.Value(value, i));
    }
    out_.push_back('}');
  }

  void Value(Kind kind, const void* value) {
    WithScalar(kind, [&]<typename T>(Scalar<T>) { Write(*static_cast<const T*>(value)); });
  }

  void Write(const std::string& value) { AppendText(value, out_); }
  void Write(std::int64_t value) { Number(value); }
  void Write(double value) {
    if (std::isfinite(value)) {
      Number(value);
    } else {
      out_.append("null");
    }
  }
  void Write(bool value) { out_.append(value ? "true" : "false"); }
  void Write(const Time& value) { AppendText(value.text(), out_); }
  void Write(const MicroTime& value) { AppendText(value.text(), out_); }
  void Write(const Duration& value) { AppendText(value.text(), out_); }
  void Write(const Bytes& value) { AppendText(value.base64(), out_); }
  void Write(const RawJson& value) { out_.append(value.text()); }
  void Write(const Quantity& value) {
    if (value.IsNumber()) {
      out_.append(value.text());
    } else {
      AppendText(value.text(), out_);
    }
  }
  void Write(const IntOrString& value) {
    if (value.IsText()) {
      AppendText(value.text(), out_);
    } else {
      Number(value.ToInt().value_or(0));
    }
  }

  template <typename N>
  void Number(N value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }

  std::string out_;
};

}  // namespace

std::string Write(const Type& type, const void* value) {
  Writer writer;
  if (type.kind == Kind::kStruct) {
    writer.Struct(type, value, /*is_root=*/true);
  } else {
    writer.Element(type, value);
  }
  return std::move(writer).Finish();
}

}  // namespace kinformer::api::internal
