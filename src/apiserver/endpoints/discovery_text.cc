#include "src/apiserver/endpoints/discovery_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/endpoints/group_order.h"
#include "src/apiserver/registry/version_order.h"

namespace kinformer::apiserver {
namespace {

using Json = nlohmann::ordered_json;

std::string Text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// The versions of a group, the preferred one first.
std::vector<std::string> VersionsOf(const std::vector<ServedKind>& kinds, std::string_view group) {
  std::vector<std::string> versions;
  for (const ServedKind& kind : kinds) {
    if (kind.resource.group != group) continue;
    if (std::find(versions.begin(), versions.end(), kind.resource.version) == versions.end()) {
      versions.push_back(kind.resource.version);
    }
  }
  std::sort(versions.begin(), versions.end(), IsPreferredVersion);
  return versions;
}

Json GroupVersion(const std::string& group, const std::string& version) {
  return {{"groupVersion", group + "/" + version}, {"version", version}};
}

Json Group(const std::string& group, const std::vector<std::string>& versions) {
  Json all = Json::array();
  for (const std::string& version : versions) all.push_back(GroupVersion(group, version));
  return {{"name", group}, {"versions", std::move(all)}, {"preferredVersion", GroupVersion(group, versions.front())}};
}

Json Resource(const ServedKind& kind) {
  Json json = {{"name", kind.resource.resource},
               {"singularName", kind.singular},
               {"namespaced", kind.scope == Scope::kNamespaced},
               {"kind", kind.kind},
               {"verbs", kind.Verbs()}};
  if (!kind.short_names.empty()) json["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) json["categories"] = kind.categories;
  return json;
}

Json SubresourceOf(const ServedKind& kind, const ServedSubresource& subresource) {
  Json json = {{"name", kind.resource.resource + "/" + subresource.name},
               {"singularName", ""},
               {"namespaced", kind.scope == Scope::kNamespaced}};
  if (subresource.kind.group != kind.resource.group || subresource.kind.version != kind.resource.version) {
    json["group"] = subresource.kind.group;
    json["version"] = subresource.kind.version;
  }
  json["kind"] = subresource.kind.kind;
  json["verbs"] = subresource.verbs;
  return json;
}

}  // namespace

std::string VersionText() {
  return Text({{"major", "1"},
               {"minor", "36"},
               {"gitVersion", "v1.36.4+kinformer"},
               {"gitCommit", ""},
               {"gitTreeState", ""},
               {"buildDate", "1970-01-01T00:00:00Z"},
               {"goVersion", ""},
               {"compiler", ""},
               {"platform", "linux/amd64"}});
}

std::string ApiVersionsText(std::string_view host) {
  return Text({{"kind", "APIVersions"},
               {"versions", Json::array({"v1"})},
               {"serverAddressByClientCIDRs",
                Json::array({{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", std::string(host)}}})}});
}

std::string ApiGroupListText(const std::vector<ServedKind>& kinds) {
  Json groups = Json::array();
  for (const std::string& group : GroupsInOrder(kinds)) groups.push_back(Group(group, VersionsOf(kinds, group)));
  return Text({{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}});
}

std::optional<std::string> ApiGroupText(const std::vector<ServedKind>& kinds, std::string_view group) {
  const std::vector<std::string> versions = VersionsOf(kinds, group);
  if (group.empty() || versions.empty()) return std::nullopt;
  Json json = {{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  json.update(Group(std::string(group), versions));
  return Text(json);
}

std::optional<std::string> ApiResourceListText(const std::vector<ServedKind>& kinds, std::string_view group,
                                               std::string_view version) {
  std::vector<const ServedKind*> those;
  for (const ServedKind& kind : kinds) {
    if (kind.resource.group == group && kind.resource.version == version) those.push_back(&kind);
  }
  if (those.empty()) return std::nullopt;
  std::sort(those.begin(), those.end(),
            [](const ServedKind* a, const ServedKind* b) { return a->resource.resource < b->resource.resource; });
  Json resources = Json::array();
  for (const ServedKind* kind : those) {
    resources.push_back(Resource(*kind));
    for (const ServedSubresource& subresource : kind->Subresources()) {
      resources.push_back(SubresourceOf(*kind, subresource));
    }
  }
  Json list = {{"kind", "APIResourceList"}};
  // The core group's list has no apiVersion.
  if (!group.empty()) list["apiVersion"] = "v1";
  list["groupVersion"] = those.front()->resource.ApiVersion();
  list["resources"] = std::move(resources);
  return Text(list);
}

}  // namespace kinformer::apiserver
