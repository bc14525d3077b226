#include "src/apiserver/endpoints/request_options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/apiserver/apply/path_element.h"
#include "src/apiserver/storage/query_rules.h"
#include "src/apiserver/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

/// Half an hour, and by jitter up to twice that.
constexpr std::chrono::seconds kMinWatchTimeout{1800};
/// No watch is meant to go on for longer; and it keeps the sum below what a clock holds.
constexpr std::int64_t kMaxWatchSeconds = std::int64_t{366} * 24 * 3600;
constexpr std::size_t kMaxFieldManager = 128;

Result<std::optional<std::int64_t>> ReadInteger(const UrlQuery& query, std::string_view name) {
  const std::string* text = query.Find(name);
  if (text == nullptr || text->empty()) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (failed != std::errc() || end != text->data() + text->size()) {
    return BadRequestError("the parameter " + std::string(name) + " is not a number: \"" + *text + "\"");
  }
  return std::optional<std::int64_t>(value);
}

std::string TextOf(const UrlQuery& query, std::string_view name) {
  const std::string* text = query.Find(name);
  return text == nullptr ? std::string() : *text;
}

Error InvalidOption(std::string_view options_kind, std::string field, std::string_view reason, std::string why) {
  Error error{.code = ErrorCode::kServer,
              .message = std::string(options_kind) + ".meta.k8s.io \"\" is invalid: " + field + ": " + why,
              .http_status = 422,
              .reason = "Invalid"};
  error.details.group = "meta.k8s.io";
  error.details.kind = options_kind;
  error.details.causes.push_back({.reason = std::string(reason), .message = std::move(why), .field = std::move(field)});
  return error;
}

Error Unsupported(std::string_view options_kind, std::string field, const std::string& value, std::string_view those) {
  return InvalidOption(options_kind, std::move(field), "FieldValueNotSupported",
                       "Unsupported value: \"" + value + "\": supported values: " + std::string(those));
}

/// Whether all that a selector names can be selected by.
Result<void> CheckSelectable(const FieldSelector& selector, const ServedKind& kind) {
  if (selector.IsEverything()) return {};
  const std::vector<SelectableField> known = kind.SelectableFields();
  for (const FieldRequirement& requirement : selector.requirements()) {
    const std::string& field = requirement.field;
    if (field == "metadata.name" || field == "metadata.namespace") continue;
    if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.name == field; })) continue;
    if (!known.empty()) return BadRequestError("field label not supported: " + field);
    return BadRequestError("\"" + field +
                           R"(" is not a known field selector: only "metadata.name", "metadata.namespace")");
  }
  return {};
}

Result<Predicate> ReadPredicate(const RequestInfo& request, const ServedKind& kind) {
  Predicate predicate;
  Result<LabelSelector> labels = LabelSelector::Parse(TextOf(request.query, "labelSelector"));
  if (!labels) return BadRequestError("unable to parse the label selector: " + labels.error().message);
  Result<FieldSelector> fields = FieldSelector::Parse(TextOf(request.query, "fieldSelector"));
  if (!fields) return BadRequestError("unable to parse the field selector: " + fields.error().message);
  if (Result<void> good = CheckSelectable(*fields, kind); !good) return std::move(good).error();
  if (!request.name.empty()) {
    if (fields->IsEverything()) {
      Result<FieldSelector> by_name = FieldSelector::From({{"metadata.name", FieldOperator::kEquals, request.name}});
      if (!by_name) return BadRequestError(by_name.error().message);
      fields = std::move(by_name);
    } else if (fields->RequiresExactMatch("metadata.name") != request.name) {
      return BadRequestError("fieldSelector metadata.name doesn't match requested name");
    }
  }
  predicate.labels = *std::move(labels);
  predicate.fields = *std::move(fields);
  return predicate;
}

/// The name that every match has, where that makes it one key.
std::string KeyName(const Predicate& predicate, const std::string& scope, const ServedKind& kind) {
  if (kind.scope == Scope::kNamespaced && scope.empty()) return {};
  return predicate.fields.RequiresExactMatch("metadata.name").value_or("");
}

Result<VersionMatch> ReadMatch(const UrlQuery& query) {
  const std::string text = TextOf(query, "resourceVersionMatch");
  if (text.empty()) return VersionMatch::kUnset;
  if (text == "Exact") return VersionMatch::kExact;
  if (text == "NotOlderThan") return VersionMatch::kNotOlderThan;
  return Unsupported("ListOptions", "resourceVersionMatch", text, R"("Exact", "NotOlderThan", "")");
}

Result<bool> ReadDryRun(const std::vector<std::string>& values, std::string_view options_kind) {
  bool dry_run = false;
  for (const std::string& value : values) {
    if (value.empty()) continue;
    if (value != "All") return Unsupported(options_kind, "dryRun", value, "\"All\"");
    dry_run = true;
  }
  return dry_run;
}

Result<void> CheckPolicy(const std::string& policy) {
  if (policy.empty() || policy == "Background" || policy == "Foreground" || policy == "Orphan") return {};
  return Unsupported("DeleteOptions", "propagationPolicy", policy, R"("Foreground", "Background", "Orphan", "nil")");
}

Result<void> ApplyOrphanDependents(bool orphan, DeleteRequest& request) {
  if (!request.parameters.propagation_policy.empty()) {
    return InvalidOption("DeleteOptions", "propagationPolicy", "FieldValueInvalid",
                         "Invalid value: \"" + request.parameters.propagation_policy +
                             "\": orphanDependents and deletionPropagation cannot be both set");
  }
  request.parameters.propagation_policy = orphan ? "Orphan" : "Background";
  request.accepted_is_202 = !orphan;
  return {};
}

Result<DeleteRequest> DeleteFromQuery(const RequestInfo& request) {
  DeleteRequest wanted;
  Result<bool> dry_run = ReadDryRun(request.query.All("dryRun"), "DeleteOptions");
  if (!dry_run) return std::move(dry_run).error();
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

Error BadDeleteOptions(const std::string& why) {
  return BadRequestError("the body of the request is no DeleteOptions: " + why);
}

/// Of a member that may be absent or null.
Result<std::string> TextMember(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return BadDeleteOptions(std::string(name) + " is not a string");
  return found->get<std::string>();
}

Result<DeleteRequest> DeleteFromBody(const nlohmann::json& body) {
  if (!body.is_object()) return BadDeleteOptions("not a JSON object");
  Result<std::string> kind = TextMember(body, "kind");
  if (!kind) return std::move(kind).error();
  if (!kind->empty() && *kind != "DeleteOptions") return BadDeleteOptions("its kind is " + *kind);
  DeleteRequest wanted;
  if (const auto found = body.find("dryRun"); found != body.end() && !found->is_null()) {
    std::vector<std::string> values;
    if (!found->is_array()) return BadDeleteOptions("dryRun is not an array");
    for (const nlohmann::json& value : *found) {
      if (!value.is_string()) return BadDeleteOptions("dryRun is not an array of strings");
      values.push_back(value.get<std::string>());
    }
    Result<bool> dry_run = ReadDryRun(values, "DeleteOptions");
    if (!dry_run) return std::move(dry_run).error();
    wanted.parameters.dry_run = *dry_run;
  }
  if (const auto found = body.find("gracePeriodSeconds"); found != body.end() && !found->is_null()) {
    if (!found->is_number_integer()) return BadDeleteOptions("gracePeriodSeconds is not a number");
    wanted.parameters.grace_period_seconds = found->get<std::int64_t>();
  }
  Result<std::string> policy = TextMember(body, "propagationPolicy");
  if (!policy) return std::move(policy).error();
  wanted.parameters.propagation_policy = *std::move(policy);
  if (Result<void> good = CheckPolicy(wanted.parameters.propagation_policy); !good) return std::move(good).error();
  if (const auto found = body.find("orphanDependents"); found != body.end() && !found->is_null()) {
    if (!found->is_boolean()) return BadDeleteOptions("orphanDependents is neither true nor false");
    if (Result<void> good = ApplyOrphanDependents(found->get<bool>(), wanted); !good) return std::move(good).error();
  }
  if (const auto found = body.find("preconditions"); found != body.end() && !found->is_null()) {
    if (!found->is_object()) return BadDeleteOptions("preconditions is not an object");
    Result<std::string> uid = TextMember(*found, "uid");
    if (!uid) return std::move(uid).error();
    Result<std::string> version = TextMember(*found, "resourceVersion");
    if (!version) return std::move(version).error();
    wanted.parameters.preconditions = {.uid = *std::move(uid), .resource_version = *std::move(version)};
  }
  return wanted;
}

}  // namespace

std::string ScopeOf(const RequestInfo& request) {
  return request.group.empty() && request.resource == "namespaces" ? std::string() : request.namespace_name;
}

Result<ListQuery> ReadListQuery(const RequestInfo& request, const ServedKind& kind) {
  ListQuery query{.namespace_name = ScopeOf(request)};
  Result<Predicate> predicate = ReadPredicate(request, kind);
  if (!predicate) return std::move(predicate).error();
  query.predicate = *std::move(predicate);
  query.name = KeyName(query.predicate, query.namespace_name, kind);
  query.resource_version = TextOf(request.query, "resourceVersion");
  Result<VersionMatch> match = ReadMatch(request.query);
  if (!match) return std::move(match).error();
  query.match = *match;
  Result<std::optional<std::int64_t>> limit = ReadInteger(request.query, "limit");
  if (!limit) return std::move(limit).error();
  query.limit = limit->value_or(0);
  if (query.limit < 0) return BadRequestError("the parameter limit is less than zero");
  query.continue_token = TextOf(request.query, "continue");
  return query;
}

Result<WatchQuery> ReadWatchQuery(const RequestInfo& request, const ServedKind& kind, TimePoint now, double jitter) {
  WatchQuery query{.namespace_name = ScopeOf(request)};
  Result<Predicate> predicate = ReadPredicate(request, kind);
  if (!predicate) return std::move(predicate).error();
  query.predicate = *std::move(predicate);
  query.name = KeyName(query.predicate, query.namespace_name, kind);
  query.resource_version = TextOf(request.query, "resourceVersion");
  Result<VersionMatch> match = ReadMatch(request.query);
  if (!match) return std::move(match).error();
  query.match = *match;
  if (request.query.Find("sendInitialEvents") != nullptr) {
    query.send_initial_events = request.query.Flag("sendInitialEvents");
  }
  if (Result<void> good = CheckWatchOptions(query); !good) return std::move(good).error();
  query.allow_bookmarks = request.query.Flag("allowWatchBookmarks");
  Result<std::optional<std::int64_t>> seconds = ReadInteger(request.query, "timeoutSeconds");
  if (!seconds) return std::move(seconds).error();
  const std::int64_t wanted = seconds->value_or(0);
  if (wanted < 0) return BadRequestError("the parameter timeoutSeconds is less than zero");
  if (wanted > 0) {
    query.deadline = now + std::chrono::seconds(std::min(wanted, kMaxWatchSeconds));
  } else {
    query.deadline = now + std::chrono::duration_cast<Duration>(kMinWatchTimeout * (1 + jitter));
  }
  return query;
}

Result<WriteParameters> ReadWriteParameters(const RequestInfo& request, std::string_view options_kind) {
  WriteParameters parameters;
  Result<bool> dry_run = ReadDryRun(request.query.All("dryRun"), options_kind);
  if (!dry_run) return std::move(dry_run).error();
  parameters.dry_run = *dry_run;
  parameters.field_manager = TextOf(request.query, "fieldManager");
  if (parameters.field_manager.size() > kMaxFieldManager) {
    return InvalidOption(options_kind, "fieldManager", "FieldValueTooLong", "Too long: may not be more than 128 bytes");
  }
  for (std::size_t i = 0; i < parameters.field_manager.size(); ++i) {
    const auto c = static_cast<unsigned char>(parameters.field_manager[i]);
    if (c >= 0x20 && c != 0x7f) continue;
    char code[8];
    std::snprintf(code, sizeof code, "U+%04X", c);
    return InvalidOption(options_kind, "fieldManager", "FieldValueInvalid",
                         "Invalid value: " + QuotedForPeople(parameters.field_manager) + ": invalid character " + code +
                             " (at position " + std::to_string(i) + ")");
  }
  const std::string validation = TextOf(request.query, "fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" && validation != "Strict") {
    return Unsupported(options_kind, "fieldValidation", validation, R"("Ignore", "Strict", "Warn")");
  }
  if (validation == "Ignore") parameters.field_validation = FieldValidation::kIgnore;
  if (validation == "Strict") parameters.field_validation = FieldValidation::kStrict;
  return parameters;
}

Result<WriteParameters> ReadPatchParameters(const RequestInfo& request, PatchKind kind) {
  Result<WriteParameters> parameters = ReadWriteParameters(request, "PatchOptions");
  if (!parameters) return parameters;
  if (kind == PatchKind::kApply) {
    if (parameters->field_manager.empty()) {
      return InvalidOption("PatchOptions", "fieldManager", "FieldValueRequired",
                           "Required value: is required for apply patch");
    }
    parameters->force = request.query.Flag("force");
  } else if (request.query.Find("force") != nullptr) {
    return InvalidOption("PatchOptions", "force", "FieldValueForbidden",
                         "Forbidden: may not be specified for non-apply patch");
  }
  return parameters;
}

Result<DeleteRequest> ReadDeleteRequest(const RequestInfo& request, std::string_view body) {
  if (body.empty()) return DeleteFromQuery(request);
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return BadDeleteOptions("not JSON");
  return DeleteFromBody(json);
}

}  // namespace kinformer::apiserver
