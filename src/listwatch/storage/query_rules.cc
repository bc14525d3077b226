#include "src/listwatch/storage/query_rules.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/meta/error_text.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kMatchField = "resourceVersionMatch";

Result<void> CheckSegment(const char* what, const std::string& text) {
  const bool clean =
      text != "." && text != ".." && text.find_first_of(std::string_view("/%\0", 3)) == std::string::npos;
  if (clean) return {};
  return BadRequestError(std::string(what) + " parameter invalid: " + internal::Quoted(text));
}

}  // namespace

Result<std::string> QueryKey(const StorageOptions& options, const std::string& namespace_name,
                             const std::string& name) {
  if (Result<void> checked = CheckSegment("Namespace", namespace_name); !checked) return std::move(checked).error();
  if (Result<void> checked = CheckSegment("Name", name); !checked) return std::move(checked).error();
  return options.prefix + (namespace_name.empty() ? "" : namespace_name + "/") + name;
}

Result<std::string> ObjectKey(const StorageOptions& options, const std::string& namespace_name,
                              const std::string& name) {
  if (name.empty()) return BadRequestError("Name parameter required");
  return QueryKey(options, namespace_name, name);
}

Result<Revision> ParseResourceVersion(const std::string& text) {
  if (text.empty()) return Revision{0};
  Revision revision = 0;
  const auto [stop, ec] = std::from_chars(text.data(), text.data() + text.size(), revision);
  const bool whole = stop == text.data() + text.size();
  if (ec != std::errc() || !whole || text.front() == '-') {
    const bool too_large = ec == std::errc::result_out_of_range && whole && text.front() != '-';
    const std::string shown = internal::Quoted(text);
    return InternalServerError("resourceVersion: Invalid value: " + shown + ": strconv.ParseUint: parsing " + shown +
                               (too_large ? ": value out of range" : ": invalid syntax"));
  }
  return revision;
}

Result<Revision> ParseListVersion(const std::string& text) {
  Result<Revision> revision = ParseResourceVersion(text);
  if (!revision) return BadRequestError("invalid resource version: " + revision.error().message);
  return revision;
}

Result<ListPlan> PlanList(const ListQuery& query, const std::string& key) {
  if (query.match != VersionMatch::kUnset) {
    if (query.resource_version.empty()) {
      return ForbiddenOptionError(kMatchField, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!query.continue_token.empty()) {
      return ForbiddenOptionError(kMatchField, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (query.match == VersionMatch::kExact && query.resource_version == "0") {
      return ForbiddenOptionError(kMatchField, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (query.limit < 0) return BadRequestError("limit must not be negative");
  if (!query.continue_token.empty()) {
    Result<ContinueToken> token = DecodeContinue(query.continue_token, key);
    if (!token) return std::move(token).error();
    if (!query.resource_version.empty() && query.resource_version != "0") {
      return BadRequestError("specifying resource version is not allowed when using continue");
    }
    return ListPlan{.exact = token->revision > 0 ? token->revision : 0, .start = std::move(token->start)};
  }
  const Result<Revision> revision = ParseListVersion(query.resource_version);
  if (!revision) return revision.error();
  // A limit makes a list exact at its version, but not the read of a single name.
  const bool exact = query.match == VersionMatch::kExact ||
                     (query.match == VersionMatch::kUnset && query.limit > 0 && *revision > 0 && query.name.empty());
  return ListPlan{.exact = exact ? *revision : 0, .not_older_than = *revision};
}

Result<void> CheckWatchOptions(const WatchQuery& query) {
  if (query.send_initial_events && query.match != VersionMatch::kNotOlderThan) {
    return ForbiddenOptionError(kMatchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (!query.send_initial_events && query.match != VersionMatch::kUnset) {
    return ForbiddenOptionError(kMatchField,
                                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  return {};
}

Result<WatchPlan> PlanWatch(const WatchQuery& query) {
  if (Result<void> good = CheckWatchOptions(query); !good) return std::move(good).error();
  const Result<Revision> revision = ParseResourceVersion(query.resource_version);
  if (!revision) return revision.error();
  return WatchPlan{.initial_events = query.send_initial_events.value_or(*revision == 0),
                   .revision = *revision,
                   .consistent = query.resource_version.empty()};
}

}  // namespace kinformer::apiserver
