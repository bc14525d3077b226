#include "src/apiserver/apply/field_manager.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/apply/apply_conflicts.h"
#include "src/apiserver/apply/drop_nulls.h"
#include "src/apiserver/apply/typed_value.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;

constexpr std::size_t kMaxUpdateManagers = 10;
constexpr std::size_t kMaxManagerName = 128;
/// Owns the fields that existed before the first apply of an object without managedFields.
constexpr std::string_view kBeforeApply = "before-first-apply";
/// The only manager that may have used client-side apply, by annotation.
constexpr std::string_view kKubectl = "kubectl";
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

FieldPath Path(std::initializer_list<const char*> names) {
  FieldPath path;
  for (const char* name : names) path.push_back(PathElement::Field(name));
  return path;
}

/// Fields that are never owned.
const FieldSet& Stripped() {
  static const FieldSet fields{Path({"apiVersion"}),
                               Path({"kind"}),
                               Path({"metadata"}),
                               Path({"metadata", "name"}),
                               Path({"metadata", "namespace"}),
                               Path({"metadata", "creationTimestamp"}),
                               Path({"metadata", "selfLink"}),
                               Path({"metadata", "uid"}),
                               Path({"metadata", "clusterName"}),
                               Path({"metadata", "generation"}),
                               Path({"metadata", "managedFields"}),
                               Path({"metadata", "resourceVersion"})};
  return fields;
}

/// Fields that are values, not pointers, in the Go structs of built-in kinds. They exist even in an empty object, so
/// creating one does not assign their ownership. (Required fields are treated the same way.)
constexpr std::array<std::string_view, 14> kAlwaysThere = {
    "daemonEndpoints", "involvedObject", "jobTemplate", "kubeletEndpoint", "loadBalancer", "metadata",
    "nodeInfo",        "source",         "spec",        "status",          "strategy",     "template",
    "updateStrategy",  "resources"};
constexpr std::size_t kMaxStructDepth = 16;

FieldSet AlwaysThere(const Schema& schema, std::size_t depth) {
  FieldSet out;
  if (depth > kMaxStructDepth) return out;
  for (const SchemaField& field : schema.fields) {
    if (field.schema == nullptr) continue;
    const bool required =
        std::find(schema.required.begin(), schema.required.end(), field.name) != schema.required.end();
    const bool always = std::find(kAlwaysThere.begin(), kAlwaysThere.end(), field.name) != kAlwaysThere.end();
    const TypeRef type = TypeRef::Of(field.schema);
    if (field.schema->type == SchemaType::kArray && required && !type.AtomicList()) {
      out.Add(PathElement::Field(field.name), true, {});
    } else if (field.schema->type == SchemaType::kObject && !type.AtomicMap() && (required || always)) {
      out.Add(PathElement::Field(field.name), true, AlwaysThere(*field.schema, depth + 1));
    }
  }
  return out;
}

FieldSet AlwaysThere(const FieldManagerOptions& options) {
  if (!options.built_in) return {};
  if (options.schema == nullptr || options.schema->root == nullptr) {
    return {Path({"metadata"}), Path({"spec"}), Path({"status"})};
  }
  return AlwaysThere(*options.schema->root, 0);
}

const json* FindAt(const json& object, std::initializer_list<const char*> path) {
  const json* at = &object;
  for (const char* name : path) {
    if (!at->is_object()) return nullptr;
    const auto it = at->find(name);
    if (it == at->end()) return nullptr;
    at = &*it;
  }
  return at;
}

void SetManagedFields(json& object, const ManagedFields& managed) {
  if (managed.Empty()) {
    if (const json* metadata = FindAt(object, {"metadata"}); metadata != nullptr && metadata->is_object()) {
      object["metadata"].erase("managedFields");
    }
    return;
  }
  json& metadata = object["metadata"];
  if (metadata.is_object() || metadata.is_null()) metadata["managedFields"] = managed.ToJson();
}

ManagedFields ReadOrEmpty(const json* managed_fields) {
  if (managed_fields == nullptr) return {};
  Result<ManagedFields> managed = ManagedFields::FromJson(*managed_fields);
  return managed ? *std::move(managed) : ManagedFields();
}

Error Refused(int status, std::string_view reason, std::string message) {
  return {
      .code = ErrorCode::kServer, .message = std::move(message), .http_status = status, .reason = std::string(reason)};
}

std::string KindText(const std::string& api_version, const std::string& kind) {
  const bool core = api_version.find('/') == std::string::npos;
  return (core ? "/" : "") + api_version + ", Kind=" + kind;
}

/// The configuration as kubectl stores it in its annotation, in Go's JSON.
std::string AsAnnotation(const json& config) {
  json copy = config;
  if (json* metadata = copy.contains("metadata") ? &copy["metadata"] : nullptr;
      metadata != nullptr && metadata->is_object() && metadata->contains("annotations")) {
    json& annotations = (*metadata)["annotations"];
    if (annotations.is_object()) annotations.erase(kLastApplied);
    if (annotations.empty()) metadata->erase("annotations");
  }
  std::string out;
  for (const char c : copy.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out + "\n";
}

}  // namespace

FieldManager::FieldManager(FieldManagerOptions options)
    : options_(std::move(options)),
      type_(options_.schema == nullptr ? TypeRef::Deduced() : TypeRef::Of(options_.schema->root)),
      always_there_(AlwaysThere(options_)) {}

ManagedEntry FieldManager::EntryOf(const FieldWriter& writer, bool applied) const {
  return {.manager = writer.manager.empty() ? "unknown" : writer.manager,
          .applied = applied,
          .api_version = options_.kind.ApiVersion(),
          .subresource = writer.subresource};
}

FieldSet FieldManager::Filtered(FieldSet fields, const std::string& subresource) const {
  if (!options_.has_status) return fields;
  if (subresource == "status") {
    FieldSet reached;
    const FieldSet::Node* metadata = options_.status_reaches_metadata ? fields.FindField("metadata") : nullptr;
    if (metadata != nullptr) {
      FieldSet behind = metadata->behind;
      behind.EraseField(options_.out_of_its_reach);
      reached.Add(metadata->element, metadata->member, std::move(behind));
    }
    const FieldSet::Node* status = fields.FindField("status");
    if (status != nullptr) reached.Add(status->element, status->member, status->behind);
    return reached;
  }
  fields.EraseField("status");
  return fields;
}

FieldSet FieldManager::Touched(FieldSet compared, const std::string& subresource) const {
  compared.Subtract(always_there_);
  return Filtered(std::move(compared), subresource);
}

bool FieldManager::UpdateEntries(const json& live, const json& object, const FieldWriter& writer,
                                 ManagedFields& managed) const {
  Result<FieldComparison> compared = CompareTyped(live, object, type_);
  if (!compared) return false;
  const FieldSet removed = Touched(std::move(compared->removed), writer.subresource);
  FieldSet changed =
      compared->modified.Empty() ? std::move(compared->added) : compared->modified.Union(compared->added);
  FieldSet taken = Touched(std::move(changed), writer.subresource);
  for (ManagedEntry& entry : managed.entries()) {
    entry.fields = ReconciledWith(entry.fields, type_);
    entry.fields.Subtract(taken);
    entry.fields.Subtract(removed);
  }
  managed.DropEmpty();
  taken.Subtract(Stripped());
  if (!taken.Empty()) {
    ManagedEntry& own = managed.Get(EntryOf(writer, false));
    own.fields = own.fields.Empty() ? std::move(taken) : own.fields.Union(taken);
    own.time = FormatTimestamp(writer.now);
  }
  managed.Cap(kMaxUpdateManagers);
  return true;
}

void FieldManager::Update(const json& live, json& object, const FieldWriter& writer) const {
  const json* live_fields = FindAt(live, {"metadata", "managedFields"});
  json brought;
  if (FindAt(object, {"metadata", "managedFields"}) != nullptr) {
    brought = std::move(object["metadata"]["managedFields"]);
    object["metadata"].erase("managedFields");
  }
  ManagedFields managed;
  // managedFields in the body count only for the main resource.
  const bool listen = writer.subresource.empty();
  if (!(listen && ResetsManagedFields(brought))) {
    if (listen) managed = ReadOrEmpty(&brought);
    if (managed.Empty()) managed = ReadOrEmpty(live_fields);
  }
  // An existing object without managedFields is not tracked until the first apply.
  const bool track = live.is_null() || !managed.Empty();
  if (track && !UpdateEntries(live.is_null() ? json::object() : live, object, writer, managed)) {
    if (live_fields != nullptr) object["metadata"]["managedFields"] = *live_fields;
    return;
  }
  SetManagedFields(object, managed);
}

Error FieldManager::TypeError(const json& object, std::string_view what, const Error& why) const {
  const std::string place = TextOf(FieldOf(object, "metadata"), "namespace") + "/" +
                            TextOf(FieldOf(object, "metadata"), "name") + "; " +
                            KindText(options_.kind.ApiVersion(), options_.kind.kind);
  return Refused(500, "", "failed to create typed " + std::string(what) + " object (" + place + "): " + why.message);
}

Result<json> FieldManager::Prune(const json& merged, const ManagedFields& managed, const FieldSet& last) const {
  if (last.Empty()) return merged;
  const FieldSet last_named = last.EnsureNamedFieldsAreMembers(type_);
  const json pruned = RemoveItems(merged, last_named, type_);
  // Restore what other managers or the new configuration own.
  FieldSet owned;
  for (const ManagedEntry& entry : managed.entries()) owned = owned.Union(entry.fields);
  Result<FieldSet> merged_set = FieldsOf(merged, type_);
  if (!merged_set) return std::move(merged_set).error();
  Result<FieldSet> pruned_set = FieldsOf(pruned, type_);
  if (!pruned_set) return std::move(pruned_set).error();
  const FieldSet all = merged_set->EnsureNamedFieldsAreMembers(type_);
  const FieldSet kept = pruned_set->EnsureNamedFieldsAreMembers(type_);
  const json back = RemoveItems(merged, all.Difference(kept.Union(owned.EnsureNamedFieldsAreMembers(type_))), type_);
  // Only remove what the manager owned, not everything inside what was removed.
  Result<FieldSet> back_set = FieldsOf(back, type_);
  if (!back_set) return std::move(back_set).error();
  return RemoveItems(merged, all.Difference(back_set->EnsureNamedFieldsAreMembers(type_)).Intersection(last_named),
                     type_);
}

Result<json> FieldManager::ApplyOnce(const json& live, const json& config, ManagedFields managed,
                                     const FieldWriter& writer, bool force, Conflicts& conflicts) const {
  Result<json> merged = MergeTyped(live, config, type_);
  if (!merged) return Refused(500, "", "failed to merge config: " + merged.error().message);
  Result<FieldSet> set = FieldsOf(config, type_);
  if (!set) return Refused(500, "", "failed to get field set: " + set.error().message);
  const ManagedEntry own = EntryOf(writer, true);
  for (ManagedEntry& entry : managed.entries()) entry.fields = ReconciledWith(entry.fields, type_);
  FieldSet last;
  {
    ManagedEntry& entry = managed.Get(own);
    last = std::move(entry.fields);
    entry.fields = Filtered(*std::move(set), writer.subresource);
    entry.api_version = own.api_version;
  }
  Result<json> pruned = Prune(*merged, managed, last);
  if (!pruned) return Refused(500, "", "failed to prune fields: " + pruned.error().message);
  Result<FieldComparison> compared = CompareTyped(live, *pruned, type_);
  if (!compared) return Refused(500, "", "failed to compare objects: " + compared.error().message);
  const FieldSet removed = Touched(std::move(compared->removed), writer.subresource);
  const FieldSet taken = Touched(compared->modified.Union(compared->added), writer.subresource);
  for (ManagedEntry& entry : managed.entries()) {
    if (entry.SameManager(own)) continue;
    FieldSet lost = entry.fields.Intersection(taken);
    if (lost.Empty()) {
      entry.fields = entry.fields.Difference(removed);
      continue;
    }
    entry.fields = entry.fields.Difference(lost).Difference(removed);
    conflicts.of.emplace_back(entry, std::move(lost));
  }
  if (!force && !conflicts.Empty()) return conflicts.ToError();
  json object = *std::move(pruned);
  ManagedEntry& entry = managed.Get(own);
  entry.fields = entry.fields.Difference(Stripped());
  if (live != object) entry.time = FormatTimestamp(writer.now);
  managed.DropEmpty();
  if (options_.built_in) DropNulls(object);
  if (writer.manager == kKubectl &&
      !TextOf(FieldOf(FieldOf(object, "metadata"), "annotations"), kLastApplied).empty()) {
    object["metadata"]["annotations"][kLastApplied] = AsAnnotation(config);
  }
  SetManagedFields(object, managed);
  return object;
}

FieldSet FieldManager::OwnedByAnnotation(const json& live) const {
  const json last =
      json::parse(TextOf(FieldOf(FieldOf(live, "metadata"), "annotations"), kLastApplied), nullptr, false);
  if (last.is_discarded() || TextOf(last, "apiVersion") != options_.kind.ApiVersion()) return {};
  if (!ValidateTyped(last, type_, Duplicates::kForbidden)) return {};
  const Result<FieldSet> set = FieldsOf(last, type_);
  const Result<FieldComparison> compared = CompareTyped(last, live, type_);
  if (!set || !compared) return {};
  return set->Difference(compared->modified).Difference(compared->added).Difference(compared->removed);
}

Result<json> FieldManager::Apply(const json& live, const json& config, const FieldWriter& writer, bool force) const {
  if (!config.is_object()) return Refused(400, "BadRequest", "the configuration must be an object");
  const std::string api_version = TextOf(config, "apiVersion");
  const std::string kind = TextOf(config, "kind");
  if (api_version != options_.kind.ApiVersion() || kind != options_.kind.kind) {
    return Refused(400, "BadRequest", "invalid object type: " + KindText(api_version, kind));
  }
  if (const json* brought = FindAt(config, {"metadata", "managedFields"}); brought != nullptr && !brought->is_null()) {
    return Refused(400, "BadRequest", "metadata.managedFields must be nil");
  }
  if (Result<void> valid = ValidateTyped(config, type_, Duplicates::kForbidden); !valid) {
    return TypeError(config, "patch", valid.error());
  }
  ManagedFields managed;
  if (const json* fields = FindAt(live, {"metadata", "managedFields"}); fields != nullptr) {
    Result<ManagedFields> read = ManagedFields::FromJson(*fields);
    if (!read) return Refused(500, "", "failed to decode managed fields: " + read.error().message);
    managed = *std::move(read);
  }
  json before = live.is_null() ? json::object() : live;
  if (before.contains("metadata") && before["metadata"].is_object()) before["metadata"].erase("managedFields");
  if (managed.Empty() && !live.is_null()) {
    // All existing fields belong to the early manager.
    FieldWriter early{.manager = std::string(kBeforeApply), .subresource = writer.subresource, .now = writer.now};
    if (!UpdateEntries(json::object(), before, early, managed)) {
      return Refused(500, "", "failed to create manager for existing fields");
    }
  }
  Conflicts conflicts;
  Result<json> applied = ApplyOnce(before, config, managed, writer, force, conflicts);
  if (applied || conflicts.Empty() || writer.manager != kKubectl) return applied;
  // kubectl takes over what it owns by its annotation.
  const Conflicts rest = conflicts.Without(OwnedByAnnotation(before));
  if (!rest.Empty()) return rest.ToError();
  Conflicts forced;
  return ApplyOnce(before, config, std::move(managed), writer, true, forced);
}

std::string ManagerName(std::string_view field_manager, std::string_view user_agent) {
  if (!field_manager.empty()) return std::string(field_manager);
  std::string out;
  const std::string_view head = user_agent.substr(0, user_agent.find('/'));
  for (std::size_t i = 0; i < head.size();) {
    const auto lead = static_cast<unsigned char>(head[i]);
    std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    size = std::min(size, head.size() - i);
    const bool control = lead < 0x20 || lead == 0x7f;
    if (!control) {
      if (out.size() + size > kMaxManagerName) break;
      out += head.substr(i, size);
    }
    i += size;
  }
  return out;
}

}  // namespace kinformer::apiserver
