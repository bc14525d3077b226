#include "src/apiserver/endpoints/request_options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/apiserver/endpoints/selector_errors.h"
#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/pod_eviction.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/codec/json_fields.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/meta/go_quoted.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;

constexpr std::size_t kMaxFieldManager = 128;

Result<std::optional<std::int64_t>> ReadInteger(const UrlQuery& query, std::string_view name) {
  const std::string* text = query.Find(name);
  if (text == nullptr || text->empty()) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool whole = end == text->data() + text->size();
  if (failed != std::errc() || !whole) {
    const bool too_large = failed == std::errc::result_out_of_range && whole;
    return BadRequestError("strconv.ParseInt: parsing " + internal::GoQuoted(*text) +
                           (too_large ? ": value out of range" : ": invalid syntax"));
  }
  return std::optional<std::int64_t>(value);
}

std::string TextOf(const UrlQuery& query, std::string_view name) {
  const std::string* text = query.Find(name);
  return text == nullptr ? std::string() : *text;
}

ErrorCause UnsupportedValue(std::string field, const std::string& shown, std::string_view those) {
  return {.reason = "FieldValueNotSupported",
          .message = "Unsupported value: " + shown + ": supported values: " + std::string(those),
          .field = std::move(field)};
}

/// 422 if there are causes.
Result<void> CheckOptions(std::string_view options_kind, std::vector<ErrorCause> causes) {
  if (causes.empty()) return {};
  return InvalidError({"meta.k8s.io", "", std::string(options_kind)}, "", std::move(causes));
}

/// Prefers a real server's message, if it has one.
Error Unreadable(const std::string& why, const Error& error) {
  return BadRequestError(why.empty() ? error.message : why);
}

/// If one value is invalid, the error lists all of them.
void CheckDryRun(const std::vector<std::string>& values, std::vector<ErrorCause>& causes) {
  if (std::all_of(values.begin(), values.end(), [](const std::string& value) { return value == "All"; })) return;
  std::string shown;
  for (const std::string& value : values) shown += (shown.empty() ? "" : ",") + internal::GoQuoted(value);
  causes.push_back(UnsupportedValue("dryRun", "[" + shown + "]", "\"All\""));
}

Result<bool> ReadDryRun(const std::vector<std::string>& values, std::string_view options_kind) {
  std::vector<ErrorCause> causes;
  CheckDryRun(values, causes);
  if (Result<void> good = CheckOptions(options_kind, std::move(causes)); !good) return std::move(good).error();
  return !values.empty();
}

Result<void> CheckPolicy(const std::string& policy) {
  if (policy.empty() || policy == "Background" || policy == "Foreground" || policy == "Orphan") return {};
  return CheckOptions("DeleteOptions", {UnsupportedValue("propagationPolicy", internal::GoQuoted(policy),
                                                         R"("Foreground", "Background", "Orphan", "nil")")});
}

Result<void> ApplyOrphanDependents(bool orphan, DeleteRequest& request) {
  if (!request.parameters.propagation_policy.empty()) {
    return CheckOptions("DeleteOptions", {Invalid("propagationPolicy", request.parameters.propagation_policy,
                                                  "orphanDependents and deletionPropagation cannot be both set")});
  }
  request.parameters.propagation_policy = orphan ? "Orphan" : "Background";
  request.accepted_is_202 = !orphan;
  return {};
}

Result<DeleteRequest> DeleteFromQuery(const RequestInfo& request) {
  DeleteRequest wanted;
  Result<bool> dry_run = ReadDryRun(request.query.All("dryRun"), "DeleteOptions");
  if (!dry_run.ok()) return std::move(dry_run).error();
  wanted.parameters.dry_run = *dry_run;
  Result<std::optional<std::int64_t>> grace = ReadInteger(request.query, "gracePeriodSeconds");
  if (!grace) return std::move(grace).error();
  wanted.parameters.grace_period_seconds = *grace;
  wanted.parameters.propagation_policy = TextOf(request.query, "propagationPolicy");
  if (Result<void> good = CheckPolicy(wanted.parameters.propagation_policy); !good) return std::move(good).error();
  if (request.query.Find("orphanDependents") != nullptr) {
    if (Result<void> good = ApplyOrphanDependents(request.query.Flag("orphanDependents"), wanted); !good) {
      return std::move(good).error();
    }
  }
  return wanted;
}

/// In the words of Go's decoder.
Error WrongMember(const nlohmann::json& value, std::string_view path, std::string_view wanted) {
  return BadRequestError(std::string("json: cannot unmarshal ") + (value.is_boolean() ? "bool" : value.type_name()) +
                         " into Go struct field DeleteOptions." + std::string(path) + " of type " +
                         std::string(wanted));
}

/// Empty if absent or null.
Result<std::string> TextMember(const nlohmann::json& object, const char* name, std::string_view path) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return WrongMember(*found, path, "string");
  return found->get<std::string>();
}

Result<DeleteRequest> DeleteFromBody(const nlohmann::json& body) {
  Result<std::string> kind = TextMember(body, "kind", "kind");
  if (!kind) return std::move(kind).error();
  if (!kind->empty() && *kind != "DeleteOptions") {
    Result<std::string> version = TextMember(body, "apiVersion", "apiVersion");
    return BadRequestError("no kind \"" + *kind + "\" is registered for version \"" + version.value_or("") +
                           "\" in scheme \"pkg/runtime/scheme.go:111\"");
  }
  DeleteRequest wanted;
  if (const auto found = body.find("dryRun"); found != body.end() && !found->is_null()) {
    std::vector<std::string> values;
    if (!found->is_array()) return WrongMember(*found, "dryRun", "[]string");
    for (const nlohmann::json& value : *found) {
      if (!value.is_string()) return WrongMember(value, "dryRun", "string");
      values.push_back(value.get<std::string>());
    }
    Result<bool> dry_run = ReadDryRun(values, "DeleteOptions");
    if (!dry_run.ok()) return std::move(dry_run).error();
    wanted.parameters.dry_run = *dry_run;
  }
  if (const auto found = body.find("gracePeriodSeconds"); found != body.end() && !found->is_null()) {
    if (!found->is_number_integer()) return WrongMember(*found, "gracePeriodSeconds", "int64");
    wanted.parameters.grace_period_seconds = found->get<std::int64_t>();
  }
  Result<std::string> policy = TextMember(body, "propagationPolicy", "propagationPolicy");
  if (!policy) return std::move(policy).error();
  wanted.parameters.propagation_policy = *std::move(policy);
  if (Result<void> good = CheckPolicy(wanted.parameters.propagation_policy); !good) return std::move(good).error();
  if (const auto found = body.find("orphanDependents"); found != body.end() && !found->is_null()) {
    if (!found->is_boolean()) return WrongMember(*found, "orphanDependents", "bool");
    if (Result<void> good = ApplyOrphanDependents(found->get<bool>(), wanted); !good) return std::move(good).error();
  }
  if (const auto found = body.find("preconditions"); found != body.end() && !found->is_null()) {
    if (!found->is_object()) return WrongMember(*found, "preconditions", "v1.Preconditions");
    Result<std::string> uid = TextMember(*found, "uid", "preconditions.uid");
    if (!uid) return std::move(uid).error();
    Result<std::string> version = TextMember(*found, "resourceVersion", "preconditions.resourceVersion");
    if (!version) return std::move(version).error();
    wanted.parameters.preconditions = {.uid = *std::move(uid), .resource_version = *std::move(version)};
  }
  return wanted;
}

}  // namespace

std::string ScopeOf(const RequestInfo& request) {
  return request.group.empty() && request.resource == "namespaces" ? std::string() : request.namespace_name;
}

Result<CollectionRequest> ReadCollectionRequest(const RequestInfo& request) {
  const UrlQuery& query = request.query;
  const Result<std::optional<std::int64_t>> limit = ReadInteger(query, "limit");
  if (!limit) return limit.error();
  const Result<std::optional<std::int64_t>> seconds = ReadInteger(query, "timeoutSeconds");
  if (!seconds) return seconds.error();
  const std::string label_text = TextOf(query, "labelSelector");
  Result<LabelSelector> labels = LabelSelector::Parse(label_text);
  if (!labels) return Unreadable(WhyNoLabelSelector(label_text), labels.error());
  const std::string field_text = TextOf(query, "fieldSelector");
  Result<FieldSelector> fields = FieldSelector::Parse(field_text);
  if (!fields) return Unreadable(WhyNoFieldSelector(field_text), fields.error());
  std::optional<bool> send_initial_events;
  if (query.Find("sendInitialEvents") != nullptr) send_initial_events = query.Flag("sendInitialEvents");
  return CollectionRequest{.namespace_name = ScopeOf(request),
                           .name = request.name,
                           .force_watch = request.legacy_watch,
                           .parameters = {.watch = query.Flag("watch"),
                                          .label_selector = *std::move(labels),
                                          .field_selector = *std::move(fields),
                                          .resource_version = TextOf(query, "resourceVersion"),
                                          .resource_version_match = TextOf(query, "resourceVersionMatch"),
                                          .limit = limit->value_or(0),
                                          .continue_token = TextOf(query, "continue"),
                                          .send_initial_events = send_initial_events,
                                          .allow_watch_bookmarks = query.Flag("allowWatchBookmarks"),
                                          .timeout_seconds = seconds->value_or(0)}};
}

FieldCheck SelectableFieldCheck(const ServedKind& kind) {
  return [&kind](const std::string& field) -> Result<void> {
    const std::vector<SelectableField> known = kind.SelectableFields();
    if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.name == field; })) return {};
    if (!known.empty()) return BadRequestError("field label not supported: " + field);
    return BadRequestError("\"" + field +
                           R"(" is not a known field selector: only "metadata.name", "metadata.namespace")");
  };
}

namespace {

/// Limits the length and rejects control characters.
void CheckFieldManager(const std::string& name, std::vector<ErrorCause>& causes) {
  if (name.size() > kMaxFieldManager) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than 128 bytes",
                      .field = "fieldManager"});
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c >= 0x20 && c != 0x7f) continue;
    char code[8];
    std::snprintf(code, sizeof code, "U+%04X", c);
    causes.push_back({.reason = "FieldValueInvalid",
                      .message = "Invalid value: " + internal::GoQuoted(name) + ": invalid character " + code +
                                 " (at position " + std::to_string(i) + ")",
                      .field = "fieldManager"});
  }
}

/// Options common to all writes; appends errors to `causes`.
WriteParameters WriteParametersOf(const UrlQuery& query, std::vector<ErrorCause>& causes) {
  WriteParameters parameters;
  parameters.field_manager = TextOf(query, "fieldManager");
  CheckFieldManager(parameters.field_manager, causes);
  const std::vector<std::string> dry_run = query.All("dryRun");
  CheckDryRun(dry_run, causes);
  parameters.dry_run = !dry_run.empty();
  const std::string validation = TextOf(query, "fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" && validation != "Strict") {
    causes.push_back(
        UnsupportedValue("fieldValidation", internal::GoQuoted(validation), R"("", "Ignore", "Strict", "Warn")"));
  }
  if (validation == "Ignore") parameters.field_validation = FieldValidation::kIgnore;
  if (validation == "Strict") parameters.field_validation = FieldValidation::kStrict;
  return parameters;
}

}  // namespace

Result<WriteParameters> ReadWriteParameters(const RequestInfo& request, std::string_view options_kind) {
  std::vector<ErrorCause> causes;
  WriteParameters parameters = WriteParametersOf(request.query, causes);
  if (Result<void> good = CheckOptions(options_kind, std::move(causes)); !good) return std::move(good).error();
  return parameters;
}

Result<WriteParameters> ReadPatchParameters(const RequestInfo& request, PatchKind kind) {
  std::vector<ErrorCause> causes;
  const bool apply = kind == PatchKind::kApply;
  if (!apply && request.query.Find("force") != nullptr) {
    causes.push_back(Forbidden("force", "may not be specified for non-apply patch"));
  }
  if (apply && TextOf(request.query, "fieldManager").empty()) {
    causes.push_back(Required("fieldManager", "is required for apply patch"));
  }
  WriteParameters parameters = WriteParametersOf(request.query, causes);
  if (Result<void> good = CheckOptions("PatchOptions", std::move(causes)); !good) return std::move(good).error();
  parameters.force = apply && request.query.Flag("force");
  return parameters;
}

Result<DeleteRequest> ReadDeleteRequest(const RequestInfo& request, std::string_view body) {
  if (body.empty()) return DeleteFromQuery(request);
  const Result<nlohmann::json> options = ReadTyped(body);
  if (!options) return options.error();
  return DeleteFromBody(*options);
}

Result<DeleteParameters> ReadEviction(const RequestInfo& request, std::string_view body) {
  const Result<WriteParameters> creation = ReadWriteParameters(request, "CreateOptions");
  if (!creation) return creation.error();
  const Result<nlohmann::json> eviction = ReadJson(body, "Eviction cannot be read");
  if (!eviction) return eviction.error();
  if (Result<void> good = CheckEviction(*eviction, ScopeOf(request), request.name); !good) {
    return std::move(good).error();
  }
  DeleteParameters parameters;
  if (const nlohmann::json& options = FieldOf(*eviction, "deleteOptions"); options.is_object()) {
    Result<DeleteRequest> deletion = DeleteFromBody(options);
    if (!deletion) return std::move(deletion).error();
    parameters = std::move(deletion->parameters);
  }
  parameters.dry_run = parameters.dry_run || creation->dry_run;
  return parameters;
}

}  // namespace kinformer::apiserver
