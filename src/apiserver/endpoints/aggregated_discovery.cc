#include "src/apiserver/endpoints/aggregated_discovery.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/endpoints/group_order.h"
#include "src/apiserver/registry/version_order.h"

namespace kinformer::apiserver {
namespace {

using Json = nlohmann::ordered_json;

Json ResponseKind(const GroupVersionKind& kind) {
  return {{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}};
}

Json AggregatedResource(const ServedKind& kind) {
  Json json = {{"resource", kind.resource.resource},
               {"responseKind", ResponseKind(kind.Gvk())},
               {"scope", kind.scope == Scope::kNamespaced ? "Namespaced" : "Cluster"},
               {"singularResource", kind.singular},
               {"verbs", kind.Verbs()}};
  if (!kind.short_names.empty()) json["shortNames"] = kind.short_names;
  if (!kind.categories.empty()) json["categories"] = kind.categories;
  Json subresources = Json::array();
  for (const ServedSubresource& subresource : kind.Subresources()) {
    subresources.push_back({{"subresource", subresource.name},
                            {"responseKind", ResponseKind(subresource.kind)},
                            {"verbs", subresource.verbs}});
  }
  if (!subresources.empty()) json["subresources"] = std::move(subresources);
  return json;
}

/// Distinct names, in order of first occurrence.
template <typename Name>
std::vector<std::string> Distinct(const std::vector<const ServedKind*>& kinds, Name name) {
  std::vector<std::string> names;
  for (const ServedKind* kind : kinds) {
    if (std::find(names.begin(), names.end(), name(*kind)) == names.end()) names.push_back(name(*kind));
  }
  return names;
}

Json Version(const std::string& version, const std::vector<const ServedKind*>& of_group) {
  std::vector<const ServedKind*> those;
  std::copy_if(of_group.begin(), of_group.end(), std::back_inserter(those),
               [&](const ServedKind* kind) { return kind->resource.version == version; });
  std::sort(those.begin(), those.end(),
            [](const ServedKind* a, const ServedKind* b) { return a->resource.resource < b->resource.resource; });
  Json resources = Json::array();
  for (const ServedKind* kind : those) resources.push_back(AggregatedResource(*kind));
  return {{"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}};
}

Json Group(const std::string& group, const std::vector<const ServedKind*>& kinds) {
  std::vector<const ServedKind*> those;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(those),
               [&](const ServedKind* kind) { return kind->resource.group == group; });
  Json versions = Json::array();
  std::vector<std::string> names = Distinct(those, [](const ServedKind& kind) { return kind.resource.version; });
  std::sort(names.begin(), names.end(), IsPreferredVersion);
  for (const std::string& version : names) {
    versions.push_back(Version(version, those));
  }
  Json metadata = Json::object();
  if (!group.empty()) metadata["name"] = group;
  return {{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

/// FNV-1a with two offset bases: enough to tell our own responses apart.
std::string Fingerprint(std::string_view text) {
  std::array<std::uint64_t, 2> hashes = {14695981039346656037U, 88172645463325252U};
  for (const char c : text) {
    for (std::uint64_t& hash : hashes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  std::array<char, 40> digits{};
  const int length =
      std::snprintf(digits.data(), digits.size(), "\"%016llX%016llX\"", static_cast<unsigned long long>(hashes[0]),
                    static_cast<unsigned long long>(hashes[1]));
  return {digits.data(), static_cast<std::size_t>(length)};
}

}  // namespace

AggregatedDiscovery AggregatedDiscoveryOf(const std::vector<ServedKind>& kinds, bool core) {
  std::vector<const ServedKind*> those;
  for (const ServedKind& kind : kinds) {
    if (kind.resource.group.empty() == core) those.push_back(&kind);
  }
  Json items = Json::array();
  for (const std::string& group : core ? std::vector<std::string>{""} : GroupsInOrder(kinds)) {
    items.push_back(Group(group, those));
  }
  const Json list = {{"kind", "APIGroupDiscoveryList"},
                     {"apiVersion", "apidiscovery.k8s.io/v2"},
                     {"metadata", Json::object()},
                     {"items", std::move(items)}};
  AggregatedDiscovery discovery{.text = list.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
  discovery.etag = Fingerprint(discovery.text);
  return discovery;
}

bool HasAlready(const HttpRequest& request, std::string_view etag) {
  return request.HeaderNames("If-None-Match", etag) || request.HeaderNames("If-None-Match", "*");
}

}  // namespace kinformer::apiserver
