#include "src/apiserver/crd/crd_versions.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::IsBlank;
using internal::TextOf;
using nlohmann::json;

/// Removes and returns the member; null if absent.
json Take(json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return nullptr;
  json value = std::move(*found);
  object.erase(found);
  return value;
}

void Rename(json& object, const char* before, const char* after) {
  if (json value = Take(object, before); !value.is_null()) object[after] = std::move(value);
}

void ConvertColumns(json& version) {
  const auto columns = version.find("additionalPrinterColumns");
  if (columns == version.end() || !columns->is_array()) return;
  for (json& column : *columns) {
    if (column.is_object()) Rename(column, "JSONPath", "jsonPath");
  }
}

/// In v1, webhook settings are in an object of their own.
void ConvertConversion(json& spec) {
  const auto conversion = spec.find("conversion");
  if (conversion == spec.end()) {
    spec["conversion"] = {{"strategy", "None"}};
    return;
  }
  if (!conversion->is_object()) return;
  json client = Take(*conversion, "webhookClientConfig");
  json versions = Take(*conversion, "conversionReviewVersions");
  if (client.is_null() && versions.is_null()) return;
  json& webhook = (*conversion)["webhook"] = json::object();
  if (!client.is_null()) webhook["clientConfig"] = std::move(client);
  if (!versions.is_null()) webhook["conversionReviewVersions"] = std::move(versions);
}

}  // namespace

void ConvertStoredDefinition(json& definition) {
  if (TextOf(definition, "apiVersion") != "apiextensions.k8s.io/v1beta1") return;
  const auto found = definition.find("spec");
  if (found == definition.end() || !found->is_object()) return;
  json& spec = *found;

  json name = Take(spec, "version");
  json& versions = spec["versions"];
  if (IsBlank(versions) && name.is_string()) versions = {{{"name", name}, {"served", true}, {"storage", true}}};
  if (!versions.is_array()) versions = json::array();
  constexpr std::array<std::pair<const char*, const char*>, 4> kOfAll = {
      {{"validation", "schema"},
       {"subresources", "subresources"},
       {"additionalPrinterColumns", "additionalPrinterColumns"},
       {"selectableFields", "selectableFields"}}};
  for (const auto& [of_all, of_one] : kOfAll) {
    const json value = Take(spec, of_all);
    if (value.is_null()) continue;
    for (json& version : versions) {
      if (version.is_object()) version[of_one] = value;
    }
  }
  for (json& version : versions) {
    if (version.is_object()) ConvertColumns(version);
  }
  ConvertConversion(spec);
  // The default was true in v1beta1 and is false in v1.
  const json preserve = Take(spec, "preserveUnknownFields");
  if (preserve != false) spec["preserveUnknownFields"] = true;
  if (TextOf(spec, "scope").empty()) spec["scope"] = "Namespaced";
}

}  // namespace kinformer::apiserver
