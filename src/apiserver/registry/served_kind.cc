#include "src/apiserver/registry/served_kind.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "src/schema/built_in_schemas.h"
#include "src/schema/built_in_selectable_fields.h"

namespace kinformer::apiserver {
namespace {

/// Kubernetes' own groups have no dot or end with this.
constexpr std::string_view kOwnSuffix = ".k8s.io";

/// Resources that kube-apiserver stores under another name: (resource, path below /registry).
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSpecialPaths = {{
    {"endpoints", "services/endpoints"},
    {"ingresses", "ingress"},
    {"nodes", "minions"},
    {"replicationcontrollers", "controllers"},
    {"services", "services/specs"},
}};

/// Reads selector fields as text. A field that is not among the selectable ones (it belongs to another version of the
/// kind) is read at the path that it names.
class FieldValues {
 public:
  explicit FieldValues(const std::vector<SelectableField>& fields) {
    for (const SelectableField& field : fields) {
      fields_.push_back({.name = field.name, .pointer = PointerOf(field.json_path), .absent = field.absent});
    }
  }

  std::string operator()(const Object& object, std::string_view field) const {
    const auto found =
        std::find_if(fields_.begin(), fields_.end(), [&](const Field& one) { return one.name == field; });
    if (found == fields_.end()) return At(object, PointerOf("." + std::string(field)), "");
    return At(object, found->pointer, found->absent);
  }

 private:
  struct Field {
    std::string name{};
    std::string pointer{};
    std::string absent{};
  };

  static std::string PointerOf(std::string path) {
    std::replace(path.begin(), path.end(), '.', '/');
    return path;
  }

  static std::string At(const Object& object, const std::string& pointer, const std::string& absent) {
    const Value value = object.At(pointer);
    return !value.Exists() || value.IsNull() ? absent : value.StringOr(value.Raw());
  }

  std::vector<Field> fields_;
};

}  // namespace

std::vector<std::string> ServedKind::Verbs() const {
  if (create_only) return {"create"};
  // Namespaces do not support deletecollection.
  if (has_finalize) return {"create", "delete", "get", "list", "patch", "update", "watch"};
  if (schema != nullptr) return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

std::vector<ServedSubresource> ServedKind::Subresources() const {
  std::vector<ServedSubresource> all;
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  if (has_binding) all.push_back({.name = "binding", .kind = {"", "v1", "Binding"}, .verbs = {"create"}});
  if (has_eviction) all.push_back({.name = "eviction", .kind = {"policy", "v1", "Eviction"}, .verbs = {"create"}});
  if (has_finalize) all.push_back({.name = "finalize", .kind = Gvk(), .verbs = {"update"}});
  const ServedSubresource status{.name = "status", .kind = Gvk(), .verbs = verbs};
  // Built-in kinds list subresources by name, custom kinds status before scale.
  if (has_status && schema != nullptr) all.push_back(status);
  if (has_scale) all.push_back({.name = "scale", .kind = {"autoscaling", "v1", "Scale"}, .verbs = verbs});
  if (has_status && schema == nullptr) all.push_back(status);
  return all;
}

std::string ServedKind::Prefix() const {
  const bool own_group =
      resource.group.find('.') == std::string::npos || std::string_view(resource.group).ends_with(kOwnSuffix);
  if (IsExtension() || !own_group) return "/registry/" + resource.group + "/" + resource.resource + "/";
  const auto special = std::find_if(kSpecialPaths.begin(), kSpecialPaths.end(),
                                    [&](const auto& one) { return one.first == resource.resource; });
  return "/registry/" + (special == kSpecialPaths.end() ? resource.resource : std::string(special->second)) + "/";
}

StorageOptions ServedKind::ForStorage() const {
  // The stored field names: RenamedStorage translates selectors to these.
  const std::vector<SelectableField> fields =
      stored_as.kind.empty() ? SelectableFields() : BuiltInSelectableFields(stored_as);
  return {.resource = resource,
          .kind = stored_as.kind.empty() ? Gvk() : stored_as,
          .prefix = Prefix(),
          .trigger_fields = trigger_fields,
          .field_value = FieldValues(fields),
          .convert = rules == nullptr ? nullptr : rules->convert_stored,
          .update_ttl = ttl};
}

std::shared_ptr<ObjectStorage> ServedKind::Seen(std::shared_ptr<ObjectStorage> stored) const {
  if (stored_as.kind.empty()) return stored;
  StorageOptions options = stored->options();
  options.kind = Gvk();
  return std::make_shared<RenamedStorage>(std::move(options), stored_names, std::move(stored));
}

StatusReach ServedKind::ReachOfStatus() const {
  if (IsExtension()) return {};
  return {.metadata = true, .but = std::string(rules == nullptr ? std::string_view() : rules->status_excludes)};
}

KindSchemaPtr ServedKind::FindSchema() const { return schema != nullptr ? schema : FindBuiltInSchema(Gvk()); }

std::vector<SelectableField> ServedKind::SelectableFields() const {
  return schema != nullptr ? schema->selectable_fields : BuiltInSelectableFields(Gvk());
}

}  // namespace kinformer::apiserver
