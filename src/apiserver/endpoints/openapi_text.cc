#include "src/apiserver/endpoints/openapi_text.h"

#include <array>
#include <cctype>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "src/schema/openapi_schema.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

std::string PathOf(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : "apis/" + group + "/" + version;
}

/// FNV-1a with two offset bases: tells texts apart, not cryptographic.
std::string HashOf(std::string_view text) {
  std::array<std::uint64_t, 2> hash = {0xcbf29ce484222325U, 0x84222325cbf29ce4U};
  for (const char c : text) {
    for (std::uint64_t& one : hash) one = (one ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const std::uint64_t one : hash) {
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[(one >> static_cast<unsigned>(shift)) & 0xfU];
  }
  return out;
}

OpenApiText TextOf(const json& document) {
  OpenApiText text{.text = document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
  text.hash = HashOf(text.text);
  return text;
}

std::string Capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// "AppsV1" of apps/v1, "CoreV1", "RbacAuthorizationV1".
std::string OperationGroup(const GroupVersionResource& resource) {
  std::string group = resource.group.empty() ? "core" : resource.group;
  if (const std::size_t end = group.rfind(".k8s.io"); end != std::string::npos) group.resize(end);
  std::string name;
  for (std::size_t begin = 0; begin <= group.size();) {
    const std::size_t dot = std::min(group.find('.', begin), group.size());
    name += Capital(group.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return name + Capital(resource.version);
}

json Query(std::initializer_list<std::pair<const char*, const char*>> names) {
  json all = json::array();
  for (const auto& [name, type] : names) {
    all.push_back({{"in", "query"}, {"name", name}, {"schema", {{"type", type}, {"uniqueItems", true}}}});
  }
  return all;
}

json InPath(const char* name) {
  return {{"in", "path"}, {"name", name}, {"required", true}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

json Content(const std::string& schema) {
  return {{"application/json", {{"schema", {{"$ref", "#/components/schemas/" + schema}}}}}};
}

/// The operations of one kind.
class Paths {
 public:
  Paths(const ServedKind& kind, std::string schema, json& out)
      : kind_(kind),
        schema_(std::move(schema)),
        gvk_({{"group", kind.resource.group}, {"version", kind.resource.version}, {"kind", kind.kind}}),
        root_("/" + PathOf(kind.resource.group, kind.resource.version) + "/"),
        out_(out) {}

  void Add() {
    const bool namespaced = kind_.scope == Scope::kNamespaced;
    const std::string scope = namespaced ? "namespaces/{namespace}/" : "";
    const std::string collection = root_ + scope + kind_.resource.resource;
    const std::string item = collection + "/{name}";
    const json list = Query({{"allowWatchBookmarks", "boolean"},
                             {"continue", "string"},
                             {"fieldSelector", "string"},
                             {"labelSelector", "string"},
                             {"limit", "integer"},
                             {"resourceVersion", "string"},
                             {"resourceVersionMatch", "string"},
                             {"sendInitialEvents", "boolean"},
                             {"timeoutSeconds", "integer"},
                             {"watch", "boolean"}});
    const json write = Query({{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}});
    const json erase = Query({{"dryRun", "string"},
                              {"gracePeriodSeconds", "integer"},
                              {"orphanDependents", "boolean"},
                              {"propagationPolicy", "string"}});
    SetParameters(collection, namespaced, false);
    Operation(collection, "post", "post", write);
    if (kind_.create_only) return;
    Operation(collection, "get", "list", list, "List");
    Operation(collection, "delete", "deletecollection", list);
    if (namespaced) {
      SetParameters(root_ + kind_.resource.resource, false, false);
      Operation(root_ + kind_.resource.resource, "get", "list", list, "List", "ForAllNamespaces");
    }
    SetParameters(item, namespaced, true);
    Operation(item, "get", "get", json::array());
    Operation(item, "put", "put", write);
    Operation(item, "patch", "patch", PatchParameters());
    Operation(item, "delete", "delete", erase);
    if (kind_.has_status) Subresource(item, "status", schema_, gvk_, namespaced, write);
    if (kind_.has_scale) {
      Subresource(item, "scale", scale_, {{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}}, namespaced,
                  write);
    }
  }

  /// The name of the Scale schema.
  void set_scale(std::string scale) { scale_ = std::move(scale); }

 private:
  static json PatchParameters() {
    return Query(
        {{"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}, {"force", "boolean"}});
  }

  json PatchBody() const {
    json content = json::object();
    std::vector<const char*> types = {"application/json-patch+json", "application/merge-patch+json",
                                      "application/apply-patch+yaml"};
    // Custom kinds have no merge keys for a strategic merge.
    if (kind_.schema == nullptr) types.push_back("application/strategic-merge-patch+json");
    for (const char* type : types) content[type] = {{"schema", {{"type", "object"}}}};
    return {{"content", std::move(content)}, {"required", true}};
  }

  void SetParameters(const std::string& path, bool namespaced, bool named) {
    json parameters = json::array();
    if (named) parameters.push_back(InPath("name"));
    if (namespaced) parameters.push_back(InPath("namespace"));
    for (json& one : Query({{"pretty", "string"}})) parameters.push_back(std::move(one));
    out_[path]["parameters"] = std::move(parameters);
  }

  void Operation(const std::string& path, const char* method, const std::string& action, const json& parameters,
                 const std::string& answer_suffix = "", const std::string& id_suffix = "") {
    Operation(path, method, action, parameters, schema_ + answer_suffix, gvk_, id_suffix);
  }

  void Operation(const std::string& path, const char* method, const std::string& action, const json& parameters,
                 const std::string& answer, const json& gvk, const std::string& id_suffix) {
    const bool scoped = kind_.scope == Scope::kNamespaced && id_suffix != "ForAllNamespaces";
    const std::string verb = action == "get"                ? "read"
                             : action == "post"             ? "create"
                             : action == "put"              ? "replace"
                             : action == "deletecollection" ? "deleteCollection"
                                                            : action;
    json operation = {{"operationId", verb + Capital(OperationGroup(kind_.resource)) + (scoped ? "Namespaced" : "") +
                                          kind_.kind + id_suffix},
                      {"parameters", parameters},
                      {"responses", {{"200", {{"description", "OK"}, {"content", Content(answer)}}}}},
                      {"x-kubernetes-action", action},
                      {"x-kubernetes-group-version-kind", gvk}};
    if (action == "patch") operation["requestBody"] = PatchBody();
    if (action == "post" || action == "put") {
      operation["requestBody"] = {{"content", {{"*/*", {{"schema", {{"$ref", "#/components/schemas/" + answer}}}}}}},
                                  {"required", true}};
    }
    out_[path][method] = std::move(operation);
  }

  void Subresource(const std::string& item, const std::string& name, const std::string& schema, const json& gvk,
                   bool namespaced, const json& write) {
    const std::string path = item + "/" + name;
    SetParameters(path, namespaced, true);
    Operation(path, "get", "get", json::array(), schema, gvk, Capital(name));
    Operation(path, "put", "put", write, schema, gvk, Capital(name));
    Operation(path, "patch", "patch", PatchParameters(), schema, gvk, Capital(name));
  }

  const ServedKind& kind_;
  const std::string schema_;
  const json gvk_;
  const std::string root_;
  std::string scale_;
  json& out_;
};

}  // namespace

OpenApiText OpenApiDocument(const std::string& group, const std::string& version,
                            const std::vector<ServedKind>& kinds) {
  OpenApiSchemas schemas;
  json paths = json::object();
  for (const ServedKind& kind : kinds) {
    if (kind.resource.group != group || kind.resource.version != version) continue;
    const KindSchemaPtr schema = kind.FindSchema();
    if (schema == nullptr) continue;
    Paths of_kind(kind, schemas.Add(*schema), paths);
    if (kind.has_scale) {
      const ServedKind scale{.resource = {"autoscaling", "v1", ""}, .kind = "Scale"};
      if (const KindSchemaPtr found = scale.FindSchema(); found != nullptr) of_kind.set_scale(schemas.Add(*found));
    }
    of_kind.Add();
  }
  return TextOf({{"openapi", "3.0.0"},
                 {"info", {{"title", "Kubernetes"}, {"version", "unversioned"}}},
                 {"paths", std::move(paths)},
                 {"components", {{"schemas", std::move(schemas).Take()}}}});
}

OpenApiText OpenApiIndex(const std::map<std::string, OpenApiText>& documents) {
  json paths = json::object();
  for (const auto& [path, document] : documents) {
    paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" + document.hash}};
  }
  return TextOf({{"paths", std::move(paths)}});
}

std::shared_ptr<const OpenApiTexts> OpenApiCache::For(const std::vector<ServedKind>& kinds) {
  Key key;
  key.reserve(kinds.size());
  for (const ServedKind& kind : kinds) key.emplace_back(kind.resource, kind.schema);
  // Held while building: concurrent callers want the same documents.
  const MutexLock lock(mutex_);
  if (texts_ != nullptr && key == key_) return texts_;
  auto texts = std::make_shared<OpenApiTexts>();
  for (const ServedKind& kind : kinds) {
    const std::string path = PathOf(kind.resource.group, kind.resource.version);
    if (texts->documents.contains(path)) continue;
    texts->documents[path] = OpenApiDocument(kind.resource.group, kind.resource.version, kinds);
  }
  texts->index = OpenApiIndex(texts->documents);
  key_ = std::move(key);
  texts_ = texts;
  return texts;
}

}  // namespace kinformer::apiserver
