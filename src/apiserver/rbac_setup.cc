#include "src/apiserver/rbac_setup.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/registry/json_reader.h"
#include "src/codec/json_fields.h"
#include "src/yaml/yaml_reader.h"

namespace kinformer::apiserver {
namespace {

using internal::JsonText;
using internal::TextOf;
using nlohmann::json;

struct KnownKind {
  std::string_view api_version{};
  std::string_view kind{};
  std::string_view resource{};
};

/// In creation order: namespaces before their contents, roles before their bindings.
constexpr std::array<KnownKind, 5> kKinds = {{
    {"v1", "Namespace", "namespaces"},
    {"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles"},
    {"rbac.authorization.k8s.io/v1", "Role", "roles"},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings"},
    {"rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"},
}};

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(what)}; }

const KnownKind* FindKind(const json& object) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const KnownKind& known) {
    return TextOf(object, "apiVersion") == known.api_version && TextOf(object, "kind") == known.kind;
  });
  return found == kKinds.end() ? nullptr : &*found;
}

Result<void> AddObjects(json document, std::vector<json>& objects) {
  if (document.is_null()) return {};  // only comments
  if (!document.is_object()) return Wrong("RBAC objects: a document is not an object");
  json items = json::array();
  const auto list = document.find("items");
  if (list != document.end() && TextOf(document, "kind").ends_with("List")) {
    if (!list->is_array()) return Wrong("RBAC objects: the List's items are not an array");
    items = std::move(*list);
  } else {
    items.push_back(std::move(document));
  }
  for (json& item : items) {
    if (!item.is_object() || FindKind(item) == nullptr) {
      const std::string kind = item.is_object() ? TextOf(item, "kind") : std::string();
      return Wrong("RBAC objects: \"" + kind +
                   "\" is none of Role, ClusterRole, RoleBinding, ClusterRoleBinding (rbac.authorization.k8s.io/v1) "
                   "and Namespace (v1)");
    }
    objects.push_back(std::move(item));
  }
  return {};
}

}  // namespace

Result<std::vector<json>> ReadRbacObjects(std::string_view text) {
  std::vector<json> objects;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    Result<json> document = ReadJson(text, "RBAC objects");
    if (!document) return Wrong(document.error().message);
    if (Result<void> added = AddObjects(*std::move(document), objects); !added) return std::move(added).error();
    return objects;
  }
  Result<std::vector<json>> documents = ReadYamlDocuments(text);
  if (!documents) return Wrong("RBAC objects: " + documents.error().message);
  for (json& document : *documents) {
    if (Result<void> added = AddObjects(std::move(document), objects); !added) return std::move(added).error();
  }
  return objects;
}

Result<void> CreateRbacObjects(const ResourceTable& resources, std::vector<json> objects) {
  std::stable_sort(objects.begin(), objects.end(),
                   [](const json& a, const json& b) { return FindKind(a) < FindKind(b); });
  for (const json& object : objects) {
    const KnownKind* kind = FindKind(object);
    if (kind == nullptr) return Wrong("RBAC objects: \"" + TextOf(object, "kind") + "\" is not an RBAC kind");
    const std::string_view group = kind->kind == "Namespace" ? std::string_view() : kRbacGroup;
    const auto store = resources.Find({std::string(group), "v1", std::string(kind->resource)});
    if (store == nullptr) return Wrong("RBAC objects: " + std::string(kind->resource) + " are not served");
    const auto metadata = object.find("metadata");
    const bool has_metadata = metadata != object.end() && metadata->is_object();
    const std::string name = has_metadata ? TextOf(*metadata, "name") : std::string();
    std::string where;
    if (store->kind().scope == Scope::kNamespaced) {
      where = has_metadata ? TextOf(*metadata, "namespace") : std::string();
      if (where.empty()) where = "default";
    }
    const std::string body = JsonText(object);
    const Result<ObjectPtr> made = store->Create(where, body, {}, {});
    if (!made && !IsAlreadyExists(made.error())) {
      return Annotate(made.error(), "creating the " + std::string(kind->kind) + " \"" + name + "\"");
    }
  }
  return {};
}

RbacLister ListerOf(const ResourceTable& resources) {
  return [&resources](std::string_view resource) -> Result<RbacList> {
    const auto store = resources.Find({std::string(kRbacGroup), "v1", std::string(resource)});
    if (store == nullptr) return RbacList{};
    Result<ObjectList> list = store->List({.resource_version = "0"}, {});
    if (!list) return std::move(list).error();
    return RbacList{std::move(list->items), std::move(list->metadata.resource_version)};
  };
}

}  // namespace kinformer::apiserver
