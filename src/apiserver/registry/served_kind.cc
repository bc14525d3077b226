#include "src/apiserver/registry/served_kind.h"

#include <algorithm>
#include <array>
#include <cstdlib>
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

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The flag of a subresource that this server implements; null: it does not.
bool ServedKind::*SubresourceFlag(std::string_view name) {
  if (name == "status") return &ServedKind::has_status;
  if (name == "scale") return &ServedKind::has_scale;
  if (name == "finalize") return &ServedKind::has_finalize;
  if (name == "binding") return &ServedKind::has_binding;
  if (name == "eviction") return &ServedKind::has_eviction;
  return nullptr;
}

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

void ServedKind::TakeBuiltInFacts() {
  const auto all = AllBuiltInResources();
  const auto found = std::find_if(all.begin(), all.end(), [&](const BuiltInResource& one) {
    return one.group == resource.group && one.version == resource.version && one.resource == resource.resource;
  });
  // The table is compiled in, and so are the callers' names: a missing one is a mistake in scripts/generate-schemas.
  if (found == all.end()) std::abort();
  facts = &*found;
  kind = facts->kind;
  singular = facts->singular;
  scope = facts->namespaced ? Scope::kNamespaced : Scope::kCluster;
  short_names = Words(facts->short_names);
  categories = Words(facts->categories);
  create_only = facts->verbs == "create";
  for (const BuiltInSubresource& one : facts->subresources) {
    if (bool ServedKind::*const served = SubresourceFlag(one.name)) this->*served = true;
  }
}

std::vector<std::string> ServedKind::Verbs() const {
  if (facts != nullptr) return Words(facts->verbs);
  // The order of a real server's handler for custom kinds.
  return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
}

std::vector<ServedSubresource> ServedKind::Subresources() const {
  std::vector<ServedSubresource> all;
  if (facts != nullptr) {
    for (const BuiltInSubresource& one : facts->subresources) {
      if (bool ServedKind::*const served = SubresourceFlag(one.name); !served || !(this->*served)) continue;
      all.push_back({.name = std::string(one.name),
                     .kind = {std::string(one.group), std::string(one.version), std::string(one.kind)},
                     .verbs = Words(one.verbs)});
    }
    return all;
  }
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  if (has_status) all.push_back({.name = "status", .kind = Gvk(), .verbs = verbs});
  if (has_scale) all.push_back({.name = "scale", .kind = {"autoscaling", "v1", "Scale"}, .verbs = verbs});
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
          .namespaced = scope == Scope::kNamespaced,
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
