#include "src/schema/validate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/schema/field_path.h"
#include "src/schema/formats.h"
#include "src/schema/pattern.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxErrors = 100;
/// For errors in which a server names the field only in the message.
constexpr const char* kNoField = "<nil>";

std::string_view TypeName(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "object";
    case json::value_t::array:
      return "array";
    case json::value_t::string:
      return "string";
    case json::value_t::boolean:
      return "boolean";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return "integer";
    case json::value_t::number_float:
      return "number";
    default:
      return "null";
  }
}

bool IsWhole(const json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
}

/// The expected type if the value does not have it, otherwise empty.
std::string_view WantedType(const Schema& schema, const json& value) {
  switch (schema.type) {
    case SchemaType::kAny:
      return {};
    case SchemaType::kObject:
    case SchemaType::kMap:
      return value.is_object() ? "" : "object";
    case SchemaType::kArray:
      return value.is_array() ? "" : "array";
    case SchemaType::kInteger:
      return IsWhole(value) ? "" : "integer";
    case SchemaType::kNumber:
      return value.is_number() ? "" : "number";
    case SchemaType::kBoolean:
      return value.is_boolean() ? "" : "boolean";
    case SchemaType::kIntOrString:
      return value.is_string() || IsWhole(value) ? "" : "integer,string";
    case SchemaType::kQuantity:
      return value.is_string() || value.is_number() ? "" : "string";
    case SchemaType::kString:
    case SchemaType::kTime:
    case SchemaType::kMicroTime:
    case SchemaType::kBytes:
      return value.is_string() ? "" : "string";
  }
  return {};
}

/// As Go prints a float64: 1, 0.5, 1e+21.
std::string NumberText(double value) {
  if (std::trunc(value) == value && std::abs(value) < 1e15) return std::to_string(static_cast<std::int64_t>(value));
  std::array<char, 32> text{};
  const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() ? std::string(text.data(), end) : std::string();
}

/// Characters, not bytes.
std::int64_t Length(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

bool IsMultipleOf(double value, double factor) {
  const double quotient = value / factor;
  return std::abs(quotient - std::round(quotient)) < 1e-9 * std::max(1.0, std::abs(quotient));
}

class Validator {
 public:
  std::vector<FieldError> Run(const Schema& schema, const json& value, const FieldPath& path) {
    Check(schema, value, path);
    return std::move(errors_);
  }

 private:
  void Add(FieldError error) {
    if (errors_.size() < kMaxErrors) errors_.push_back(std::move(error));
  }

  void Bad(const FieldPath& path, const json& value, const std::string& what) {
    const std::string text = path.Text();
    Add(FieldInvalid(text, value, text + " in body " + what));
  }

  void BadType(const FieldPath& path, std::string_view wanted, const std::string& shown) {
    const std::string text = path.Text();
    Add(FieldTypeInvalid(text, shown,
                         text + " in body must be of type " + std::string(wanted) + ": " + ShownValue(shown)));
  }

  void Check(const Schema& schema, const json& value, const FieldPath& path) {  // NOLINT(misc-no-recursion)
    if (errors_.size() >= kMaxErrors) return;
    if (value.is_null() && schema.nullable) return;
    if (const std::string_view wanted = WantedType(schema, value); !wanted.empty()) {
      return BadType(path, wanted, std::string(TypeName(value)));
    }
    if (value.is_string()) CheckText(schema, value.get_ref<const std::string&>(), path);
    if (value.is_number()) CheckNumber(schema, value, path);
    if (value.is_object()) CheckObject(schema, value, path);
    if (value.is_array()) CheckArray(schema, value, path);
    if (schema.enum_values != nullptr) CheckEnum(schema, value, path);
    CheckJunctors(schema, value, path);
  }

  void CheckText(const Schema& schema, const std::string& text, const FieldPath& path) {
    if (schema.max_length && Length(text) > *schema.max_length) Add(FieldTooLong(path.Text(), *schema.max_length));
    if (schema.min_length && Length(text) < *schema.min_length) {
      Bad(path, text, "should be at least " + std::to_string(*schema.min_length) + " chars long");
    }
    if (schema.compiled_pattern && !schema.compiled_pattern->Matches(text)) {
      Bad(path, text, "should match '" + schema.pattern + "'");
    }
    const bool quantity = schema.type == SchemaType::kQuantity;
    if (quantity ? !CanonicalQuantity(text) : !schema.format.empty() && !HasFormat(schema.format, text)) {
      Bad(path, text, "must be of type " + (quantity ? "quantity" : schema.format) + ": " + ShownValue(text));
    }
  }

  void CheckNumber(const Schema& schema, const json& value, const FieldPath& path) {
    const double number = value.get<double>();
    if (schema.format == "int32" &&
        (number < std::numeric_limits<std::int32_t>::min() || number > std::numeric_limits<std::int32_t>::max())) {
      Bad(path, value, "must be of type int32: " + ShownValue(value.dump()));
    }
    if (schema.maximum && (schema.exclusive_maximum ? number >= *schema.maximum : number > *schema.maximum)) {
      Bad(path, value,
          std::string("should be less than ") + (schema.exclusive_maximum ? "" : "or equal to ") +
              NumberText(*schema.maximum));
    }
    if (schema.minimum && (schema.exclusive_minimum ? number <= *schema.minimum : number < *schema.minimum)) {
      Bad(path, value,
          std::string("should be greater than ") + (schema.exclusive_minimum ? "" : "or equal to ") +
              NumberText(*schema.minimum));
    }
    if (schema.multiple_of && !IsMultipleOf(number, *schema.multiple_of)) {
      Bad(path, value, "should be a multiple of " + NumberText(*schema.multiple_of));
    }
  }

  void CheckObject(const Schema& schema, const json& value, const FieldPath& path) {  // NOLINT(misc-no-recursion)
    const auto count = static_cast<std::int64_t>(value.size());
    if (schema.max_properties && count > *schema.max_properties) {
      Add(FieldTooMany(path.Text(), count, *schema.max_properties));
    }
    if (schema.min_properties && count < *schema.min_properties) {
      Bad(path, value, "should have at least " + std::to_string(*schema.min_properties) + " properties");
    }
    for (const std::string& name : schema.required) {
      if (!value.contains(name)) Add(FieldRequired(FieldPath(path, name).Text()));
    }
    if (schema.embedded_resource) CheckEmbedded(value, path);
    for (auto it = value.begin(); it != value.end(); ++it) {
      const SchemaField* field = schema.Find(it.key());
      const Schema* child = field != nullptr ? field->schema : schema.type == SchemaType::kMap ? schema.items : nullptr;
      if (child != nullptr) Check(*child, *it, FieldPath(path, it.key()));
    }
  }

  /// An embedded object must have apiVersion and kind.
  void CheckEmbedded(const json& value, const FieldPath& path) {
    for (const char* name : {"apiVersion", "kind"}) {
      const std::string at = FieldPath(path, name).Text();
      const auto found = value.find(name);
      if (found == value.end()) {
        Add(FieldRequired(at));
      } else if (!found->is_string()) {
        Add(FieldInvalid(at, *found, "must be a string"));
      } else if (found->get_ref<const std::string&>().empty()) {
        Add(FieldInvalid(at, *found, "must not be empty"));
      }
    }
    const auto metadata = value.find("metadata");
    if (metadata != value.end() && !metadata->is_object()) {
      Add(FieldInvalid(FieldPath(path, "metadata").Text(), *metadata, "must be an object"));
    }
  }

  void CheckArray(const Schema& schema, const json& value, const FieldPath& path) {  // NOLINT(misc-no-recursion)
    const auto count = static_cast<std::int64_t>(value.size());
    if (schema.max_items && count > *schema.max_items) Add(FieldTooMany(path.Text(), count, *schema.max_items));
    if (schema.min_items && count < *schema.min_items) {
      Bad(path, count, "should have at least " + std::to_string(*schema.min_items) + " items");
    }
    if (schema.items != nullptr && schema.type != SchemaType::kMap) {
      for (std::size_t i = 0; i < value.size(); ++i) Check(*schema.items, value[i], FieldPath(path, i));
    }
    if (schema.unique_items && std::set<json>(value.begin(), value.end()).size() != value.size()) {
      Bad(path, value, "shouldn't contain duplicates");
    }
    if (schema.list_type != ListType::kAtomic) CheckDistinct(schema, value, path);
  }

  void CheckDistinct(const Schema& schema, const json& value, const FieldPath& path) {
    std::set<json> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
      json key = value[i];
      if (schema.list_type == ListType::kMap) {
        if (!value[i].is_object()) continue;
        key = json::object();
        for (const std::string& name : schema.list_map_keys) {
          if (value[i].contains(name)) key[name] = value[i][name];
        }
      }
      if (!seen.insert(key).second) Add(FieldDuplicate(FieldPath(path, i).Text(), key));
    }
  }

  void CheckEnum(const Schema& schema, const json& value, const FieldPath& path) {
    if (std::find(schema.enum_values->begin(), schema.enum_values->end(), value) != schema.enum_values->end()) return;
    std::vector<std::string> those;
    for (const json& one : *schema.enum_values) those.push_back(one.is_string() ? one.get<std::string>() : one.dump());
    Add(FieldNotSupported(path.Text(), value, those));
  }

  void CheckJunctors(const Schema& schema, const json& value, const FieldPath& path) {  // NOLINT(misc-no-recursion)
    const auto try_one = [&](const Schema& one) {
      return Validator().Run(one, value, path);
    };  // NOLINT(misc-no-recursion)
    const auto say = [&](const std::string& what) {
      Add(FieldInvalid(kNoField, "", ShownValue(path.Text()) + " " + what));
    };
    const auto add_all = [&](const std::vector<FieldError>& errors) {
      for (const FieldError& error : errors) Add(error);
    };
    std::size_t valid = 0;
    for (const Schema* one : schema.all_of) {
      const std::vector<FieldError> errors = try_one(*one);
      if (errors.empty()) ++valid;
      add_all(errors);
    }
    if (valid != schema.all_of.size()) {
      say(std::string("must validate all the schemas (allOf)") + (valid == 0 ? ". None validated" : ""));
    }
    const auto choose = [&](const std::vector<const Schema*>& all, std::vector<FieldError>& first) {
      std::size_t good = 0;
      for (const Schema* one : all) {
        std::vector<FieldError> errors = try_one(*one);
        if (errors.empty()) {
          ++good;
        } else if (first.empty()) {
          first = std::move(errors);
        }
      }
      return good;
    };
    if (!schema.any_of.empty()) {
      std::vector<FieldError> first;
      if (choose(schema.any_of, first) == 0) {
        say("must validate at least one schema (anyOf)");
        add_all(first);
      }
    }
    if (!schema.one_of.empty()) {
      std::vector<FieldError> first;
      const std::size_t good = choose(schema.one_of, first);
      if (good != 1) {
        say("must validate one and only one schema (oneOf). " +
            (good == 0 ? std::string("Found none valid") : "Found " + std::to_string(good) + " valid alternatives"));
      }
      if (good == 0) add_all(first);
    }
    if (schema.not_schema != nullptr && try_one(*schema.not_schema).empty()) say("must not validate the schema (not)");
  }

  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> Validate(const Schema& schema, const json& value, const ValidateOptions& options) {
  const FieldPath root(options.root_path);
  return Validator().Run(schema, value, root);
}

}  // namespace kinformer::apiserver
