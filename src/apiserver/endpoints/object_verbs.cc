#include "src/apiserver/endpoints/object_verbs.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/apiserver/apply/field_manager.h"
#include "src/apiserver/endpoints/media_types.h"
#include "src/apiserver/endpoints/request_options.h"
#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/pod_eviction.h"
#include "src/codec/json_walker.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/yaml/yaml_reader.h"

namespace kinformer::apiserver {
namespace {

Subresource SubresourceOf(const RequestInfo& info) {
  if (info.subresource == "status") return Subresource::kStatus;
  if (info.subresource == "scale") return Subresource::kScale;
  if (info.subresource == "finalize") return Subresource::kFinalize;
  return Subresource::kNone;
}

/// The Status of a completed deletion.
std::string DeletedText(const ServedKind& kind, const Object& object) {
  nlohmann::ordered_json details = {{"name", object.Name()}};
  if (!kind.resource.group.empty()) details["group"] = kind.resource.group;
  details["kind"] = kind.resource.resource;
  details["uid"] = object.Uid();
  const nlohmann::ordered_json status = {{"kind", "Status"},
                                         {"apiVersion", "v1"},
                                         {"metadata", nlohmann::ordered_json::object()},
                                         {"status", "Success"},
                                         {"details", std::move(details)}};
  return status.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Sets the field manager, by default the client's program name.
void NameManager(const HttpRequest& request, WriteParameters& parameters) {
  const std::string* agent = request.FindHeader("User-Agent");
  parameters.field_manager = ManagerName(parameters.field_manager, agent == nullptr ? std::string_view() : *agent);
}

}  // namespace

Result<Reply> ObjectVerbs::Get(ApiCall& call) const {
  const std::string* wanted = call.info.query.Find("resourceVersion");
  const std::string version = wanted == nullptr ? "" : *wanted;
  if (!version.empty() && version != "0") {
    const Result<void> there = call.store->AwaitVersion(version, call.suspension, call.stop());
    if (!there) return there.error();
  }
  Result<ObjectPtr> object = call.store->Get(ScopeOf(call.info), call.info.name, version, call.stop());
  if (object && SubresourceOf(call.info) == Subresource::kScale) object = call.store->ScaleOf(**object);
  if (!object) return std::move(object).error();
  return ObjectReply(200, *object, call.form);
}

void ObjectVerbs::SetWriter(const ApiCall& call, WriteParameters& parameters) const {
  NameManager(call.request(), parameters);
  parameters.admit = [this, &call](const Object* before, const Object& after) -> Result<void> {
    if (before == nullptr && call.info.verb != "create") {
      // A PUT or apply of a missing object creates it and needs that permission too.
      RequestInfo creation = call.info;
      creation.verb = "create";
      const AccessDecision decision = options_.authorizer(call.user, creation);
      if (!decision.allowed) return ForbiddenError(call.user, creation, decision.reason);
    }
    if (!options_.write_check) return {};
    return options_.write_check(call.user, call.info, before, after);
  };
}

Result<Reply> ObjectVerbs::CreateOnly(const ApiCall& call) const {
  if (const auto parameters = ReadWriteParameters(call.info, "CreateOptions"); !parameters) return parameters.error();
  const ServedKind& kind = call.create_only->kind();
  Result<nlohmann::json> body = ReadJson(call.request().body, kind.kind + " cannot be read");
  if (!body) return std::move(body).error();
  if (!body->is_object()) return BadRequestError(kind.kind + " cannot be read: not a JSON object");
  const Result<nlohmann::json> answer = [&]() -> Result<nlohmann::json> {
    try {
      return call.create_only->Create(call.user, ScopeOf(call.info), *std::move(body));
    } catch (const nlohmann::json::exception& e) {
      // A value of an unexpected type or out of range: the client's mistake.
      return BadRequestError(kind.kind + " cannot be read: " + e.what());
    }
  }();
  if (!answer) return answer.error();
  Reply reply = JsonReply(answer->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  reply.status = 201;
  return reply;
}

Result<Reply> ObjectVerbs::Evict(const ApiCall& call) const {
  const Result<DeleteParameters> parameters = ReadEviction(call.info, call.request().body);
  if (!parameters) return parameters.error();
  const auto budgets = options_.resources->Find({"policy", "v1", "poddisruptionbudgets"});
  if (budgets == nullptr) return NoSuchResource();
  const Result<void> evicted = apiserver::Evict(*call.store, *budgets, ScopeOf(call.info), call.info.name, *parameters,
                                                options_.clock->WallNow(), call.stop());
  if (!evicted) return evicted.error();
  return DoneReply();
}

Result<Reply> ObjectVerbs::Create(const ApiCall& call) const {
  if (call.info.subresource == "eviction") return Evict(call);
  Result<WriteParameters> parameters = ReadWriteParameters(call.info, "CreateOptions");
  if (!parameters) return std::move(parameters).error();
  std::vector<std::string> warnings;
  parameters->warnings = &warnings;
  SetWriter(call, *parameters);
  if (call.info.subresource == "binding") {
    const Result<ObjectPtr> bound =
        call.store->Bind(ScopeOf(call.info), call.info.name, call.request().body, *parameters, call.stop());
    if (!bound) return bound.error();
    return DoneReply();
  }
  Result<ObjectPtr> object = call.store->Create(ScopeOf(call.info), call.request().body, *parameters, call.stop());
  if (!object) return std::move(object).error();
  return WithWarnings(ObjectReply(201, *object, call.form), warnings);
}

Result<Reply> ObjectVerbs::Update(const ApiCall& call) const {
  Result<WriteParameters> parameters = ReadWriteParameters(call.info, "UpdateOptions");
  if (!parameters) return std::move(parameters).error();
  std::vector<std::string> warnings;
  parameters->warnings = &warnings;
  SetWriter(call, *parameters);
  Result<UpdateOutcome> outcome = call.store->Update(ScopeOf(call.info), call.info.name, SubresourceOf(call.info),
                                                     call.request().body, *parameters, call.stop());
  if (!outcome) return std::move(outcome).error();
  return WithWarnings(ObjectReply(outcome->created ? 201 : 200, outcome->object, call.form), warnings);
}

Result<Reply> ObjectVerbs::Patch(const ApiCall& call) const {
  const Result<PatchKind> kind = ReadPatchKind(call.request(), call.store->kind());
  if (!kind) return kind.error();
  Result<WriteParameters> parameters = ReadPatchParameters(call.info, *kind);
  if (!parameters) return std::move(parameters).error();
  SetWriter(call, *parameters);
  std::vector<std::string> warnings;
  parameters->warnings = &warnings;
  std::string from_yaml;
  std::string_view body = call.request().body;
  if (*kind == PatchKind::kApply && !internal::IsValidJson(body)) {
    const Result<nlohmann::json> read = ReadYaml(body);
    if (!read) return BadRequestError("error decoding YAML: " + read.error().message);
    from_yaml = read->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    body = from_yaml;
  }
  Result<UpdateOutcome> outcome = call.store->Patch(ScopeOf(call.info), call.info.name, SubresourceOf(call.info), *kind,
                                                    body, *parameters, call.stop());
  if (!outcome) return std::move(outcome).error();
  return WithWarnings(ObjectReply(outcome->created ? 201 : 200, outcome->object, call.form), warnings);
}

Result<Reply> ObjectVerbs::Delete(const ApiCall& call) const {
  const Result<DeleteRequest> wanted = ReadDeleteRequest(call.info, call.request().body);
  if (!wanted) return wanted.error();
  Result<DeleteOutcome> outcome =
      call.store->Delete(ScopeOf(call.info), call.info.name, wanted->parameters, call.stop());
  if (!outcome) return std::move(outcome).error();
  if (outcome->shows_object) return ObjectReply(wanted->accepted_is_202 ? 202 : 200, outcome->object, call.form);
  return JsonReply(DeletedText(call.store->kind(), *outcome->object));
}

Result<Reply> ObjectVerbs::DeleteCollection(ApiCall& call) const {
  const Result<DeleteRequest> wanted = ReadDeleteRequest(call.info, call.request().body);
  if (!wanted) return wanted.error();
  Result<CollectionRequest> request = ReadCollectionRequest(call.info);
  if (!request) return std::move(request).error();
  Result<ListQuery> query = ToListQuery(*std::move(request), SelectableFieldCheck(call.store->kind()));
  if (!query) return query.error();
  // It can only be suspended before it deletes anything.
  query->suspension = &call.suspension;
  Result<ObjectList> list = call.store->DeleteCollection(*query, wanted->parameters, call.stop());
  if (!list) return std::move(list).error();
  return Reply{.status = 200, .headers = {kJsonHeader}, .body = ListText(call.store->kind(), *list, call.form)};
}

}  // namespace kinformer::apiserver
