#ifndef KINFORMER_SRC_SCHEMA_SCHEMA_H_
#define KINFORMER_SRC_SCHEMA_SCHEMA_H_

// In:     nothing: the structure of built-in and custom kinds
// Out:    the basis of validation, pruning, defaults, patches, apply, openapi, selectors and tables
// Thread: constant once read
// Next:   everything else in this folder; apply/, table/, registry/

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/meta/names.h>

namespace kinformer::apiserver {

/// The type of a value. From kIntOrString on, strings with a format of their own (or numbers, for kIntOrString and
/// kQuantity).
enum class SchemaType {
  kAny,     ///< no type given: any value
  kObject,  ///< named fields
  kMap,     ///< keys that are data; `items` is the schema of the values
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
  kIntOrString,
  kQuantity,
  kTime,       ///< "2006-01-02T15:04:05Z"
  kMicroTime,  ///< with six fractional digits
  kBytes,      ///< base64
};

/// How apply and strategic merge treat a list.
enum class ListType {
  kAtomic,  ///< replaced as a whole
  kSet,     ///< a set of scalars
  kMap,     ///< objects identified by `list_map_keys`
};

struct Schema;
class Pattern;

struct SchemaField {
  std::string name{};
  const Schema* schema = nullptr;
  /// The default for an absent field; null: none.
  std::shared_ptr<const nlohmann::json> default_value{};
  /// The default also replaces "", 0 and false: Go servers cannot tell these from absent in built-in kinds.
  bool default_replaces_empty = false;
};

/// The structure of one value. Schemas may be recursive (JSONSchemaProps is): a SchemaPool owns them, and they point to
/// each other.
struct Schema {
  SchemaType type = SchemaType::kAny;
  /// As in OpenAPI: "int32", "int64", "double", "ipv4", "uri", "byte", ...; empty: none.
  std::string format{};
  bool nullable = false;

  /// For an object; sorted by name.
  std::vector<SchemaField> fields{};
  std::vector<std::string> required{};
  /// The schema of a map's values or an array's elements.
  const Schema* items = nullptr;
  /// Unknown fields are kept (x-kubernetes-preserve-unknown-fields).
  bool preserve_unknown_fields = false;
  /// Has apiVersion, kind and metadata of its own (x-kubernetes-embedded-resource).
  bool embedded_resource = false;
  /// An object (or map) that apply owns as one value (x-kubernetes-map-type: atomic).
  bool atomic = false;

  ListType list_type = ListType::kAtomic;
  std::vector<std::string> list_map_keys{};
  /// For strategic merge patches, which treat lists differently: if `patch_merge`, a list is merged by this key, or as
  /// a set of scalars if the key is empty.
  bool patch_merge = false;
  std::string patch_merge_key{};
  /// Fields that the patch does not name are dropped ($retainKeys).
  bool patch_retain_keys = false;

  // Constraints besides the type.
  /// An array of the allowed values; null: all.
  std::shared_ptr<const nlohmann::json> enum_values{};
  std::string pattern{};
  /// `pattern`, compiled; null: none.
  std::shared_ptr<const Pattern> compiled_pattern{};
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of{};
  std::optional<std::int64_t> min_length{};
  std::optional<std::int64_t> max_length{};
  std::optional<std::int64_t> min_items{};
  std::optional<std::int64_t> max_items{};
  std::optional<std::int64_t> min_properties{};
  std::optional<std::int64_t> max_properties{};
  bool unique_items = false;
  std::vector<const Schema*> all_of{};
  std::vector<const Schema*> any_of{};
  std::vector<const Schema*> one_of{};
  const Schema* not_schema = nullptr;

  /// For openapi and explain; our own short text, or the CRD's.
  std::string description{};
  /// The name under which openapi publishes the schema, such as "io.k8s.api.core.v1.PodSpec"; empty: unnamed.
  std::string name{};

  /// Sets defaults that depend on other fields. Runs after this object's constant defaults and before those of its
  /// children.
  void (*set_defaults)(nlohmann::json& object) = nullptr;

  /// Null: no such field.
  const SchemaField* Find(std::string_view field) const;
};

/// Owns schemas that point to each other. Filled by one thread, then immutable.
class SchemaPool {
 public:
  SchemaPool() = default;
  SchemaPool(const SchemaPool&) = delete;
  SchemaPool& operator=(const SchemaPool&) = delete;

  Schema& Add();

 private:
  std::vector<std::unique_ptr<Schema>> schemas_;
};

/// A column of `kubectl get`.
struct PrinterColumn {
  std::string name{};
  std::string type = "string";
  std::string format{};
  std::string description{};
  /// Shown only with -o wide if greater than zero.
  int priority = 0;
  /// JSONPath of its value, in the simple form (".spec.replicas", ".status.conditions[?(@.type==\"Ready\")].status").
  /// Empty: the printer gets the whole object.
  std::string json_path{};
  /// The function in table/ that formats the cell ("age", "labels", "podStatus"); empty: the value is shown as `type`
  /// says. Always empty for a CRD's columns.
  std::string printer{};
  /// The cell, as JSON, if there is no value at the path. Empty: the printer is called anyway; without a printer, null.
  std::string absent{};
  /// "" counts as absent.
  bool empty_is_absent = false;
};

/// A field that field selectors support, besides metadata.name and metadata.namespace.
struct SelectableField {
  /// Its name in selectors: "status.phase".
  std::string name{};
  /// The path of its value: names, each preceded by a dot.
  std::string json_path{};
  /// Its value if absent.
  std::string absent{};
};

/// One version of one kind: everything that the server knows about its structure and display.
struct KindSchema {
  GroupVersionKind kind{};
  /// Schema of the whole object, including apiVersion, kind and metadata.
  const Schema* root = nullptr;
  /// All columns, including the name.
  std::vector<PrinterColumn> columns{};
  std::vector<SelectableField> selectable_fields{};
  /// Keeps `root` alive.
  std::shared_ptr<const SchemaPool> pool{};
};
using KindSchemaPtr = std::shared_ptr<const KindSchema>;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_SCHEMA_H_
