#include "src/apiserver/registry/strategy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/apiserver/registry/field_checks.h"
#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/metadata_rules.h"
#include "src/apiserver/registry/names.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/codec/json_fields.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using internal::TextOf;
using nlohmann::json;

constexpr std::int64_t kDefaultPodGrace = 30;
constexpr std::size_t kMaxShownBody = 10'000;

/// A null member counts as absent.
void DropNull(json& object, const char* member) {
  const auto it = object.find(member);
  if (it != object.end() && it->is_null()) object.erase(it);
}

std::string ApiVersionOf(const ServedKind& kind) {
  return kind.resource.group.empty() ? kind.resource.version : kind.resource.group + "/" + kind.resource.version;
}

std::vector<std::string> Finalizers(const json& object) {
  std::vector<std::string> names;
  const auto& metadata = object.at("metadata");
  if (const auto it = metadata.find("finalizers"); it != metadata.end() && it->is_array()) {
    for (const json& name : *it) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
  }
  return names;
}

void KeepFrom(const json& from, json& to, const char* member) {
  if (const auto it = from.find(member); it != from.end()) {
    to[member] = *it;
  } else {
    to.erase(member);
  }
}

/// Validates the metadata and the kind-specific content.
Result<void> CheckObject(const ServedKind& kind, const json& object, const json* old, Subresource subresource) {
  const json& metadata = object.at("metadata");
  const std::string name = TextOf(metadata, "name");
  std::vector<ErrorCause> causes = CheckMetadata(kind, metadata);
  for (FieldError& error : CheckContent(kind, object, old, subresource)) causes.push_back(std::move(error));
  if (!causes.empty()) return InvalidError(kind.Gvk(), name, std::move(causes));
  return {};
}

/// Drops null members of the metadata and checks the types of the others.
Result<void> CheckShape(const ServedKind& kind, json& object) {
  const auto wrong = [&](const std::string& field, std::string_view what) {
    return BadRequestError(kind.kind + " in version \"" + kind.resource.version + "\" cannot be handled as a " +
                           kind.kind + ": " + field + " must be " + std::string(what));
  };
  json& metadata = object["metadata"];
  for (const char* member : {"name", "generateName", "namespace", "uid", "resourceVersion", "creationTimestamp",
                             "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "labels", "annotations",
                             "finalizers", "ownerReferences", "managedFields"}) {
    DropNull(metadata, member);
  }
  for (const char* member :
       {"name", "generateName", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"}) {
    if (metadata.contains(member) && !metadata[member].is_string()) {
      return wrong(std::string("metadata.") + member, "a string");
    }
  }
  for (const char* member : {"labels", "annotations"}) {
    if (!metadata.contains(member)) continue;
    const json& map = metadata[member];
    const bool good =
        map.is_object() && std::all_of(map.begin(), map.end(), [](const json& v) { return v.is_string(); });
    if (!good) return wrong(std::string("metadata.") + member, "a map of strings");
  }
  for (const char* member : {"finalizers", "ownerReferences", "managedFields"}) {
    if (metadata.contains(member) && !metadata[member].is_array()) {
      return wrong(std::string("metadata.") + member, "a list");
    }
  }
  // A custom kind's schema defines its spec.
  if (kind.schema == nullptr && object.contains("spec") && !object["spec"].is_object()) {
    return wrong("spec", "an object");
  }
  return {};
}

/// Replaces the client's status of a new object with the initial one.
void ResetStatus(const ServedKind& kind, json& object) {
  if (!kind.has_status || (kind.rules != nullptr && kind.rules->keeps_client_status)) return;
  if (kind.schema != nullptr) {
    object.erase("status");
  } else if (kind.rules != nullptr && kind.rules->initial_status != nullptr) {
    object["status"] = kind.rules->initial_status(object);
  } else {
    object["status"] = json::object();
  }
}

/// The phase must be Terminating if deletionTimestamp is set, and Active otherwise.
Result<void> CheckNamespacePhase(const json& space, const std::string& name) {
  const std::string phase = TextOf(space.value("status", json::object()), "phase");
  const bool ends = space.at("metadata").contains("deletionTimestamp");
  if (phase == (ends ? "Terminating" : "Active")) return {};
  return InvalidError({"", "v1", "Namespace"}, name,
                      {Invalid("status.Phase", phase,
                               ends ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                                    : "may only be 'Active' if `deletionTimestamp` is empty")});
}

/// Compares everything that counts for metadata.generation. A custom kind's status counts unless it is a subresource.
bool SameSpec(const ServedKind& kind, const json& a, const json& b) {
  const bool status_is_apart = kind.schema == nullptr || kind.has_status;
  const auto without = [status_is_apart](json object) {
    object.erase("metadata");
    if (status_is_apart) object.erase("status");
    return object;
  };
  return without(a) == without(b);
}

/// Checks apiVersion and kind.
Result<void> CheckType(const ServedKind& kind, const json& object) {
  const std::string own = TextOf(object, "kind");
  const std::string api_version = TextOf(object, "apiVersion");
  const bool known_version = api_version == ApiVersionOf(kind);
  if (kind.schema == nullptr && (own != kind.kind || !known_version)) {
    const std::string version = api_version.substr(api_version.rfind('/') + 1);
    const std::string refused = own + " in version \"" + version + "\" cannot be handled as a " + kind.kind;
    const auto& all = BuiltInKinds();
    const bool another = std::any_of(all.begin(), all.end(), [&](const ServedKind& one) {
      return one.kind == own && ApiVersionOf(one) == api_version;
    });
    if (another) return BadRequestError(refused);
    return BadRequestError(refused + ": no kind \"" + own + "\" is registered for version \"" + api_version +
                           "\" in scheme \"pkg/runtime/scheme.go:111\"");
  }
  if (!known_version) {
    return BadRequestError("the API version in the data (" + api_version +
                           ") does not match the expected API version (" + ApiVersionOf(kind) + ")");
  }
  if (own != kind.kind) {
    const std::string name = object.contains("metadata") ? TextOf(object.at("metadata"), "name") : std::string();
    return InvalidError({kind.resource.group, kind.resource.version, own}, name,
                        {Invalid("kind", own, "must be " + kind.kind)});
  }
  return {};
}

/// Drops empty members, as Go's encoder does.
void DropEmpty(json& metadata) {
  for (const char* member : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const auto it = metadata.find(member);
    if (it != metadata.end() && (it->is_null() || (it->is_structured() && it->empty()))) metadata.erase(it);
  }
}

/// Only namespaces have the finalize subresource.
bool IsNamespace(const ServedKind& kind) { return kind.has_finalize; }

/// `spec.finalizers`, which only namespaces have.
json NamespaceFinalizers(const json& object) {
  const json::json_pointer where("/spec/finalizers");
  return object.contains(where) && object.at(where).is_array() ? object.at(where) : json::array();
}

/// Restores what a write through this subresource may not change.
void RestoreReadOnlyParts(const ServedKind& kind, const json& current, json& wanted, Subresource subresource) {
  if (subresource == Subresource::kNone) {
    if (kind.has_status) KeepFrom(current, wanted, "status");
    if (!IsNamespace(kind)) return;
    if (!wanted["spec"].is_object()) wanted["spec"] = json::object();
    wanted["spec"]["finalizers"] = NamespaceFinalizers(current);
    return;
  }
  const json sent = std::exchange(wanted, current);
  StatusReach reach{.metadata = true};
  if (subresource == Subresource::kFinalize) {
    wanted["spec"]["finalizers"] = NamespaceFinalizers(sent);
  } else {
    reach = kind.ReachOfStatus();
    // A custom object's status can be removed; a built-in kind's cannot.
    const json status = sent.value("status", kind.schema != nullptr ? json() : json::object());
    if (status.is_null()) {
      wanted.erase("status");
    } else {
      wanted["status"] = status;
    }
  }
  if (!reach.metadata) return;
  wanted["metadata"] = sent.at("metadata");
  if (!reach.but.empty()) KeepFrom(current.at("metadata"), wanted["metadata"], reach.but.c_str());
}

/// The label by which selectors match the namespace's name.
void NameByLabel(json& space) {
  json& metadata = space["metadata"];
  metadata["labels"]["kubernetes.io/metadata.name"] = metadata["name"];
}

/// Updates cannot start a deletion.
std::vector<ErrorCause> CheckDeletionTimes(const json& before, const json& metadata) {
  std::vector<ErrorCause> causes;
  for (const char* member : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (before.contains(member) || !metadata.contains(member)) continue;
    causes.push_back(FieldInvalid(std::string("metadata.") + member, metadata.at(member), "field is immutable"));
  }
  return causes;
}

}  // namespace

Result<json> CheckPlace(const ServedKind& kind, json object, const std::string& namespace_name,
                        const std::string& name) {
  if (!object.is_object()) return BadRequestError("the body must be a JSON object, a " + kind.kind);
  for (const char* member : {"apiVersion", "kind", "metadata", "status", "spec"}) DropNull(object, member);
  const std::string api_version = ApiVersionOf(kind);
  if (!object.contains("apiVersion")) object["apiVersion"] = api_version;
  if (!object.contains("kind")) object["kind"] = kind.kind;
  if (Result<void> typed = CheckType(kind, object); !typed) return std::move(typed).error();
  if (!object.contains("metadata")) object["metadata"] = json::object();
  if (Result<void> decoded = DecodeObject(kind, object); !decoded) return std::move(decoded).error();
  if (!object["metadata"].is_object()) return BadRequestError("metadata must be an object");
  if (Result<void> shaped = CheckShape(kind, object); !shaped) return std::move(shaped).error();
  json& metadata = object["metadata"];
  if (kind.scope == Scope::kCluster) {
    metadata.erase("namespace");
  } else {
    const std::string own = TextOf(metadata, "namespace");
    if (!own.empty() && own != namespace_name) {
      return BadRequestError("the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata["namespace"] = namespace_name;
  }
  if (!name.empty()) {
    const std::string own = TextOf(metadata, "name");
    if (own.empty()) {
      return BadRequestError("the name of the object (" + name +
                             " based on URL) was undeterminable: name must be provided");
    }
    if (own != name) {
      return BadRequestError("the name of the object (" + own + ") does not match the name on the URL (" + name + ")");
    }
  }
  return object;
}

Result<json> ReadBody(const ServedKind& kind, std::string_view body, const std::string& namespace_name,
                      const std::string& name, std::vector<std::string>* duplicates) {
  Result<json> object = ReadObject(body, kind.kind, duplicates);
  if (!object) return object;
  if (kind.schema != nullptr) {
    for (const auto& [member, shown] : {std::pair{"kind", "Kind"}, std::pair{"apiVersion", "apiVersion"}}) {
      if (!TextOf(*object, member).empty()) continue;
      return Unrecognized(
          body, kind.kind,
          std::string("Object '") + shown + "' is missing in '" + std::string(body.substr(0, kMaxShownBody)) + "'");
    }
  }
  return CheckPlace(kind, *std::move(object), namespace_name, name);
}

Result<void> PrepareForCreate(const ServedKind& kind, json& object, Timestamp now, json* sent) {
  json& metadata = object["metadata"];
  if (!TextOf(metadata, "resourceVersion").empty()) {
    return InternalServerError("resourceVersion should not be set on objects to be created");
  }
  const bool generated = TextOf(metadata, "name").empty();
  if (generated) {
    const std::string base = TextOf(metadata, "generateName");
    if (base.empty()) {
      return InvalidError(kind.Gvk(), "", {Required("metadata.name", "name or generateName is required")});
    }
    metadata["name"] = GeneratedName(base);
  }
  for (const char* member :
       {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid", "creationTimestamp"}) {
    metadata.erase(member);
  }
  DropEmpty(metadata);
  metadata["uid"] = NewUid();
  metadata["creationTimestamp"] = FormatTimestamp(now);
  if (kind.has_generation) metadata["generation"] = 1;
  if (IsNamespace(kind) && !generated) NameByLabel(object);
  ResetStatus(kind, object);
  if (kind.rules != nullptr && kind.rules->complete != nullptr) kind.rules->complete(object, nullptr);
  if (sent != nullptr) *sent = object;
  if (IsNamespace(kind)) {
    NameByLabel(object);
    // Removed once the namespace is empty.
    json finalizers = NamespaceFinalizers(object);
    if (std::find(finalizers.begin(), finalizers.end(), "kubernetes") == finalizers.end()) {
      finalizers.push_back("kubernetes");
    }
    if (!object["spec"].is_object()) object["spec"] = json::object();
    object["spec"]["finalizers"] = std::move(finalizers);
  }
  if (kind.rules != nullptr && kind.rules->complete_new != nullptr) kind.rules->complete_new(object);
  return CheckObject(kind, object, nullptr, Subresource::kNone);
}

Result<void> PrepareForUpdate(const ServedKind& kind, const json& current, json& wanted, Subresource subresource) {
  const json& before = current.at("metadata");
  const std::string name = TextOf(before, "name");
  {
    const json& metadata = wanted.at("metadata");
    std::string version = TextOf(metadata, "resourceVersion");
    if (version.find_first_not_of("0123456789") != std::string::npos) {
      return InternalServerError("strconv.ParseUint: parsing " + ShownValue(version) + ": invalid syntax");
    }
    if (version.find_first_not_of('0') == std::string::npos) version.clear();
    if (!version.empty() && version != TextOf(before, "resourceVersion")) {
      return ConflictError(
          kind.resource, name,
          "the object has been modified; please apply your changes to the latest version and try again");
    }
    if (version.empty() && !kind.unconditional_update) {
      // A real server names the resource here instead of the kind.
      return InvalidError({kind.resource.group, kind.resource.version, kind.resource.resource}, name,
                          {FieldInvalid("metadata.resourceVersion", 0, "must be specified for an update")});
    }
    const std::string uid = TextOf(metadata, "uid");
    if (!uid.empty() && uid != TextOf(before, "uid")) {
      return InvalidError(kind.Gvk(), name, {FieldInvalid("metadata.uid", uid, "field is immutable")});
    }
    std::vector<ErrorCause> times = CheckDeletionTimes(before, metadata);
    if (!times.empty()) return InvalidError(kind.Gvk(), name, std::move(times));
  }
  RestoreReadOnlyParts(kind, current, wanted, subresource);
  json& metadata = wanted["metadata"];
  for (const char* member : {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                             "generation", "generateName", "resourceVersion"}) {
    KeepFrom(before, metadata, member);
  }
  metadata.erase("selfLink");
  if (IsNamespace(kind)) NameByLabel(wanted);
  DropEmpty(metadata);
  if (!metadata.contains("managedFields")) KeepFrom(before, metadata, "managedFields");
  if (before.contains("deletionTimestamp")) {
    const std::vector<std::string> old = Finalizers(current);
    std::string added;
    for (const std::string& finalizer : Finalizers(wanted)) {
      if (std::find(old.begin(), old.end(), finalizer) != old.end()) continue;
      added += (added.empty() ? "\"" : ", \"") + finalizer + "\"";
    }
    if (!added.empty()) {
      return InvalidError(kind.Gvk(), name,
                          {Forbidden("metadata.finalizers",
                                     "no new finalizers can be added if the object is being deleted, found new "
                                     "finalizers []string{" +
                                         added + "}")});
    }
  }
  if (subresource == Subresource::kNone && kind.rules != nullptr && kind.rules->complete != nullptr) {
    kind.rules->complete(wanted, &current);
  }
  if (subresource == Subresource::kStatus && IsNamespace(kind)) {
    if (Result<void> good = CheckNamespacePhase(wanted, name); !good) return good;
  }
  if (Result<void> good = CheckObject(kind, wanted, &current, subresource); !good) return good;
  if (kind.has_generation && !SameSpec(kind, current, wanted)) {
    metadata["generation"] = before.value("generation", std::int64_t{0}) + 1;
  }
  return {};
}

std::optional<std::int64_t> GraceOf(const ServedKind& kind, const json& object, const DeleteParameters& parameters) {
  if (!kind.graceful) return std::nullopt;
  const json spec = object.value("spec", json::object());
  const json status = object.value("status", json::object());
  const std::string phase = status.is_object() ? TextOf(status, "phase") : "";
  if (!spec.is_object() || TextOf(spec, "nodeName").empty() || phase == "Succeeded" || phase == "Failed") {
    return std::nullopt;
  }
  std::int64_t grace = kDefaultPodGrace;
  if (const auto it = spec.find("terminationGracePeriodSeconds"); it != spec.end() && it->is_number_integer()) {
    grace = it->get<std::int64_t>();
  }
  grace = parameters.grace_period_seconds.value_or(grace);
  if (grace <= 0) return std::nullopt;
  return grace;
}

bool MarkDeleted(const ServedKind& kind, json& object, std::int64_t grace_seconds, Timestamp now) {
  json& metadata = object["metadata"];
  if (metadata.contains("deletionTimestamp")) {
    // A deletion can be brought forward, but neither delayed nor undone.
    if (metadata.value("deletionGracePeriodSeconds", std::int64_t{0}) <= grace_seconds) return false;
  } else {
    if (kind.has_generation) metadata["generation"] = metadata.value("generation", std::int64_t{0}) + 1;
    if (kind.rules != nullptr && kind.rules->mark_deleted != nullptr) kind.rules->mark_deleted(object, now);
  }
  metadata["deletionTimestamp"] = FormatTimestamp(now + std::chrono::seconds(grace_seconds));
  if (IsNamespace(kind)) {
    object["status"]["phase"] = "Terminating";
  } else {
    metadata["deletionGracePeriodSeconds"] = grace_seconds;
  }
  return true;
}

bool SetPropagation(json& object, std::string_view policy) {
  if (policy.empty()) return false;
  const std::vector<std::string> before = Finalizers(object);
  std::vector<std::string> after;
  for (const std::string& finalizer : before) {
    if (finalizer != kForegroundFinalizer && finalizer != kOrphanFinalizer) after.push_back(finalizer);
  }
  if (policy == "Foreground") after.emplace_back(kForegroundFinalizer);
  if (policy == "Orphan") after.emplace_back(kOrphanFinalizer);
  if (after == before) return false;
  if (after.empty()) {
    object["metadata"].erase("finalizers");
  } else {
    object["metadata"]["finalizers"] = std::move(after);
  }
  return true;
}

bool MayGo(const ServedKind& kind, const json& object) {
  const json& metadata = object.at("metadata");
  if (IsNamespace(kind) && !NamespaceFinalizers(object).empty()) return false;
  return metadata.contains("deletionTimestamp") && Finalizers(object).empty() &&
         metadata.value("deletionGracePeriodSeconds", std::int64_t{0}) == 0;
}

}  // namespace kinformer::apiserver
