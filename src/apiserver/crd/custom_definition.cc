#include "src/apiserver/crd/custom_definition.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/crd/crd_rules.h"
#include "src/apiserver/crd/custom_schema.h"
#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/version_order.h"
#include "src/codec/json_fields.h"
#include "src/meta/error_text.h"
#include "src/yaml/yaml_reader.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;

std::vector<std::string> TextsOf(const json& list) {
  std::vector<std::string> texts;
  for (const json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(what)}; }

/// Adds the document itself, the elements of an array, or the items of a List. Null: a document with only comments.
void AddDefinitions(json document, std::vector<json>& definitions) {
  if (document.is_null()) return;
  const bool list = TextOf(document, "kind").ends_with("List") && FieldOf(document, "items").is_array();
  json all = document.is_array() ? std::move(document)
             : list              ? std::move(document["items"])
                                 : json::array({std::move(document)});
  for (json& definition : all) definitions.push_back(std::move(definition));
}

/// The author's warning, or a generated one that names the newest version. Empty: not deprecated.
std::string DeprecationOf(const json& spec, const json& version) {
  if (FieldOf(version, "deprecated") != true) return {};
  if (const json& own = FieldOf(version, "deprecationWarning"); own.is_string()) return own.get<std::string>();
  const std::string& name = TextOf(version, "name");
  const std::string* newest = nullptr;
  for (const json& other : FieldOf(spec, "versions")) {
    const std::string& better = TextOf(other, "name");
    if (FieldOf(other, "served") != true || FieldOf(other, "deprecated") == true) continue;
    if (IsPreferredVersion(better, newest == nullptr ? name : *newest)) newest = &better;
  }
  const auto shown = [&](const std::string& which) {
    return TextOf(spec, "group") + "/" + which + " " + TextOf(FieldOf(spec, "names"), "kind");
  };
  return shown(name) + " is deprecated" + (newest == nullptr ? "" : "; use " + shown(*newest));
}

Result<ServedKind> KindOf(const json& definition, const json& version) {
  const json& spec = FieldOf(definition, "spec");
  const json& wanted = FieldOf(spec, "names");
  const json& accepted = FieldOf(FieldOf(definition, "status"), "acceptedNames");
  const json& names = TextOf(accepted, "plural").empty() ? wanted : accepted;
  const json& subresources = FieldOf(version, "subresources");
  const json& scale = FieldOf(subresources, "scale");
  ServedKind kind{.resource = {TextOf(spec, "group"), TextOf(version, "name"), TextOf(wanted, "plural")},
                  .kind = TextOf(wanted, "kind"),
                  .singular = TextOf(names, "singular"),
                  .list_kind = TextOf(names, "listKind"),
                  .scope = TextOf(spec, "scope") == "Cluster" ? Scope::kCluster : Scope::kNamespaced,
                  .short_names = TextsOf(FieldOf(names, "shortNames")),
                  .categories = TextsOf(FieldOf(names, "categories")),
                  .has_status = FieldOf(subresources, "status").is_object(),
                  .has_scale = scale.is_object(),
                  .has_generation = true,
                  .unconditional_update = false,
                  .deprecation = DeprecationOf(spec, version),
                  .terminating = IsConditionTrue(definition, "Terminating")};
  if (kind.has_scale) {
    kind.scale = {.spec_replicas = TextOf(scale, "specReplicasPath"),
                  .status_replicas = TextOf(scale, "statusReplicasPath"),
                  .label_selector = TextOf(scale, "labelSelectorPath")};
  }
  Result<KindSchemaPtr> schema = ReadCustomSchema(kind.Gvk(), version);
  if (!schema) return Annotate(std::move(schema).error(), "the schema of version " + kind.resource.version);
  kind.schema = *std::move(schema);
  return kind;
}

}  // namespace

Result<CustomDefinition> ReadDefinition(const json& definition) {
  CustomDefinition read;
  bool stored = false;
  for (const json& version : FieldOf(FieldOf(definition, "spec"), "versions")) {
    Result<ServedKind> kind = KindOf(definition, version);
    if (!kind) return std::move(kind).error();
    if (FieldOf(version, "storage") == true) {
      read.stored = *kind;
      stored = true;
    }
    if (FieldOf(version, "served") == true) read.served.push_back(*std::move(kind));
  }
  if (!stored) return Error{.code = ErrorCode::kInvalidArgument, .message = "no version is the storage version"};
  std::stable_sort(read.served.begin(), read.served.end(), [](const ServedKind& a, const ServedKind& b) {
    return IsPreferredVersion(a.resource.version, b.resource.version);
  });
  return read;
}

Result<std::vector<json>> ReadDefinitionTexts(std::string_view text) {
  std::vector<json> definitions;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    Result<json> document = ReadJson(text, "a CustomResourceDefinition cannot be read");
    if (!document) return Wrong(document.error().message);
    AddDefinitions(*std::move(document), definitions);
  } else {
    Result<std::vector<json>> documents = ReadYamlDocuments(text);
    if (!documents) return Wrong("a CustomResourceDefinition cannot be read: " + documents.error().message);
    for (json& document : *documents) AddDefinitions(std::move(document), definitions);
  }
  if (definitions.empty()) return Wrong("there is no CustomResourceDefinition");
  for (const json& definition : definitions) {
    if (TextOf(definition, "kind") == "CustomResourceDefinition" &&
        TextOf(definition, "apiVersion") == "apiextensions.k8s.io/v1") {
      continue;
    }
    return Wrong("not a CustomResourceDefinition of apiextensions.k8s.io/v1: it " +
                 internal::KindText(TextOf(definition, "apiVersion"), TextOf(definition, "kind")));
  }
  return definitions;
}

}  // namespace kinformer::apiserver
