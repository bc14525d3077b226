#include "src/gen/crd_reader.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/gen/names.h"
#include "src/gen/schema_mapper.h"
#include "src/yaml/yaml_reader.h"

namespace kinformer::gen {
namespace {

using Json = nlohmann::json;

struct Crd {
  std::string source{};
  std::string group{};
  std::string kind{};
  std::string plural{};
  bool namespaced = true;
  Json definition{};
};

Error Invalid(const std::string& source, const std::string& reason) {
  return {.code = ErrorCode::kMalformed, .message = source + ": " + reason};
}

/// A text member, "" if it is absent or no text.
std::string TextOf(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const Json& ObjectOf(const Json& object, const char* key) {
  static const Json none = Json::object();
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : none;
}

/// Names go into code and into literals, so nothing else than these characters passes.
bool Consists(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}
constexpr std::string_view kLowerAndDigits = "abcdefghijklmnopqrstuvwxyz0123456789";
const std::string kDnsCharacters = std::string(kLowerAndDigits) + "-.";
const std::string kKindCharacters = std::string(kLowerAndDigits) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ-";

bool IsLetterFirst(std::string_view text) { return (text.front() | 0x20) >= 'a' && (text.front() | 0x20) <= 'z'; }

Result<Crd> ReadCrd(Json definition, const std::string& source) {
  const Json& spec = ObjectOf(definition, "spec");
  const Json& names = ObjectOf(spec, "names");
  Crd crd{.source = source,
          .group = TextOf(spec, "group"),
          .kind = TextOf(names, "kind"),
          .plural = TextOf(names, "plural")};
  const std::string named = TextOf(ObjectOf(definition, "metadata"), "name");
  const std::string where = source + ": CustomResourceDefinition " + (named.empty() ? "without a name" : named);
  if (!Consists(crd.group, kDnsCharacters)) return Invalid(where, "spec.group is not a DNS name");
  if (!Consists(crd.kind, kKindCharacters) || !IsLetterFirst(crd.kind)) {
    return Invalid(where, "spec.names.kind is not a name of letters and digits");
  }
  if (!Consists(crd.plural, kDnsCharacters)) return Invalid(where, "spec.names.plural is not a DNS label");
  const std::string scope = TextOf(spec, "scope");
  if (scope != "Namespaced" && scope != "Cluster") return Invalid(where, "spec.scope must be Namespaced or Cluster");
  crd.namespaced = scope == "Namespaced";
  const auto versions = spec.find("versions");
  if (versions == spec.end() || !versions->is_array() || versions->empty()) {
    return Invalid(where, "spec.versions is missing or empty");
  }
  std::set<std::string> seen;
  for (const Json& version : *versions) {
    const std::string name = TextOf(version, "name");
    if (!Consists(name, kLowerAndDigits) || !IsLetterFirst(name)) {
      return Invalid(where, "spec.versions has a name that is not of lower case letters and digits");
    }
    if (!seen.insert(name).second) return Invalid(where, "spec.versions has " + name + " twice");
  }
  crd.definition = std::move(definition);
  return crd;
}

/// Adds the definitions of a document; those of a List are its items.
Result<void> Collect(Json document, const std::string& source, std::vector<Crd>& crds, std::vector<Note>& notes) {
  if (!document.is_object()) return {};
  const std::string kind = TextOf(document, "kind");
  const std::string api_version = TextOf(document, "apiVersion");
  if (kind == "List" || kind == "CustomResourceDefinitionList") {
    const auto items = document.find("items");
    if (items == document.end() || !items->is_array()) return {};
    for (Json& item : *items) {
      if (item.is_object() && kind == "CustomResourceDefinitionList") {
        item.emplace("kind", "CustomResourceDefinition");
        item.emplace("apiVersion", api_version);
      }
      // Lists of lists do not exist.
      if (TextOf(item, "kind") != "CustomResourceDefinition") continue;
      if (auto added = Collect(std::move(item), source, crds, notes); !added) return added;
    }
    return {};
  }
  if (kind != "CustomResourceDefinition") return {};
  if (api_version != "apiextensions.k8s.io/v1") {
    notes.push_back({source + ": " + TextOf(ObjectOf(document, "metadata"), "name"),
                     "apiVersion " + api_version + " is not apiextensions.k8s.io/v1: left out"});
    return {};
  }
  auto crd = ReadCrd(std::move(document), source);
  if (!crd) return std::move(crd).error();
  crds.push_back(*std::move(crd));
  return {};
}

/// Sorted, so that the order of inputs does not matter; equal ones once.
Result<void> SortAndMerge(std::vector<Crd>& crds) {
  std::stable_sort(crds.begin(), crds.end(), [](const Crd& a, const Crd& b) {
    return std::tie(a.group, a.kind, a.source) < std::tie(b.group, b.kind, b.source);
  });
  for (std::size_t i = 1; i < crds.size(); ++i) {
    const Crd& a = crds[i - 1];
    const Crd& b = crds[i];
    if (a.group != b.group || a.kind != b.kind) continue;
    if (a.definition != b.definition) {
      return Invalid(b.source, "defines " + b.kind + " of " + b.group + " differently from " + a.source);
    }
  }
  crds.erase(std::unique(crds.begin(), crds.end(),
                         [](const Crd& a, const Crd& b) { return a.group == b.group && a.kind == b.kind; }),
             crds.end());
  return {};
}

std::string EmbeddedCrd(const Json& definition) {
  Json crd = definition;
  crd.erase("status");
  return crd.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The kinds of one group and version.
struct Versions {
  std::vector<std::pair<const Crd*, const Json*>> kinds{};
};

Package ReadPackage(const PackageName& name, const Versions& versions, const CrdReadOptions& options,
                    std::vector<Note>& notes) {
  SchemaMapper mapper({});
  for (const auto& [crd, version] : versions.kinds) mapper.Reserve(TypeNamePart(crd->kind));
  for (const auto& [crd, version] : versions.kinds) {
    const Json& schema = ObjectOf(ObjectOf(*version, "schema"), "openAPIV3Schema");
    if (schema.empty()) mapper.AddNote(crd->kind + ":", "it has no schema: only metadata is typed");
    StructModel& kind =
        mapper.AddStruct(TypeNamePart(crd->kind), crd->kind + ":", schema, {"apiVersion", "kind", "metadata"});
    const auto after = std::find_if(kind.members.begin(), kind.members.end(),
                                    [](const MemberModel& member) { return member.json_name > "metadata"; });
    kind.members.insert(after,
                        {.json_name = "metadata",
                         .type = {.shape = Shape::kStruct, .struct_name = "::kinformer::api::meta::v1::ObjectMeta"},
                         .plain = true});
    kind.place = "kind of " + name.group + "/" + name.version;
    kind.description = TextOf(schema, "description");
    kind.kind = KindModel{.group = name.group,
                          .version = name.version,
                          .kind = crd->kind,
                          .plural = crd->plural,
                          .namespaced = crd->namespaced,
                          .crd = options.embed_crd ? EmbeddedCrd(crd->definition) : ""};
  }
  for (const Note& note : mapper.notes())
    notes.push_back({name.group + "/" + name.version + " " + note.place, note.reason});
  return {.name = name, .structs = mapper.TakeStructs()};
}

}  // namespace

Result<std::vector<Package>> ReadCrds(const std::vector<Input>& inputs, const CrdReadOptions& options,
                                      std::vector<Note>& notes) {
  std::vector<Crd> crds;
  for (const Input& input : inputs) {
    auto documents = apiserver::ReadYamlDocuments(input.text);
    if (!documents) return Annotate(std::move(documents).error(), input.source);
    const std::size_t before = crds.size() + notes.size();
    for (Json& document : *documents) {
      if (auto added = Collect(std::move(document), input.source, crds, notes); !added) return std::move(added).error();
    }
    if (input.must_contribute && crds.size() + notes.size() == before) {
      return Invalid(input.source, "it has no CustomResourceDefinition");
    }
  }
  if (crds.empty())
    return Error{.code = ErrorCode::kMalformed, .message = "there is no CustomResourceDefinition to generate from"};
  if (auto merged = SortAndMerge(crds); !merged) return std::move(merged).error();

  std::map<PackageName, Versions> packages;
  for (const Crd& crd : crds) {
    for (const Json& version : crd.definition.at("spec").at("versions")) {
      packages[{crd.group, TextOf(version, "name")}].kinds.emplace_back(&crd, &version);
    }
  }
  std::vector<Package> read;
  for (const auto& [name, versions] : packages) read.push_back(ReadPackage(name, versions, options, notes));
  return read;
}

}  // namespace kinformer::gen
