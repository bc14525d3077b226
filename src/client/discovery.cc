#include <kinformer/client/discovery.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/client/request_target.h"
#include "src/client/rest_client.h"
#include "src/codec/json_fields.h"

namespace kinformer {
namespace {

using internal::FieldOf;
using internal::FlagOf;
using internal::TextOf;
using nlohmann::json;

constexpr std::chrono::seconds kTimeout{32};
// Total time limit for a server whose group-versions must be fetched one by one.
constexpr std::chrono::minutes kTotalTimeout{5};
// Limits on what a server may claim, in memory and in requests. Clusters with thousands of custom kinds reach a tenth
// of them.
constexpr std::size_t kMaxValues = 4'000'000;
constexpr std::size_t kMaxGroupVersions = 10'000;
constexpr std::size_t kMaxResources = 100'000;
constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

// Arrays only: iterating a JSON object or a string would visit its members or the string itself.
const json& Items(const json& object, const char* key) {
  static const json kNone = json::array();
  const json& member = FieldOf(object, key);
  return member.is_array() ? member : kNone;
}

std::vector<std::string> Texts(const json& object, const char* key) {
  std::vector<std::string> texts;
  for (const json& item : Items(object, key)) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

Error TooLarge(const std::string& what) {
  return {.code = ErrorCode::kTooLarge, .message = "the discovery document has " + what};
}

/// An upper bound on the number of values in a JSON text: each one starts a container or follows a comma.
std::size_t MaxValues(std::string_view text) {
  return 1 + static_cast<std::size_t>(
                 std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == '{'; }));
}

struct Document {
  json body;
  bool aggregated = false;
};

Result<Document> Fetch(internal::RestClient& rest, const std::string& path, std::string_view accept,
                       const std::stop_token& stop, std::chrono::milliseconds timeout = kTimeout) {
  auto response = rest.Call({.target = path, .headers = {{"Accept", std::string(accept)}}, .timeout = timeout}, stop);
  if (!response) return std::move(response).error();
  // For a text of mostly brackets, the parsed tree is many times its size.
  if (MaxValues(response->body) > kMaxValues) return TooLarge("more than 4 million values (" + path + ")");
  Document document{.body = json::parse(response->body, nullptr, false)};
  if (document.body.is_discarded() || !document.body.is_object()) {
    return Error{.code = ErrorCode::kMalformed, .message = path + ": the answer is not a JSON object"};
  }
  const auto type = FindHeader(response->head.headers, "Content-Type").value_or("");
  document.aggregated = type.find("as=APIGroupDiscoveryList") != std::string_view::npos ||
                        TextOf(document.body, "kind") == "APIGroupDiscoveryList";
  return document;
}

void ReadAggregated(const json& list, ApiCatalog& catalog) {
  for (const json& item : Items(list, "items")) {
    ApiGroup group{.name = TextOf(FieldOf(item, "metadata"), "name")};
    for (const json& version : Items(item, "versions")) {
      const std::string name = TextOf(version, "version");
      group.versions.push_back(name);
      if (TextOf(version, "freshness") == "Stale") {
        catalog.failures[GroupVersionKind{group.name, name, ""}.ApiVersion()] =
            Error{.code = ErrorCode::kUnreachable, .message = "the server has only a stale description of it"};
      }
      for (const json& r : Items(version, "resources")) {
        const json& kind = FieldOf(r, "responseKind");
        ApiResource resource{
            .resource = {.gvr = {group.name, name, TextOf(r, "resource")},
                         .kind = TextOf(kind, "kind"),
                         .scope = TextOf(r, "scope") == "Cluster" ? Scope::kCluster : Scope::kNamespaced},
            .singular = TextOf(r, "singularResource"),
            .short_names = Texts(r, "shortNames"),
            .categories = Texts(r, "categories"),
            .verbs = Texts(r, "verbs")};
        for (const json& sub : Items(r, "subresources")) resource.subresources.push_back(TextOf(sub, "subresource"));
        catalog.resources.push_back(std::move(resource));
      }
    }
    if (!group.versions.empty()) group.preferred_version = group.versions.front();
    catalog.groups.push_back(std::move(group));
  }
}

void ReadResourceList(const json& list, const std::string& group, const std::string& version, ApiCatalog& catalog) {
  const std::size_t first = catalog.resources.size();
  std::map<std::string, std::vector<std::string>> subresources;  // by resource
  for (const json& r : Items(list, "resources")) {
    const std::string name = TextOf(r, "name");
    if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
      subresources[name.substr(0, slash)].push_back(name.substr(slash + 1));
      continue;
    }
    catalog.resources.push_back({.resource = {.gvr = {group, version, name},
                                              .kind = TextOf(r, "kind"),
                                              .scope = FlagOf(r, "namespaced") ? Scope::kNamespaced : Scope::kCluster},
                                 .singular = TextOf(r, "singularName"),
                                 .short_names = Texts(r, "shortNames"),
                                 .categories = Texts(r, "categories"),
                                 .verbs = Texts(r, "verbs")});
  }
  for (std::size_t i = first; i < catalog.resources.size(); ++i) {
    const auto it = subresources.find(catalog.resources[i].resource.gvr.resource);
    if (it == subresources.end()) continue;
    catalog.resources[i].subresources = std::move(it->second);
    subresources.erase(it);
  }
}

/// Reads the groups of a server without aggregated discovery; their resources are fetched separately.
void ReadGroups(const json& core, const json& groups, ApiCatalog& catalog) {
  ApiGroup legacy{.name = "", .versions = Texts(core, "versions")};
  if (!legacy.versions.empty()) {
    legacy.preferred_version = legacy.versions.front();
    catalog.groups.push_back(std::move(legacy));
  }
  for (const json& g : Items(groups, "groups")) {
    ApiGroup group{.name = TextOf(g, "name")};
    for (const json& version : Items(g, "versions")) group.versions.push_back(TextOf(version, "version"));
    group.preferred_version = TextOf(FieldOf(g, "preferredVersion"), "version");
    if (group.preferred_version.empty() && !group.versions.empty()) group.preferred_version = group.versions.front();
    catalog.groups.push_back(std::move(group));
  }
}

Result<void> CheckSize(const ApiCatalog& catalog) {
  std::size_t group_versions = 0;
  for (const ApiGroup& group : catalog.groups) group_versions += std::max<std::size_t>(group.versions.size(), 1);
  if (group_versions > kMaxGroupVersions) {
    return TooLarge(std::to_string(group_versions) + " group-versions; up to " + std::to_string(kMaxGroupVersions) +
                    " are read");
  }
  if (catalog.resources.size() > kMaxResources) {
    return TooLarge(std::to_string(catalog.resources.size()) + " resources; up to " + std::to_string(kMaxResources) +
                    " are read");
  }
  return {};
}

/// Fetches the resources of all group-versions, one by one.
Result<void> ReadEachGroupVersion(internal::RestClient& rest, const std::stop_token& stop, ApiCatalog& catalog) {
  const TimePoint deadline = rest.clock()->After(kTotalTimeout);
  for (const ApiGroup& group : catalog.groups) {
    for (const std::string& version : group.versions) {
      const std::string path = (group.name.empty() ? "/api/" : "/apis/" + internal::PercentEncode(group.name) + "/") +
                               internal::PercentEncode(version);
      const auto ask = [&]() -> Result<Document> {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - rest.clock()->Now());
        if (left.count() > 0) {
          return Fetch(rest, path, "application/json", stop, std::min<std::chrono::milliseconds>(left, kTimeout));
        }
        return Error{.code = ErrorCode::kDeadlineExceeded, .message = "skipped: discovery exceeded five minutes"};
      };
      Result<Document> list = ask();
      if (!list && list.error().code != ErrorCode::kCancelled) list = ask();
      if (list) {
        ReadResourceList(list->body, group.name, version, catalog);
        if (Result<void> size = CheckSize(catalog); !size) return size;
      } else if (list.error().code == ErrorCode::kCancelled) {
        return std::move(list).error();
      } else {
        catalog.failures[GroupVersionKind{group.name, version, ""}.ApiVersion()] = std::move(list).error();
      }
    }
  }
  return {};
}

}  // namespace

bool ApiResource::Can(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

Result<ServerVersion> Discovery::Version(const std::stop_token& stop) const {
  Result<Document> document = Fetch(*rest_, "/version", "application/json", stop);
  if (!document) return std::move(document).error();
  return ServerVersion{.major = TextOf(document->body, "major"),
                       .minor = TextOf(document->body, "minor"),
                       .git_version = TextOf(document->body, "gitVersion"),
                       .platform = TextOf(document->body, "platform")};
}

Result<ApiCatalog> Discovery::Discover(const std::stop_token& stop) const {
  Result<Document> core = Fetch(*rest_, "/api", kAggregated, stop);
  if (!core) return Annotate(std::move(core).error(), "discovering what the server serves");
  Result<Document> groups = Fetch(*rest_, "/apis", kAggregated, stop);
  if (!groups) return Annotate(std::move(groups).error(), "discovering what the server serves");

  ApiCatalog catalog;
  const bool aggregated = core->aggregated && groups->aggregated;
  if (aggregated) {
    ReadAggregated(core->body, catalog);
    ReadAggregated(groups->body, catalog);
  } else {
    if (core->aggregated != groups->aggregated) {
      // Happens behind proxies that mix server versions; both sides support the plain form.
      for (Result<Document>* document : {&core, &groups}) {
        *document = Fetch(*rest_, document == &core ? "/api" : "/apis", "application/json", stop);
        if (!*document) return Annotate(document->error(), "discovering what the server serves");
      }
    }
    ReadGroups(core->body, groups->body, catalog);
  }
  Result<void> read = CheckSize(catalog);
  if (read && !aggregated) read = ReadEachGroupVersion(*rest_, stop, catalog);
  if (!read) return Annotate(std::move(read).error(), "discovering what the server serves");
  return catalog;
}

}  // namespace kinformer
