#include "src/listwatch/endpoint/list_resource.h"

#include <algorithm>
#include <utility>

#include "src/listwatch/endpoint/watch_timeout.h"
#include "src/listwatch/storage/predicate.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kName = "metadata.name";

Result<void> CheckFields(const FieldSelector& selector, const FieldCheck& check_field) {
  for (const FieldRequirement& requirement : selector.requirements()) {
    if (requirement.field == kName || requirement.field == "metadata.namespace" || !check_field) continue;
    if (Result<void> selectable = check_field(requirement.field); !selectable) return selectable;
  }
  return {};
}

/// Validates the request and makes a name in its path a field selector.
Result<void> Validate(CollectionRequest& request, const FieldCheck& check_field) {
  ListParameters& parameters = request.parameters;
  SetListDefaults(parameters);
  if (Result<void> valid = ValidateListParameters(parameters); !valid) return valid;
  FieldSelector& fields = parameters.field_selector;
  if (Result<void> selectable = CheckFields(fields, check_field); !selectable) return selectable;
  if (request.name.empty()) return {};
  if (!fields.IsEverything()) {
    if (fields.RequiresExactMatch(kName) == request.name) return {};
    return BadRequestError("fieldSelector metadata.name doesn't match requested name");
  }
  Result<FieldSelector> by_name = FieldSelector::From({{kName, FieldOperator::kEquals, request.name}});
  if (!by_name) return BadRequestError(by_name.error().message);
  fields = *std::move(by_name);
  return {};
}

SelectionPredicate PredicateOf(ListParameters& parameters) {
  return {.labels = std::move(parameters.label_selector), .fields = std::move(parameters.field_selector)};
}

/// Precondition: the value has been validated.
VersionMatch MatchOf(const ListParameters& parameters) {
  if (parameters.resource_version_match.empty()) return VersionMatch::kUnset;
  return parameters.resource_version_match == "Exact" ? VersionMatch::kExact : VersionMatch::kNotOlderThan;
}

}  // namespace

Result<ListQuery> ToListQuery(CollectionRequest request, const FieldCheck& check_field) {
  ListParameters& parameters = request.parameters;
  parameters.watch = false;
  if (Result<void> valid = Validate(request, check_field); !valid) return std::move(valid).error();
  return ListQuery{.namespace_name = std::move(request.namespace_name),
                   .predicate = PredicateOf(parameters),
                   .resource_version = std::move(parameters.resource_version),
                   .match = MatchOf(parameters),
                   .limit = std::max(parameters.limit, std::int64_t{0}),
                   .continue_token = std::move(parameters.continue_token)};
}

Result<WatchQuery> ToWatchQuery(CollectionRequest request, const FieldCheck& check_field, TimePoint deadline) {
  ListParameters& parameters = request.parameters;
  if (Result<void> valid = Validate(request, check_field); !valid) return std::move(valid).error();
  return WatchQuery{.namespace_name = std::move(request.namespace_name),
                    .predicate = PredicateOf(parameters),
                    .resource_version = std::move(parameters.resource_version),
                    // A match that was validated as a list's means nothing to a watch.
                    .match = parameters.watch ? MatchOf(parameters) : VersionMatch::kUnset,
                    .send_initial_events = parameters.send_initial_events,
                    .allow_bookmarks = parameters.allow_watch_bookmarks,
                    .deadline = deadline};
}

Result<ListResource> ListResource::Accept(CollectionRequest request, const FieldCheck& check_field, TimePoint now,
                                          double jitter) {
  if (!request.parameters.watch && !request.force_watch) {
    Result<ListQuery> list = ToListQuery(std::move(request), check_field);
    if (!list) return std::move(list).error();
    return ListResource(*std::move(list));
  }
  const TimePoint deadline = WatchDeadline(now, request.parameters.timeout_seconds, jitter);
  Result<WatchQuery> watch = ToWatchQuery(std::move(request), check_field, deadline);
  if (!watch) return std::move(watch).error();
  return ListResource(*std::move(watch));
}

Result<ListResource::Answer> ListResource::Read(ObjectStorage& storage, Suspension* suspension,
                                                const std::stop_token& stop) const {
  if (const auto* const watch = std::get_if<WatchQuery>(&query_)) {
    WatchQuery query = *watch;
    query.suspension = suspension;
    Result<std::unique_ptr<WatchEventStream>> events = WatchPredicate(storage, std::move(query), stop);
    if (!events) return std::move(events).error();
    return Answer(*std::move(events));
  }
  ListQuery query = std::get<ListQuery>(query_);
  query.suspension = suspension;
  Result<ObjectList> list = ListPredicate(storage, std::move(query), stop);
  if (!list) return std::move(list).error();
  return Answer(*std::move(list));
}

}  // namespace kinformer::apiserver
