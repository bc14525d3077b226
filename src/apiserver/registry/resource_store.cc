#include "src/apiserver/registry/resource_store.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/apply/json_patch.h"
#include "src/apiserver/apply/strategic_merge.h"
#include "src/apiserver/registry/field_checks.h"
#include "src/apiserver/registry/metadata_rules.h"
#include "src/apiserver/registry/pod_binding.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/apiserver/registry/strategy.h"
#include "src/listwatch/storage/dry_runnable_storage.h"
#include "src/listwatch/storage/predicate.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

constexpr int kNameTries = 8;
constexpr std::size_t kMaxPatchOperations = 10'000;
constexpr int kApplyTries = 5;
/// As in Kubernetes.
constexpr std::int64_t kDeleteCollectionPage = 10'000;

/// The name used in managedFields entries.
std::string NameOf(Subresource subresource) {
  switch (subresource) {
    case Subresource::kStatus:
      return "status";
    case Subresource::kScale:
      return "scale";
    case Subresource::kFinalize:
      return "finalize";
    case Subresource::kNone:
      break;
  }
  return {};
}

Result<ObjectPtr> ObjectOf(const json& object) { return Object::FromJson(object, {.keep_managed_fields = true}); }

/// Converts ".spec.replicas" to a JSON pointer. The names need no escaping.
std::string PointerOf(std::string path) {
  if (!path.empty() && path.front() != '.') path.insert(0, 1, '.');
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

/// Sets the value at the path, creating missing parents. False if a parent is not an object.
bool SetAt(json& object, std::string_view path, json value) {
  json* at = &object;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    const std::size_t end = std::min(path.find('.'), path.size());
    if (at->is_null()) *at = json::object();
    if (!at->is_object()) return false;
    at = &(*at)[std::string(path.substr(0, end))];
    path.remove_prefix(end);
  }
  *at = std::move(value);
  return true;
}

void Warn(const WriteParameters& parameters, std::vector<std::string> texts) {
  if (parameters.warnings == nullptr) return;
  for (std::string& text : texts) parameters.warnings->push_back(std::move(text));
}

Error BadPatch(std::string_view why) { return BadRequestError("error decoding patch: " + std::string(why)); }

Result<json> ParsePatch(std::string_view patch, PatchKind kind, std::vector<std::string>& duplicates) {
  Result<json> parsed = ReadJson(patch, kind == PatchKind::kStrategic ? "" : "error decoding patch", &duplicates);
  if (!parsed) return parsed;
  const bool list = kind == PatchKind::kJson;
  if (list ? !parsed->is_array() : !parsed->is_object()) {
    if (parsed->is_null() && !list) return BadRequestError("Invalid JSON Patch");
    return BadPatch(std::string("json: cannot unmarshal ") + (parsed->is_boolean() ? "bool" : parsed->type_name()) +
                    " into Go value of type " + (list ? "[]handlers.jsonPatchOp" : "map[string]interface {}"));
  }
  if (list && parsed->size() > kMaxPatchOperations) {
    return RequestEntityTooLargeError("Request entity too large: The allowed maximum operations in a JSON patch is " +
                                      std::to_string(kMaxPatchOperations) + ", got " + std::to_string(parsed->size()));
  }
  return parsed;
}

Result<json> Patched(const ServedKind& kind, json object, PatchKind patch_kind, const json& patch) {
  if (patch_kind == PatchKind::kMerge) {
    object.merge_patch(patch);
    return object;
  }
  if (patch_kind == PatchKind::kStrategic) {
    const KindSchemaPtr schema = kind.FindSchema();
    if (schema == nullptr) return BadPatch("no schema for " + kind.kind + ": strategic merge patch is not supported");
    return StrategicMerge(std::move(object), patch, *schema->root);
  }
  Result<json> patched = ApplyJsonPatch(std::move(object), patch);
  if (patched || patched.error().http_status != 422) return patched;
  // A real server does not say which operation failed, or why.
  Error error = std::move(patched).error();
  error.message = "the server rejected our request due to an error in our request";
  return error;
}

bool ShowsDeleted(const ServedKind& kind) { return kind.rules != nullptr && kind.rules->shows_deleted; }

Result<void> CheckPreconditions(const ServedKind& kind, const Object& object, const Preconditions& preconditions) {
  // A real server names the kind here, although it names the resource elsewhere.
  const GroupVersionResource named{kind.resource.group, kind.resource.version, kind.kind};
  if (!preconditions.uid.empty() && preconditions.uid != object.Uid()) {
    return ConflictError(named, object.Name(),
                         "the UID in the precondition (" + preconditions.uid + ") does not match the UID in record (" +
                             std::string(object.Uid()) + "). The object might have been deleted and then recreated");
  }
  if (!preconditions.resource_version.empty() && preconditions.resource_version != object.ResourceVersion()) {
    return ConflictError(named, object.Name(),
                         "the ResourceVersion in the precondition (" + preconditions.resource_version +
                             ") does not match the ResourceVersion in record (" +
                             std::string(object.ResourceVersion()) + "). The object might have been modified");
  }
  return {};
}

/// If `error` says that the patched object is no longer of its kind, returns a 422 that blames the patch; otherwise
/// `error`.
Error ToPatchError(const ServedKind& kind, const json& object, Error error) {
  const std::string refused = " cannot be handled as a " + kind.kind;
  const std::size_t found = error.message.find(refused);
  if (error.http_status != 400 || found == std::string::npos) return error;
  std::string why = error.message.substr(found + refused.size());
  why = why.starts_with(": ") ? why.substr(2) : error.message;
  return InvalidError({}, "",
                      {FieldInvalid("patch", object.dump(-1, ' ', false, json::error_handler_t::replace), why)});
}

/// A Scale's `spec.replicas`; 0 if absent.
Result<std::int64_t> WantedReplicas(const ServedKind& kind, const json& scale, const std::string& name) {
  const json::json_pointer where("/spec/replicas");
  if (!scale.contains(where) || scale.at(where).is_null()) return std::int64_t{0};
  const json& replicas = scale.at(where);
  if (!replicas.is_number_integer()) {
    return BadRequestError(R"(Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal )" +
                           std::string(replicas.is_boolean() ? "bool" : replicas.type_name()) +
                           " into Go struct field ScaleSpec.spec.replicas of type int32");
  }
  const auto wanted = replicas.get<std::int64_t>();
  if (wanted >= 0) return wanted;
  if (kind.schema != nullptr) {
    return InvalidError(kind.Gvk(), name,
                        {FieldInvalid(kind.scale.spec_replicas, wanted, "should be a non-negative integer")});
  }
  return InvalidError({"autoscaling", "v1", "Scale"}, name,
                      {FieldInvalid("spec.replicas", wanted, "must be greater than or equal to 0")});
}

}  // namespace

ResourceStore::ResourceStore(ServedKind kind, std::shared_ptr<ObjectStorage> storage, RegistryContext context)
    : kind_(std::move(kind)),
      storage_(std::move(storage)),
      context_(std::move(context)),
      fields_(std::make_unique<const FieldOwnership>(kind_)) {}

Result<ObjectPtr> ResourceStore::Get(const std::string& namespace_name, const std::string& name,
                                     const std::string& resource_version, const std::stop_token& stop) const {
  return storage_->Get(namespace_name, name, resource_version, stop);
}

Result<void> ResourceStore::AwaitVersion(const std::string& resource_version, Suspension& suspension,
                                         const std::stop_token& stop) const {
  return storage_->AwaitVersion(resource_version, suspension, stop);
}

Result<ObjectList> ResourceStore::List(const ListQuery& query, const std::stop_token& stop) const {
  return storage_->List(query, stop);
}

Result<std::unique_ptr<WatchEventStream>> ResourceStore::Watch(const WatchQuery& query,
                                                               const std::stop_token& stop) const {
  return storage_->Watch(query, stop);
}

Result<void> ResourceStore::CheckNamespace(const std::string& namespace_name, const std::string& name,
                                           const std::stop_token& stop) const {
  if (kind_.scope == Scope::kCluster || !context_.find_namespace) return {};
  const Result<ObjectPtr> found = context_.find_namespace(namespace_name, stop);
  if (!found) return found.error();
  if (*found == nullptr) return NotFoundError({"", "v1", "namespaces"}, namespace_name);
  if ((*found)->DeletionTimestamp()) {
    const std::string why = "namespace " + namespace_name + " is being terminated";
    return ForbiddenError(
        kind_.resource, name,
        "unable to create new content in namespace " + namespace_name + " because it is being terminated",
        {{.reason = "NamespaceTerminating", .message = why, .field = "metadata.namespace"}});
  }
  return {};
}

Result<ObjectPtr> ResourceStore::Create(const std::string& namespace_name, std::string_view body,
                                        const WriteParameters& parameters, const std::stop_token& stop) const {
  SentFields sent;
  Result<json> read = ReadBody(kind_, body, namespace_name, "", &sent.duplicates);
  if (!read) return std::move(read).error();
  if (Result<void> taken = TakeFields(kind_, *read, sent, parameters); !taken) return std::move(taken).error();
  return CreateObject(namespace_name, *read, {}, parameters, stop);
}

Result<ObjectPtr> ResourceStore::CreateObject(const std::string& namespace_name, const json& wanted,
                                              const Ownership& ownership, const WriteParameters& parameters,
                                              const std::stop_token& stop) const {
  std::string wanted_name = wanted.at("metadata").value("name", std::string());
  const bool generated = wanted_name.empty();
  if (generated) wanted_name = wanted.at("metadata").value("generateName", std::string());
  if (kind_.terminating) {
    return ForbiddenError(kind_.resource, wanted_name,
                          "create not allowed while custom resource definition is terminating");
  }
  if (Result<void> there = CheckNamespace(namespace_name, wanted_name, stop); !there) return std::move(there).error();
  Warn(parameters, FinalizerWarnings(kind_, wanted.at("metadata"), {}));
  for (int tries = 1;; ++tries) {
    json object = wanted;
    const Timestamp now = context_.clock->WallNow();
    json sent;
    Result<void> prepared = PrepareForCreate(kind_, object, now, ownership.applied ? nullptr : &sent);
    if (!prepared) return std::move(prepared).error();
    if (!ownership.applied) {
      fields_->Keep({}, sent, ownership, parameters.field_manager, now);
      object["metadata"].erase("managedFields");
      if (auto& metadata = sent["metadata"]; metadata.contains("managedFields")) {
        object["metadata"]["managedFields"] = std::move(metadata["managedFields"]);
      }
    }
    Result<ObjectPtr> made = ObjectOf(object);
    if (!made) return BadRequestError(made.error().message);
    if (parameters.admit) {
      if (Result<void> admitted = parameters.admit(nullptr, **made); !admitted) return std::move(admitted).error();
    }
    Result<ObjectPtr> created = DryRunnableStorage(*storage_, parameters.dry_run).Create(*made, kind_.ttl, stop);
    if (created || !IsAlreadyExists(created.error())) return created;
    if (generated && tries < kNameTries) continue;
    const Result<ObjectPtr> there = storage_->Get(namespace_name, std::string((*made)->Name()), "", stop);
    if (!there || !(*there)->DeletionTimestamp()) return created;
    Error error = created.error();
    error.message = "object is being deleted: " + error.message;
    return error;
  }
}

Result<ObjectPtr> ResourceStore::Change(const std::string& namespace_name, const std::string& name,
                                        Subresource subresource, const Wanted& wanted, const SentFields& sent,
                                        const Ownership& ownership, const WriteParameters& parameters,
                                        const std::stop_token& stop) const {
  ObjectPtr goes;  // set if removed with its last finalizer
  const auto change = [&](const ObjectPtr& current) -> Result<ObjectPtr> {
    goes.reset();
    const json before = current->ToJson();
    Result<json> after = wanted(before);
    if (!after) return std::move(after).error();
    if (Result<void> taken = TakeFields(kind_, *after, sent, parameters); !taken) return std::move(taken).error();
    json applied;
    if (ownership.applied) applied = (*after)["metadata"].value("managedFields", json());
    if (Result<void> prepared = PrepareForUpdate(kind_, before, *after, subresource); !prepared) {
      return std::move(prepared).error();
    }
    if (subresource == Subresource::kNone) {
      Warn(parameters, FinalizerWarnings(kind_, after->at("metadata"), before.at("metadata")));
    }
    if (ownership.applied) {
      (*after)["metadata"].erase("managedFields");
      if (!applied.is_null()) (*after)["metadata"]["managedFields"] = std::move(applied);
    }
    fields_->Keep(before, *after, ownership, parameters.field_manager, context_.clock->WallNow());
    Result<ObjectPtr> object = ObjectOf(*after);
    if (!object) return BadRequestError(object.error().message);
    if (parameters.admit) {
      if (Result<void> admitted = parameters.admit(current.get(), **object); !admitted) {
        return std::move(admitted).error();
      }
    }
    if (parameters.dry_run || !MayGo(kind_, *after)) return object;
    goes = *object;
    return ObjectPtr();
  };
  Result<ObjectPtr> changed =
      DryRunnableStorage(*storage_, parameters.dry_run).GuaranteedUpdate(namespace_name, name, {}, change, stop);
  if (!changed) return changed;
  return goes ? goes : *changed;
}

Result<UpdateOutcome> ResourceStore::Update(const std::string& namespace_name, const std::string& name,
                                            Subresource subresource, std::string_view body,
                                            const WriteParameters& parameters, const std::stop_token& stop) const {
  if (subresource == Subresource::kScale) {
    const ServedKind scales{.resource = {"autoscaling", "v1", "scales"}, .kind = "Scale"};
    const Result<json> read = ReadBody(scales, body, namespace_name, name);
    if (!read) return read.error();
    const json& scale = *read;
    const Result<std::int64_t> replicas = WantedReplicas(kind_, scale, name);
    if (!replicas) return replicas.error();
    const json::json_pointer version("/metadata/resourceVersion");
    const Result<ObjectPtr> changed = Change(
        namespace_name, name, Subresource::kNone,
        [&](const json& current) -> Result<json> {
          json object = current;
          if (!SetAt(object, kind_.scale.spec_replicas, *replicas)) {
            return BadRequestError("cannot set " + kind_.scale.spec_replicas + ": a parent is not an object");
          }
          if (scale.contains(version)) object[version] = scale.at(version);
          return object;
        },
        {}, {.subresource = "scale"}, parameters, stop);
    if (!changed) return changed.error();
    Result<ObjectPtr> answer = ScaleOf(**changed);
    if (!answer) return std::move(answer).error();
    return UpdateOutcome{.object = *std::move(answer)};
  }

  SentFields sent;
  const Result<json> read = ReadBody(kind_, body, namespace_name, name, &sent.duplicates);
  if (!read) return read.error();
  const std::string wanted_uid = read->at("metadata").value("uid", std::string());
  const auto replace = [&](const json& current) -> Result<json> {
    const std::string uid = current.at("metadata").value("uid", std::string());
    if (wanted_uid.empty() || wanted_uid == uid) return *read;
    return ConflictError(kind_.resource, name,
                         "StorageError: invalid object, Code: 4, Key: " + kind_.Prefix() +
                             (namespace_name.empty() ? "" : namespace_name + "/") + name +
                             ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
                             wanted_uid + ", UID in object meta: " + uid);
  };
  Result<ObjectPtr> changed =
      Change(namespace_name, name, subresource, replace, sent, {.subresource = NameOf(subresource)}, parameters, stop);
  if (changed) return UpdateOutcome{.object = *std::move(changed)};
  const bool may_create = kind_.create_on_update && subresource == Subresource::kNone &&
                          read->at("metadata").value("resourceVersion", std::string()).empty();
  if (!may_create || !IsNotFound(changed.error())) return std::move(changed).error();
  Result<ObjectPtr> created = Create(namespace_name, body, parameters, stop);
  if (!created) return std::move(created).error();
  return UpdateOutcome{.object = *std::move(created), .created = true};
}

Result<UpdateOutcome> ResourceStore::Patch(const std::string& namespace_name, const std::string& name,
                                           Subresource subresource, PatchKind kind, std::string_view patch,
                                           const WriteParameters& parameters, const std::stop_token& stop) const {
  SentFields sent{.patch = true};
  const Result<json> parsed = ParsePatch(patch, kind, sent.duplicates);
  if (!parsed) return parsed.error();
  if (subresource == Subresource::kScale) return PatchScale(namespace_name, name, kind, *parsed, parameters, stop);
  if (kind == PatchKind::kApply) return Apply(namespace_name, name, subresource, *parsed, sent, parameters, stop);
  Result<ObjectPtr> changed = Change(
      namespace_name, name, subresource,
      [&](const json& current) -> Result<json> {
        Result<json> wanted = Patched(kind_, current, kind, *parsed);
        if (!wanted) return wanted;
        json shown = *wanted;
        Result<json> placed = CheckPlace(kind_, *std::move(wanted), namespace_name, name);
        if (placed) return placed;
        return ToPatchError(kind_, shown, std::move(placed).error());
      },
      sent, {.subresource = NameOf(subresource)}, parameters, stop);
  if (!changed) return std::move(changed).error();
  return UpdateOutcome{.object = *std::move(changed)};
}

Result<UpdateOutcome> ResourceStore::PatchScale(const std::string& namespace_name, const std::string& name,
                                                PatchKind kind, const json& patch, const WriteParameters& parameters,
                                                const std::stop_token& stop) const {
  const Result<ObjectPtr> current = storage_->Get(namespace_name, name, "", stop);
  if (!current) return current.error();
  const Result<ObjectPtr> scale = ScaleOf(**current);
  if (!scale) return scale.error();
  if (kind == PatchKind::kApply) {
    // Applying a scale means applying the object's replicas field.
    if (patch.value("apiVersion", json()) != "autoscaling/v1" || patch.value("kind", json()) != "Scale") {
      return BadRequestError("invalid object type: expected autoscaling/v1, Kind=Scale");
    }
    json config = {{"apiVersion", kind_.Gvk().ApiVersion()}, {"kind", kind_.kind}, {"metadata", {{"name", name}}}};
    const json::json_pointer replicas("/spec/replicas");
    if (patch.contains(replicas)) SetAt(config, kind_.scale.spec_replicas, patch.at(replicas));
    const json::json_pointer version("/metadata/resourceVersion");
    if (patch.contains(version)) config[version] = patch.at(version);
    Result<UpdateOutcome> applied = Apply(namespace_name, name, Subresource::kScale, config, {}, parameters, stop);
    if (!applied) return applied;
    Result<ObjectPtr> answer = ScaleOf(*applied->object);
    if (!answer) return std::move(answer).error();
    return UpdateOutcome{.object = *std::move(answer)};
  }
  const ServedKind scale_kind{.resource = {"autoscaling", "v1", "scales"}, .kind = "Scale"};
  const Result<json> wanted = Patched(scale_kind, (*scale)->ToJson(), kind, patch);
  if (!wanted) return wanted.error();
  return Update(namespace_name, name, Subresource::kScale, wanted->dump(), parameters, stop);
}

Result<UpdateOutcome> ResourceStore::Apply(const std::string& namespace_name, const std::string& name,
                                           Subresource subresource, const json& config, const SentFields& sent,
                                           const WriteParameters& parameters, const std::stop_token& stop) const {
  const Ownership ownership{.subresource = NameOf(subresource), .applied = true};
  const auto apply = [&](const json& live) -> Result<json> {
    Result<json> applied = fields_->manager().Apply(
        live, config,
        {.manager = parameters.field_manager, .subresource = ownership.subresource, .now = context_.clock->WallNow()},
        parameters.force);
    if (!applied) return std::move(applied).error();
    return CheckPlace(kind_, *std::move(applied), namespace_name, name);
  };
  // Scaling writes the object itself.
  const Subresource through = subresource == Subresource::kScale ? Subresource::kNone : subresource;
  for (int tries = 1;; ++tries) {
    Result<ObjectPtr> changed = Change(namespace_name, name, through, apply, sent, ownership, parameters, stop);
    if (changed) return UpdateOutcome{.object = *std::move(changed)};
    if (subresource != Subresource::kNone || !IsNotFound(changed.error())) return std::move(changed).error();
    Result<json> made = apply({});
    if (!made) return std::move(made).error();
    if (Result<void> taken = TakeFields(kind_, *made, sent, parameters); !taken) return std::move(taken).error();
    const json& metadata = made->at("metadata");
    if (const std::string uid = metadata.value("uid", std::string()); !uid.empty()) {
      return ConflictError(
          kind_.resource, name,
          "uid mismatch: the provided object specified uid " + uid + ", and no existing object was found");
    }
    // A missing object has no version to compare with.
    (*made)["metadata"].erase("resourceVersion");
    Result<ObjectPtr> created = CreateObject(namespace_name, *made, ownership, parameters, stop);
    if (created) return UpdateOutcome{.object = *std::move(created), .created = true};
    // Retry if it was created concurrently.
    if (!IsAlreadyExists(created.error()) || tries == kApplyTries) return std::move(created).error();
  }
}

Result<DeleteOutcome> ResourceStore::Delete(const std::string& namespace_name, const std::string& name,
                                            const DeleteParameters& parameters, const std::stop_token& stop) const {
  if (kind_.has_finalize && (name == "default" || name == "kube-system" || name == "kube-public")) {
    return ForbiddenError(kind_.resource, name, "this namespace may not be deleted");
  }
  Result<DeleteOutcome> marked = DeleteOnce(namespace_name, name, parameters, stop);
  if (!marked || !marked->announced) return marked;
  DeleteParameters of_this_one = parameters;
  of_this_one.preconditions = {.uid = std::string(marked->object->Uid())};
  Result<DeleteOutcome> deleted = DeleteOnce(namespace_name, name, of_this_one, stop);
  // A watcher that saw the mark may have deleted it first.
  if (!deleted && (IsNotFound(deleted.error()) || IsConflict(deleted.error()))) {
    return DeleteOutcome{.object = marked->object, .shows_object = ShowsDeleted(kind_)};
  }
  return deleted;
}

Result<DeleteOutcome> ResourceStore::DeleteOnce(const std::string& namespace_name, const std::string& name,
                                                const DeleteParameters& parameters, const std::stop_token& stop) const {
  DeleteOutcome outcome;
  const auto change = [&](const ObjectPtr& current) -> Result<ObjectPtr> {
    if (Result<void> met = CheckPreconditions(kind_, *current, parameters.preconditions); !met) {
      return std::move(met).error();
    }
    json object = current->ToJson();
    const bool propagates = SetPropagation(object, parameters.propagation_policy);
    const std::optional<std::int64_t> grace = GraceOf(kind_, object, parameters);
    const bool marked = MarkDeleted(kind_, object, grace.value_or(0), context_.clock->WallNow());
    outcome.finished = MayGo(kind_, object);
    if (parameters.dry_run) return outcome.finished ? Result<ObjectPtr>(current) : ObjectOf(object);
    outcome.announced = outcome.finished && marked && kind_.graceful;
    if (outcome.finished && !outcome.announced) return ObjectPtr();
    return marked || propagates ? ObjectOf(object) : Result<ObjectPtr>(current);
  };
  Result<ObjectPtr> changed =
      DryRunnableStorage(*storage_, parameters.dry_run).GuaranteedUpdate(namespace_name, name, {}, change, stop);
  if (!changed) return std::move(changed).error();
  outcome.object = *std::move(changed);
  outcome.shows_object = !outcome.finished || ShowsDeleted(kind_);
  return outcome;
}

Result<ObjectPtr> ResourceStore::Bind(const std::string& namespace_name, const std::string& name, std::string_view body,
                                      const WriteParameters& parameters, const std::stop_token& stop) const {
  Result<json> binding = ReadJson(body, "Binding cannot be read");
  if (!binding) return std::move(binding).error();
  if (Result<void> good = CheckBinding(*binding, namespace_name, name); !good) return std::move(good).error();
  const auto change = [&](const ObjectPtr& current) -> Result<ObjectPtr> {
    const json before = current->ToJson();
    // Binding changes neither generation nor managedFields.
    Result<json> after = Bound(kind_, before, *binding, context_.clock->WallNow());
    if (!after) return std::move(after).error();
    Result<ObjectPtr> object = ObjectOf(*after);
    if (!object) return BadRequestError(object.error().message);
    if (parameters.admit) {
      if (Result<void> admitted = parameters.admit(current.get(), **object); !admitted) {
        return std::move(admitted).error();
      }
    }
    return object;
  };
  return DryRunnableStorage(*storage_, parameters.dry_run).GuaranteedUpdate(namespace_name, name, {}, change, stop);
}

Result<ObjectList> ResourceStore::DeleteCollection(ListQuery query, const DeleteParameters& parameters,
                                                   const std::stop_token& stop) const {
  // A limit also makes the list exact at a given resourceVersion, so that nothing newer is deleted.
  const bool is_one_page = query.limit > 0;
  if (!is_one_page) query.limit = kDeleteCollectionPage;
  ObjectList all;
  for (;;) {
    Result<ObjectList> page = ListPredicate(*storage_, query, stop);
    if (!page) return page;
    for (ObjectPtr& object : page->items) {
      const Result<DeleteOutcome> deleted =
          Delete(std::string(object->Namespace()), std::string(object->Name()), parameters, stop);
      if (!deleted && !IsNotFound(deleted.error())) return deleted.error();
      all.items.push_back(std::move(object));
    }
    all.metadata = std::move(page->metadata);
    if (is_one_page || all.metadata.continue_token.empty()) return all;
    query.continue_token = all.metadata.continue_token;
    query.resource_version.clear();
    query.match = VersionMatch::kUnset;
    query.suspension = nullptr;
  }
}

Result<ObjectPtr> ResourceStore::ScaleOf(const Object& object) const {
  if (!kind_.has_scale) return NotFoundError(kind_.resource, object.Name());
  json metadata = {{"name", object.Name()},
                   {"namespace", object.Namespace()},
                   {"uid", object.Uid()},
                   {"resourceVersion", object.ResourceVersion()}};
  if (object.CreationTimestamp()) metadata["creationTimestamp"] = *object.CreationTimestamp();
  const Value replicas = object.At(PointerOf(kind_.scale.spec_replicas));
  if (kind_.schema != nullptr && !replicas.Exists()) {
    const std::string why = "the spec replicas field \"" + kind_.scale.spec_replicas + "\" does not exist";
    Error error = InternalServerError("Internal error occurred: " + why);
    error.reason = "InternalError";
    error.details.causes.push_back({.reason = {}, .message = why, .field = {}});
    return error;
  }
  json spec = json::object();
  if (const std::int64_t wanted = replicas.IntOr(1); wanted != 0) spec["replicas"] = wanted;
  json status = {{"replicas", object.At(PointerOf(kind_.scale.status_replicas)).IntOr(0)}};
  std::string selector;
  if (!kind_.scale.label_selector.empty()) {
    selector = object.At(PointerOf(kind_.scale.label_selector)).StringOr("");
  } else if (kind_.schema == nullptr) {
    for (const auto& [key, value] : object.At("/spec/selector/matchLabels").Members()) {
      selector += (selector.empty() ? "" : ",") + key + "=" + value.StringOr("");
    }
  }
  if (!selector.empty()) status["selector"] = selector;
  return ObjectOf({{"apiVersion", "autoscaling/v1"},
                   {"kind", "Scale"},
                   {"metadata", std::move(metadata)},
                   {"spec", std::move(spec)},
                   {"status", std::move(status)}});
}

}  // namespace kinformer::apiserver
