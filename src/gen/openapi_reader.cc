#include "src/gen/openapi_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/gen/names.h"
#include "src/gen/schema_mapper.h"
#include "src/yaml/yaml_reader.h"

namespace kinformer::gen {
namespace {

using OpenApiJson = nlohmann::json;

constexpr std::size_t kMaxReferences = 32;
constexpr std::string_view kMetaV1 = "io.k8s.apimachinery.pkg.apis.meta.v1.";

const OpenApiJson& At(const OpenApiJson& object, const char* key) {
  static const OpenApiJson none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string StringAt(const OpenApiJson& object, const char* key) {
  const OpenApiJson& value = At(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool IsVersion(std::string_view text) { return text.size() >= 2 && text[0] == 'v' && text[1] >= '0' && text[1] <= '9'; }

struct Definition {
  PackageName package{};
  std::string name{};
};

/// "io.k8s.api.apps.v1.Deployment": Deployment in apps/v1.
Definition Parse(const std::string& full_name) {
  std::vector<std::string> parts = Split(full_name, '.');
  Definition definition{.name = TypeNamePart(parts.back())};
  parts.pop_back();
  if (!parts.empty() && IsVersion(parts.back())) {
    definition.package.version = parts.back();
    parts.pop_back();
  }
  const bool of_kubernetes = parts.size() > 2 && parts[0] == "io" && parts[1] == "k8s" &&
                             (parts[2] == "api" || std::find(parts.begin(), parts.end(), "pkg") != parts.end());
  if (of_kubernetes) {
    definition.package.group = parts.back();
  } else {
    // A custom resource's group, in reverse.
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      definition.package.group += (part == parts.rbegin() ? "" : ".") + *part;
    }
  }
  return definition;
}

struct Resource {
  std::string plural{};
  bool namespaced = false;
};

/// Group, version, kind.
using KindKey = std::tuple<std::string, std::string, std::string>;

KindKey KeyOf(const OpenApiJson& gvk) {
  return {StringAt(gvk, "group"), StringAt(gvk, "version"), StringAt(gvk, "kind")};
}

std::optional<Shape> KnownShape(std::string_view name) {
  static const std::map<std::string, Shape, std::less<>> known = {
      {"io.k8s.apimachinery.pkg.api.resource.Quantity", Shape::kQuantity},
      {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", Shape::kIntOrString},
      {"io.k8s.apimachinery.pkg.apis.meta.v1.Time", Shape::kTime},
      {"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", Shape::kMicroTime},
      {"io.k8s.apimachinery.pkg.apis.meta.v1.Duration", Shape::kDuration},
  };
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

bool IsSafe(std::string_view text, std::string_view also) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || also.find(c) != also.npos;
  });
}

/// The definitions and resources of all documents.
class Documents {
 public:
  explicit Documents(bool library_meta) : library_meta_(library_meta) {}

  Result<void> Add(const Input& input) {
    auto documents = apiserver::ReadYamlDocuments(input.text);
    if (!documents) return Annotate(std::move(documents).error(), input.source);
    std::size_t added = 0;
    for (const OpenApiJson& document : *documents) {
      for (const OpenApiJson* const schemas :
           {&At(At(document, "components"), "schemas"), &At(document, "definitions")}) {
        if (!schemas->is_object()) continue;
        for (const auto& [name, schema] : schemas->items()) {
          if (auto kept = Keep(name, schema, input.source); !kept) return kept;
          ++added;
        }
      }
      if (const OpenApiJson& paths = At(document, "paths"); paths.is_object()) {
        for (const auto& [path, operations] : paths.items()) AddResource(path, operations);
      }
    }
    if (added == 0 && input.must_contribute) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = input.source +
                              ": it is no OpenAPI document: it has neither components.schemas nor "
                              "definitions"};
    }
    return {};
  }

  const std::map<std::string, OpenApiJson>& definitions() const { return definitions_; }

  static bool IsStruct(const OpenApiJson& schema) {
    return At(schema, "properties").is_object() && !At(schema, "properties").empty();
  }

  bool IsLibrarys(std::string_view full_name) const {
    if (!library_meta_ || !full_name.starts_with(kMetaV1)) return false;
    const std::string_view name = full_name.substr(kMetaV1.size());
    return name == "ObjectMeta" || name == "OwnerReference" || name == "ManagedFieldsEntry";
  }

  /// What a reference from `package` means.
  std::optional<TypeModel> Resolve(std::string_view reference, const PackageName& package, SchemaMapper& mapper) {
    const std::string name(reference.substr(reference.rfind('/') + 1));
    if (const auto shape = KnownShape(name)) return TypeModel{.shape = *shape};
    if (IsLibrarys(name)) {
      return TypeModel{.shape = Shape::kStruct,
                       .struct_name = "::kinformer::api::meta::v1::" + name.substr(kMetaV1.size())};
    }
    const auto found = definitions_.find(name);
    if (found == definitions_.end()) return std::nullopt;
    const Definition definition = Parse(name);
    if (IsStruct(found->second)) {
      TypeModel type{.shape = Shape::kStruct, .struct_name = definition.name};
      if (definition.package != package) type.package = definition.package;
      return type;
    }
    // A text, a list, anything: what it says in its own place. One that refers to itself leads nowhere.
    if (depth_ == kMaxReferences) return std::nullopt;
    ++depth_;
    TypeModel type = mapper.Map(found->second, definition.name, name);
    --depth_;
    return type;
  }

  /// The kind that a definition is, if it is one.
  std::optional<KindModel> KindOf(const std::string& full_name, const OpenApiJson& schema) const {
    const OpenApiJson& gvks = At(schema, "x-kubernetes-group-version-kind");
    // Those of meta/v1, such as DeleteOptions, belong to every group.
    if (full_name.starts_with(kMetaV1) || !gvks.is_array() || gvks.size() != 1) return std::nullopt;
    const auto [group, version, kind] = KeyOf(gvks.front());
    if (!IsSafe(group, ".-") || !IsSafe(version, "") || !IsSafe(kind, "-") || version.empty() || kind.empty())
      return std::nullopt;
    KindModel model{.group = group, .version = version, .kind = kind};
    if (const auto resource = resources_.find({group, version, kind}); resource != resources_.end()) {
      model.plural = resource->second.plural;
      model.namespaced = resource->second.namespaced;
    }
    return model;
  }

 private:
  Result<void> Keep(const std::string& name, const OpenApiJson& schema, const std::string& source) {
    const Definition definition = Parse(name);
    if (!IsIdentifier(definition.name) || !IsSafe(definition.package.group, ".-") || definition.package.group.empty()) {
      return Error{
          .code = ErrorCode::kMalformed,
          .message = source + ": the definition \"" + name + "\" is not named as a group, a version and a type"};
    }
    const auto [known, added] = definitions_.emplace(name, schema);
    // The documents of a server repeat definitions; where they differ, the choice must not depend on the order.
    if (!added && known->second != schema && schema.dump() < known->second.dump()) known->second = schema;
    return {};
  }

  void AddResource(const std::string& path, const OpenApiJson& operations) {
    std::vector<std::string> parts = Split(path, '/');
    // "", "api", version or "", "apis", group, version.
    const std::size_t root = parts.size() > 1 && parts[1] == "api" ? 3 : 4;
    if (parts.size() <= root || (parts[1] != "api" && parts[1] != "apis") || !operations.is_object()) return;
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(root));
    const bool namespaced = parts.size() == 3 && parts[0] == "namespaces" && parts[1] == "{namespace}";
    if (!namespaced && parts.size() != 1) return;
    if (parts.back().empty() || !IsSafe(parts.back(), "-")) return;
    for (const auto& [verb, operation] : operations.items()) {
      const OpenApiJson& gvk = At(operation, "x-kubernetes-group-version-kind");
      if (!gvk.is_object()) continue;
      Resource& resource = resources_[KeyOf(gvk)];
      resource.plural = parts.back();
      resource.namespaced = resource.namespaced || namespaced;
    }
  }

  bool library_meta_;
  std::size_t depth_ = 0;
  std::map<std::string, OpenApiJson> definitions_{};
  std::map<KindKey, Resource> resources_{};
};

Package ReadDefinitions(const PackageName& name, const std::vector<std::string>& full_names, Documents& documents,
                        std::vector<Note>& notes) {
  SchemaMapper* self = nullptr;
  SchemaMapper mapper({.descriptions = false, .references = [&](std::string_view reference) {
                         return documents.Resolve(reference, name, *self);
                       }});
  self = &mapper;
  for (const std::string& full_name : full_names) mapper.Reserve(Parse(full_name).name);
  for (const std::string& full_name : full_names) {
    const OpenApiJson& schema = documents.definitions().at(full_name);
    auto kind = documents.KindOf(full_name, schema);
    const std::string struct_name = Parse(full_name).name;
    StructModel& model = mapper.AddStruct(struct_name, struct_name + ":", schema,
                                          kind ? std::set<std::string>{"apiVersion", "kind"} : std::set<std::string>{});
    model.place = kind ? "kind of " + (kind->group.empty() ? "" : kind->group + "/") + kind->version : "";
    if (kind) {
      for (MemberModel& member : model.members) {
        if (member.json_name == "metadata" && member.type.struct_name.ends_with("::ObjectMeta")) member.plain = true;
      }
    }
    model.kind = std::move(kind);
  }
  const std::string package = name.group + (name.version.empty() ? "" : "/" + name.version);
  for (const Note& note : mapper.notes()) notes.push_back({package + " " + note.place, note.reason});
  return {.name = name, .structs = mapper.TakeStructs()};
}

bool Is(const Package& package, const PackageName& name) {
  if (package.name == name) return true;
  return std::any_of(package.structs.begin(), package.structs.end(), [&](const StructModel& model) {
    return model.kind && model.kind->group == name.group && model.kind->version == name.version;
  });
}

/// Removes what the packages of `only` do not refer to.
class Reachable {
 public:
  explicit Reachable(const std::vector<Package>& packages) {
    for (const Package& package : packages) {
      for (const StructModel& model : package.structs) structs_[{package.name, model.name}] = &model;
    }
  }

  void Visit(const PackageName& package, const std::string& name) {
    std::vector<std::pair<PackageName, std::string>> next = {{package, name}};
    while (!next.empty()) {
      const auto current = next.back();
      next.pop_back();
      const auto found = structs_.find(current);
      if (found == structs_.end() || !reached_.insert(current).second) continue;
      for (const MemberModel& member : found->second->members) {
        const TypeModel* type = &member.type;
        while (!type->element.empty()) type = &type->element.front();
        if (type->shape == Shape::kStruct) next.emplace_back(type->package.value_or(current.first), type->struct_name);
      }
    }
  }
  bool Has(const PackageName& package, const std::string& name) const { return reached_.contains({package, name}); }

 private:
  std::map<std::pair<PackageName, std::string>, const StructModel*> structs_{};
  std::set<std::pair<PackageName, std::string>> reached_{};
};

void KeepReachable(std::vector<Package>& packages, const std::vector<PackageName>& only) {
  Reachable reachable(packages);
  for (const Package& package : packages) {
    if (std::none_of(only.begin(), only.end(), [&](const PackageName& name) { return Is(package, name); })) continue;
    for (const StructModel& model : package.structs) reachable.Visit(package.name, model.name);
  }
  for (Package& package : packages) {
    std::erase_if(package.structs, [&](const StructModel& model) { return !reachable.Has(package.name, model.name); });
  }
  std::erase_if(packages, [](const Package& package) { return package.structs.empty(); });
}

}  // namespace

Result<std::vector<Package>> ReadOpenApi(const std::vector<Input>& inputs, const OpenApiReadOptions& options,
                                         std::vector<Note>& notes) {
  Documents documents(options.library_meta);
  for (const Input& input : inputs) {
    if (auto added = documents.Add(input); !added) return std::move(added).error();
  }
  std::map<PackageName, std::vector<std::string>> by_package;
  for (const auto& [full_name, schema] : documents.definitions()) {
    if (!Documents::IsStruct(schema) || documents.IsLibrarys(full_name)) continue;
    by_package[Parse(full_name).package].push_back(full_name);
  }
  if (by_package.empty()) {
    return Error{.code = ErrorCode::kMalformed, .message = "there is no OpenAPI definition to generate from"};
  }
  std::vector<Package> packages;
  for (const auto& [name, full_names] : by_package) {
    packages.push_back(ReadDefinitions(name, full_names, documents, notes));
  }
  for (const PackageName& name : options.only) {
    if (std::none_of(packages.begin(), packages.end(), [&](const Package& package) { return Is(package, name); })) {
      return Error{.code = ErrorCode::kInvalidArgument,
                   .message = "no input has the group and version " + name.group + "/" + name.version};
    }
  }
  if (!options.only.empty()) KeepReachable(packages, options.only);
  return packages;
}

}  // namespace kinformer::gen
