#include "src/apiserver/registry/strategy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/apiserver/registry/field_checks.h"
#include "src/apiserver/registry/kind_rules.h"
#include "src/apiserver/registry/name_rules.h"
#include "src/apiserver/registry/names.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/apiserver/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxAnnotations = 256 * 1024;
constexpr std::int64_t kDefaultPodGrace = 30;

std::string Text(const json& object, const char* member) {
  const auto it = object.find(member);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// Drops a member that is null, as a field that is not there.
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

void CheckStrings(const json& metadata, const char* member, std::vector<ErrorCause>& causes) {
  const auto it = metadata.find(member);
  if (it == metadata.end()) return;
  const std::string field = std::string("metadata.") + member;
  std::size_t size = 0;
  for (const auto& [key, value] : it->items()) {
    if (const std::string wrong = WrongQualifiedName(key); !wrong.empty()) causes.push_back(Invalid(field, key, wrong));
    size += key.size();
    if (!value.is_string()) continue;
    const auto& text = value.get_ref<const std::string&>();
    size += text.size();
    if (std::string_view(member) == "labels") {
      if (const std::string wrong = WrongLabelValue(text); !wrong.empty())
        causes.push_back(Invalid(field, text, wrong));
    }
  }
  if (std::string_view(member) == "annotations" && size > kMaxAnnotations) {
    causes.push_back(
        {.reason = "FieldValueTooLong", .message = "Too long: may not be more than 262144 bytes", .field = field});
  }
}

/// What every kind's metadata must be like, and what its own kind wants.
Result<void> CheckObject(const ServedKind& kind, const json& object, const json* old, Subresource subresource) {
  const json& metadata = object.at("metadata");
  std::vector<ErrorCause> causes;
  const std::string name = Text(metadata, "name");
  if (subresource != Subresource::kStatus) {
    if (const std::string wrong = WrongName(kind.name_rule, name); !wrong.empty()) {
      causes.push_back(Invalid("metadata.name", name, wrong));
    }
    CheckStrings(metadata, "labels", causes);
    CheckStrings(metadata, "annotations", causes);
    for (const std::string& finalizer : Finalizers(object)) {
      if (const std::string wrong = WrongQualifiedName(finalizer); !wrong.empty()) {
        causes.push_back(Invalid("metadata.finalizers", finalizer, wrong));
      }
    }
  }
  for (FieldError& error : CheckContent(kind, object, old, subresource)) causes.push_back(std::move(error));
  if (!causes.empty()) return InvalidError(kind.Gvk(), name, std::move(causes));
  return {};
}

/// Maps of strings and lists of strings are; nulls are not there.
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
  if (object.contains("spec") && !object["spec"].is_object()) return wrong("spec", "an object");
  return {};
}

std::string QosClass(const json& pod) {
  bool any = false;
  bool all_equal = true;
  const json& spec = pod.contains("spec") ? pod.at("spec") : json::object();
  if (!spec.is_object() || !spec.contains("containers") || !spec.at("containers").is_array()) return "BestEffort";
  for (const json& container : spec.at("containers")) {
    const json resources = container.is_object() ? container.value("resources", json::object()) : json::object();
    const json limits = resources.is_object() ? resources.value("limits", json::object()) : json::object();
    const json requests = resources.is_object() ? resources.value("requests", limits) : json::object();
    any = any || !limits.empty() || !requests.empty();
    for (const char* resource : {"cpu", "memory"}) {
      all_equal = all_equal && limits.contains(resource) &&
                  (!requests.contains(resource) || requests.at(resource) == limits.at(resource));
    }
  }
  if (!any) return "BestEffort";
  return all_equal ? "Guaranteed" : "Burstable";
}

/// What a new object's status is: the server's or a controller's business, not the client's. Nodes bring theirs.
void ResetStatus(const ServedKind& kind, json& object) {
  if (!kind.has_status || kind.kind == "Node") return;
  if (kind.schema != nullptr) {
    object.erase("status");
    return;
  }
  json& status = object["status"];
  if (kind.kind == "Pod") {
    status = {{"phase", "Pending"}, {"qosClass", QosClass(object)}};
  } else if (kind.kind == "Namespace") {
    status = {{"phase", "Active"}};
  } else if (kind.kind == "PersistentVolumeClaim") {
    status = {{"phase", "Pending"}};
  } else if (kind.kind == "Service") {
    status = {{"loadBalancer", json::object()}};
  } else if (kind.kind == "PersistentVolume") {
    status = {{"phase", "Pending"}};
  } else if (kind.kind == "ReplicaSet" || kind.kind == "ReplicationController") {
    status = {{"replicas", 0}};
  } else if (kind.kind == "StatefulSet") {
    status = {{"replicas", 0}, {"availableReplicas", 0}};
  } else if (kind.kind == "DaemonSet") {
    status = {
        {"currentNumberScheduled", 0}, {"desiredNumberScheduled", 0}, {"numberMisscheduled", 0}, {"numberReady", 0}};
  } else {
    status = json::object();
  }
}

/// All that counts for metadata.generation. A custom kind's status is like any other field, unless it is set apart.
bool SameDesire(const ServedKind& kind, const json& a, const json& b) {
  const bool status_is_apart = kind.schema == nullptr || kind.has_status;
  const auto without = [status_is_apart](json object) {
    object.erase("metadata");
    if (status_is_apart) object.erase("status");
    return object;
  };
  return without(a) == without(b);
}

/// What is empty is not written, as Go's encoder has it.
void DropEmpty(json& metadata) {
  for (const char* member : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const auto it = metadata.find(member);
    if (it != metadata.end() && (it->is_null() || (it->is_structured() && it->empty()))) metadata.erase(it);
  }
}

bool IsNamespace(const ServedKind& kind) { return kind.kind == "Namespace" && kind.resource.group.empty(); }

/// `spec.finalizers`, which only namespaces have.
json NamespaceFinalizers(const json& object) {
  const json::json_pointer where("/spec/finalizers");
  return object.contains(where) && object.at(where).is_array() ? object.at(where) : json::array();
}

}  // namespace

Result<json> CheckPlace(const ServedKind& kind, json object, const std::string& namespace_name,
                        const std::string& name) {
  if (!object.is_object()) {
    return BadRequestError("the body must be a JSON object, a " + kind.kind);
  }
  DropNull(object, "apiVersion");
  DropNull(object, "kind");
  DropNull(object, "metadata");
  DropNull(object, "status");
  DropNull(object, "spec");
  const std::string api_version = ApiVersionOf(kind);
  for (const char* member : {"apiVersion", "kind"}) {
    if (object.contains(member) && !object[member].is_string()) {
      return BadRequestError(std::string(member) + " must be a string");
    }
  }
  if (!object.contains("apiVersion")) object["apiVersion"] = api_version;
  if (!object.contains("kind")) object["kind"] = kind.kind;
  if (object["kind"] != kind.kind) {
    return BadRequestError(Text(object, "kind") + " in version \"" + kind.resource.version +
                           "\" cannot be handled as a " + kind.kind);
  }
  if (object["apiVersion"] != api_version) {
    return BadRequestError("the API version in the data (" + Text(object, "apiVersion") +
                           ") does not match the expected API version (" + api_version + ")");
  }
  if (!object.contains("metadata")) object["metadata"] = json::object();
  if (!object["metadata"].is_object()) return BadRequestError("metadata must be an object");
  if (Result<void> decoded = DecodeObject(kind, object); !decoded) return std::move(decoded).error();
  if (Result<void> shaped = CheckShape(kind, object); !shaped) return std::move(shaped).error();
  json& metadata = object["metadata"];
  if (kind.scope == Scope::kCluster) {
    if (!Text(metadata, "namespace").empty()) {
      return BadRequestError("namespace must not be set on an object that has none");
    }
    metadata.erase("namespace");
  } else {
    const std::string own = Text(metadata, "namespace");
    if (!own.empty() && own != namespace_name) {
      return BadRequestError("the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata["namespace"] = namespace_name;
  }
  if (!name.empty()) {
    const std::string own = Text(metadata, "name");
    if (own.empty()) {
      return BadRequestError("the name of the object (based on the body) was undeterminable: name must be provided");
    }
    if (own != name) {
      return BadRequestError("the name of the object (" + own + ") does not match the name on the URL (" + name + ")");
    }
  }
  return object;
}

Result<json> ReadBody(const ServedKind& kind, std::string_view body, const std::string& namespace_name,
                      const std::string& name, std::vector<std::string>* duplicates) {
  Result<json> object = ReadJson(body, CannotBeHandled(kind), duplicates);
  if (!object) return object;
  return CheckPlace(kind, *std::move(object), namespace_name, name);
}

Result<void> PrepareForCreate(const ServedKind& kind, json& object, Timestamp now) {
  json& metadata = object["metadata"];
  if (!Text(metadata, "resourceVersion").empty()) {
    return InternalServerError("resourceVersion should not be set on objects to be created");
  }
  if (Text(metadata, "name").empty()) {
    const std::string base = Text(metadata, "generateName");
    if (base.empty()) {
      return InvalidError(kind.Gvk(), "", {Required("metadata.name", "name or generateName is required")});
    }
    metadata["name"] = GeneratedName(base);
  }
  for (const char* member : {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
                             "generation", "uid", "creationTimestamp"}) {
    metadata.erase(member);
  }
  DropEmpty(metadata);
  metadata["uid"] = NewUid();
  metadata["creationTimestamp"] = FormatTimestamp(now);
  if (kind.has_generation) metadata["generation"] = 1;
  if (IsNamespace(kind)) {
    metadata["labels"]["kubernetes.io/metadata.name"] = metadata["name"];
    if (!object["spec"].is_object()) object["spec"] = json::object();
    // Taken away when everything in it has gone.
    object["spec"]["finalizers"] = json::array({"kubernetes"});
  }
  CompleteNew(kind, object);
  ResetStatus(kind, object);
  if (kind.rules != nullptr && kind.rules->complete != nullptr) kind.rules->complete(object, nullptr);
  return CheckObject(kind, object, nullptr, Subresource::kNone);
}

Result<void> PrepareForUpdate(const ServedKind& kind, const json& current, json& wanted, Subresource subresource) {
  const json& before = current.at("metadata");
  const std::string name = Text(before, "name");
  {
    const json& metadata = wanted.at("metadata");
    const std::string uid = Text(metadata, "uid");
    if (!uid.empty() && uid != Text(before, "uid")) {
      return ConflictError(
          kind.resource, name,
          "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + Text(before, "uid"));
    }
    const std::string version = Text(metadata, "resourceVersion");
    if (!version.empty() && version != Text(before, "resourceVersion")) {
      return ConflictError(
          kind.resource, name,
          "the object has been modified; please apply your changes to the latest version and try again");
    }
    if (version.empty() && !kind.unconditional_update) {
      // Named by its resource: a real server knows no better there.
      return InvalidError({kind.resource.group, kind.resource.version, kind.resource.resource}, name,
                          {FieldInvalid("metadata.resourceVersion", 0, "must be specified for an update")});
    }
  }
  if (subresource == Subresource::kStatus) {
    json status = wanted.value("status", kind.schema != nullptr ? json() : json::object());
    wanted = current;
    if (status.is_null()) {
      wanted.erase("status");
    } else {
      wanted["status"] = std::move(status);
    }
    return CheckObject(kind, wanted, &current, subresource);
  }
  if (subresource == Subresource::kFinalize) {
    json finalizers = NamespaceFinalizers(wanted);
    wanted = current;
    wanted["spec"]["finalizers"] = std::move(finalizers);
    return {};
  }
  if (kind.has_status) KeepFrom(current, wanted, "status");
  if (IsNamespace(kind)) {
    if (!wanted["spec"].is_object()) wanted["spec"] = json::object();
    wanted["spec"]["finalizers"] = NamespaceFinalizers(current);
  }
  json& metadata = wanted["metadata"];
  for (const char* member : {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                             "generation", "generateName", "resourceVersion"}) {
    KeepFrom(before, metadata, member);
  }
  metadata.erase("selfLink");
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
  if (kind.rules != nullptr && kind.rules->complete != nullptr) kind.rules->complete(wanted, &current);
  if (Result<void> good = CheckObject(kind, wanted, &current, subresource); !good) return good;
  if (kind.has_generation && !SameDesire(kind, current, wanted)) {
    metadata["generation"] = before.value("generation", std::int64_t{0}) + 1;
  }
  return {};
}

std::optional<std::int64_t> GraceOf(const ServedKind& kind, const json& object, const DeleteParameters& parameters) {
  if (kind.kind != "Pod") return std::nullopt;
  const json spec = object.value("spec", json::object());
  const json status = object.value("status", json::object());
  const std::string phase = status.is_object() ? Text(status, "phase") : "";
  if (!spec.is_object() || Text(spec, "nodeName").empty() || phase == "Succeeded" || phase == "Failed") {
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
    // Only sooner: a deletion is not taken back.
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
