#include "src/schema/decode.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/time.h>

#include "src/schema/field_path.h"
#include "src/schema/formats.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// "PodSpec" of "io.k8s.api.core.v1.PodSpec".
std::string_view LastPart(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

/// "v1.PodSpec".
std::string_view LastTwoParts(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return name;
  const std::size_t before = name.rfind('.', dot - 1);
  return before == std::string_view::npos ? name : name.substr(before + 1);
}

/// The type's name in Go.
std::string StructureType(const Schema& schema) {  // NOLINT(misc-no-recursion)
  switch (schema.type) {
    case SchemaType::kObject:
      return std::string(LastTwoParts(schema.name));
    case SchemaType::kMap:
      return "map[string]" + (schema.items == nullptr ? "interface {}" : StructureType(*schema.items));
    case SchemaType::kArray:
      return "[]" + (schema.items == nullptr ? "interface {}" : StructureType(*schema.items));
    case SchemaType::kInteger:
      return schema.format.empty() ? "int64" : schema.format;
    case SchemaType::kNumber:
      return "float64";
    case SchemaType::kBoolean:
      return "bool";
    case SchemaType::kBytes:
      return "[]uint8";
    case SchemaType::kQuantity:
      return "resource.Quantity";
    case SchemaType::kIntOrString:
      return "intstr.IntOrString";
    case SchemaType::kTime:
      return "v1.Time";
    case SchemaType::kMicroTime:
      return "v1.MicroTime";
    default:
      return "string";
  }
}

std::string Description(const json& value, bool with_number) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return with_number ? "number " + value.dump() : "number";
}

Error Wrong(std::string message) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(message)}; }

bool Fits(const json& value, const std::string& format) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return false;
  }
  if (format != "int32") return true;
  const auto number = value.get<std::int64_t>();
  return number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max();
}

class Decoder {
 public:
  /// `owner`: the Go struct that contains the field.
  std::optional<Error> At(const Schema& schema, json& value, const FieldPath& path,  // NOLINT(misc-no-recursion)
                          std::string_view owner) {
    switch (schema.type) {
      case SchemaType::kAny:
        return std::nullopt;
      case SchemaType::kObject:
        return Object(schema, value, path, owner);
      case SchemaType::kMap:
        return Map(schema, value, path, owner);
      case SchemaType::kArray:
        return Array(schema, value, path, owner);
      case SchemaType::kString:
        return value.is_string() ? std::nullopt : Mismatch(schema, value, path, owner);
      case SchemaType::kBoolean:
        return value.is_boolean() ? std::nullopt : Mismatch(schema, value, path, owner);
      case SchemaType::kNumber:
        return value.is_number() ? std::nullopt : Mismatch(schema, value, path, owner);
      case SchemaType::kInteger:
        if (value.is_number_integer() && Fits(value, schema.format)) return std::nullopt;
        return Mismatch(schema, value, path, owner);
      case SchemaType::kBytes:
        if (!value.is_string()) return Mismatch(schema, value, path, owner);
        return Bytes(value.get_ref<const std::string&>());
      case SchemaType::kIntOrString:
        if (value.is_string() || (value.is_number_integer() && Fits(value, "int32"))) return std::nullopt;
        return Wrong("json: cannot unmarshal " + Description(value, value.is_number()) +
                     " into Go value of type int32");
      case SchemaType::kQuantity:
        return Quantity(value);
      case SchemaType::kTime:
      case SchemaType::kMicroTime:
        return Time(schema.type, value);
    }
    return std::nullopt;
  }

 private:
  static std::optional<Error> Mismatch(const Schema& schema, const json& value, const FieldPath& path,
                                       std::string_view owner) {
    const bool number = value.is_number() && schema.type == SchemaType::kInteger;
    return Wrong("json: cannot unmarshal " + Description(value, number) + " into Go struct field " +
                 std::string(owner) + "." + path.TextWithoutIndices() + " of type " + StructureType(schema));
  }

  std::optional<Error> Object(const Schema& schema, json& value, const FieldPath& path,  // NOLINT(misc-no-recursion)
                              std::string_view owner) {
    if (!value.is_object()) return Mismatch(schema, value, path, owner);
    const std::string_view own = schema.name.empty() ? owner : LastPart(schema.name);
    for (auto it = value.begin(); it != value.end();) {
      const SchemaField* field = schema.Find(it.key());
      if (field != nullptr && it->is_null() && field->schema->type != SchemaType::kAny) {
        it = value.erase(it);
        continue;
      }
      if (field != nullptr) {
        if (std::optional<Error> wrong = At(*field->schema, *it, FieldPath(path, it.key()), own)) return wrong;
      }
      ++it;
    }
    return std::nullopt;
  }

  std::optional<Error> Map(const Schema& schema, json& value, const FieldPath& path,  // NOLINT(misc-no-recursion)
                           std::string_view owner) {
    if (!value.is_object()) return Mismatch(schema, value, path, owner);
    if (schema.items == nullptr) return std::nullopt;
    for (auto it = value.begin(); it != value.end(); ++it) {
      if (it->is_null()) Zero(*schema.items, *it);
      if (it->is_null()) continue;
      // The path ends at the map: its keys are data.
      if (std::optional<Error> wrong = At(*schema.items, *it, path, owner)) return wrong;
    }
    return std::nullopt;
  }

  std::optional<Error> Array(const Schema& schema, json& value, const FieldPath& path,  // NOLINT(misc-no-recursion)
                             std::string_view owner) {
    if (!value.is_array()) return Mismatch(schema, value, path, owner);
    if (schema.items == nullptr) return std::nullopt;
    for (json& item : value) {
      if (item.is_null()) Zero(*schema.items, item);
      if (item.is_null()) continue;
      if (std::optional<Error> wrong = At(*schema.items, item, path, owner)) return wrong;
    }
    return std::nullopt;
  }

  /// Replaces a null map value or list element by its zero value.
  static void Zero(const Schema& schema, json& value) {
    switch (schema.type) {
      case SchemaType::kObject:
        value = json::object();
        break;
      case SchemaType::kString:
        value = "";
        break;
      case SchemaType::kQuantity:
        value = "0";
        break;
      default:
        break;
    }
  }

  static std::optional<Error> Bytes(const std::string& text) {
    if (IsBase64(text)) return std::nullopt;
    const std::size_t bad = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    return Wrong("illegal base64 data at input byte " +
                 std::to_string(bad == std::string::npos ? text.size() / 4 * 4 : bad));
  }

  static std::optional<Error> Quantity(json& value) {
    if (!value.is_string() && !value.is_number()) {
      return Wrong("json: cannot unmarshal " + Description(value, false) + " into Go value of type resource.Quantity");
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    std::optional<std::string> canonical = CanonicalQuantity(text);
    if (!canonical) {
      return Wrong(
          "quantities must match the regular expression "
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
    if (*canonical != text || !value.is_string()) value = *std::move(canonical);
    return std::nullopt;
  }

  static std::optional<Error> Time(SchemaType type, json& value) {
    if (!value.is_string()) {
      return Wrong("json: cannot unmarshal " + Description(value, false) + " into Go value of type string");
    }
    const auto& text = value.get_ref<const std::string&>();
    const std::optional<Timestamp> time = ParseTimestamp(text);
    const bool micro = type == SchemaType::kMicroTime;
    if (!time) {
      return Wrong("parsing time " + json(text).dump(-1, ' ', false, json::error_handler_t::replace) + " as \"" +
                   (micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00") + "\": cannot parse " +
                   json(text).dump(-1, ' ', false, json::error_handler_t::replace) + " as \"2006\"");
    }
    std::string canonical = micro ? FormatMicroTime(*time) : FormatTimestamp(*time);
    if (canonical != text) value = std::move(canonical);
    return std::nullopt;
  }
};

}  // namespace

Result<void> Decode(const Schema& schema, json& object) {
  const FieldPath root;
  if (std::optional<Error> wrong = Decoder().At(schema, object, root, LastPart(schema.name))) return *std::move(wrong);
  return {};
}

}  // namespace kinformer::apiserver
