#ifndef KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_H_

// In:     nothing: the structure of kinds, built-in or defined by users
// Out:    what validation, pruning, defaults, patches, apply, openapi, selectors and tables are made from
// Thread: constant once read
// Next:   everything else in this folder; apply/, table/, registry/

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <kinformer/meta/names.h>

namespace kinformer::apiserver {

/// What a value may be. Those from kIntOrString on are strings with a form of their own (or numbers, for the first).
enum class SchemaType {
  kAny,     ///< no type given: everything goes
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
  kMicroTime,  ///< with six digits behind the second
  kBytes,      ///< base64
};

/// How apply and strategic merge treat a list.
enum class ListType {
  kAtomic,  ///< one value as a whole
  kSet,     ///< scalars, each by itself
  kMap,     ///< objects told apart by `list_map_keys`
};

struct Schema;
class Pattern;

struct SchemaField {
  std::string name{};
  const Schema* schema = nullptr;
  /// Set where the field has a value when the client gave none.
  std::optional<nlohmann::json> default_value{};
  /// The default takes the place of "", 0 and false as well: of built-in kinds, whose servers cannot tell them from
  /// nothing.
  bool default_replaces_empty = false;
};

/// The structure of one value. Schemas may refer to themselves (JSONSchemaProps does): they are owned by a SchemaPool
/// and point to each other.
struct Schema {
  SchemaType type = SchemaType::kAny;
  /// "int32", "int64", "double", "ipv4", "uri", "byte", ...; as written in OpenAPI, empty: none.
  std::string format{};
  bool nullable = false;

  /// Of an object, sorted by name.
  std::vector<SchemaField> fields{};
  std::vector<std::string> required{};
  /// Of a map its values, of an array its elements.
  const Schema* items = nullptr;
  /// Fields that are not named are kept (x-kubernetes-preserve-unknown-fields).
  bool preserve_unknown_fields = false;
  /// Has apiVersion, kind and metadata of its own (x-kubernetes-embedded-resource).
  bool embedded_resource = false;
  /// An object (or map) that apply owns as one value (x-kubernetes-map-type: atomic).
  bool atomic = false;

  ListType list_type = ListType::kAtomic;
  std::vector<std::string> list_map_keys{};
  /// Of strategic merge patches, which have their own idea of lists: merged by this key (or as a set of scalars, where
  /// it is empty), if `patch_merge`.
  bool patch_merge = false;
  std::string patch_merge_key{};
  /// Fields that the patch does not name are dropped ($retainKeys).
  bool patch_retain_keys = false;

  // What values must satisfy besides their type.
  std::vector<nlohmann::json> enum_values{};
  std::string pattern{};
  /// The same, ready to be used; null: none.
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

  /// Of openapi and explain; our own short words, or a CRD's.
  std::string description{};
  /// "io.k8s.api.core.v1.PodSpec", where the schema is a named one; the name under which openapi shows it.
  std::string name{};

  /// Sets defaults that depend on other fields; runs when this object's own constants are set, and before anything is
  /// done to what is in it.
  void (*set_defaults)(nlohmann::json& object) = nullptr;

  /// Null: no field of that name.
  const SchemaField* Find(std::string_view field) const;
};

/// Owns schemas that point to each other. Filled by one thread, then constant.
class SchemaPool {
 public:
  SchemaPool() = default;
  SchemaPool(const SchemaPool&) = delete;
  SchemaPool& operator=(const SchemaPool&) = delete;

  Schema& Add();

 private:
  std::vector<std::unique_ptr<Schema>> schemas_;
};

/// A column of `kubectl get`, of a built-in kind or of a CustomResourceDefinition.
struct PrinterColumn {
  std::string name{};
  std::string type = "string";
  std::string format{};
  std::string description{};
  /// Shown by -o wide alone if greater than zero.
  int priority = 0;
  /// Where its value is: a JSONPath of the simple kind (".spec.replicas",
  /// ".status.conditions[?(@.type==\"Ready\")].status"). Empty: its printer finds what it needs.
  std::string json_path{};
  /// What makes a cell of the value, where that is more than showing it as `type` says: a function that table/ has by
  /// this name ("age", "labels", "podStatus"). A CRD's columns have none.
  std::string printer{};
  /// The cell where there is nothing at the path, as JSON. Empty: the printer is asked all the same; without one, null.
  std::string absent{};
  /// A value that is "" is as good as nothing.
  bool empty_is_absent = false;
};

/// A field that lists and watches can be narrowed down by, besides metadata.name and metadata.namespace.
struct SelectableField {
  /// As a selector names it: "status.phase".
  std::string name{};
  /// Where its value is: names with dots before them.
  std::string json_path{};
  /// Its value where there is nothing.
  std::string absent{};
};

/// One version of one kind: all that the server knows of its structure and looks, in one place.
struct KindSchema {
  GroupVersionKind kind{};
  /// Of the whole object. apiVersion, kind and metadata are among its fields.
  const Schema* root = nullptr;
  /// All of them, the name's as well.
  std::vector<PrinterColumn> columns{};
  std::vector<SelectableField> selectable_fields{};
  /// Keeps `root` alive.
  std::shared_ptr<const SchemaPool> pool{};
};
using KindSchemaPtr = std::shared_ptr<const KindSchema>;

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_H_
