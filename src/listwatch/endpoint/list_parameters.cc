#include "src/listwatch/endpoint/list_parameters.h"

#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/error.h>

#include "src/listwatch/storage/storage_errors.h"
#include "src/meta/go_quoted.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kNotOlderThan = "NotOlderThan";

ErrorCause ForbiddenParameter(std::string field, std::string_view why) {
  return {.reason = "FieldValueForbidden", .message = "Forbidden: " + std::string(why), .field = std::move(field)};
}

ErrorCause ForbiddenMatch(std::string_view why) { return ForbiddenParameter("resourceVersionMatch", why); }

ErrorCause UnsupportedMatch(const std::string& match, std::string_view supported) {
  return {
      .reason = "FieldValueNotSupported",
      .message = "Unsupported value: " + internal::GoQuoted(match) + ": supported values: " + std::string(supported),
      .field = "resourceVersionMatch"};
}

std::vector<ErrorCause> CheckList(const ListParameters& parameters) {
  const std::string& match = parameters.resource_version_match;
  std::vector<ErrorCause> causes;
  if (!match.empty()) {
    if (parameters.resource_version.empty()) {
      causes.push_back(ForbiddenMatch("resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!parameters.continue_token.empty()) {
      causes.push_back(ForbiddenMatch("resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != "Exact" && match != kNotOlderThan) {
      causes.push_back(UnsupportedMatch(match, R"("Exact", "NotOlderThan", "")"));
    }
    if (match == "Exact" && parameters.resource_version == "0") {
      causes.push_back(ForbiddenMatch("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (parameters.send_initial_events) {
    causes.push_back(ForbiddenParameter("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return causes;
}

std::vector<ErrorCause> CheckWatch(const ListParameters& parameters) {
  const std::string& match = parameters.resource_version_match;
  std::vector<ErrorCause> causes;
  if (parameters.send_initial_events && match != kNotOlderThan) {
    causes.push_back(ForbiddenMatch("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (!match.empty()) {
    if (!parameters.send_initial_events) {
      causes.push_back(
          ForbiddenMatch("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (match != kNotOlderThan) causes.push_back(UnsupportedMatch(match, "\"NotOlderThan\""));
    if (!parameters.continue_token.empty()) {
      causes.push_back(ForbiddenMatch("resourceVersionMatch is forbidden when continue is provided"));
    }
  }
  return causes;
}

}  // namespace

void SetListDefaults(ListParameters& parameters) {
  if (!parameters.watch || parameters.send_initial_events || !parameters.resource_version_match.empty()) return;
  if (!parameters.resource_version.empty() && parameters.resource_version != "0") return;
  parameters.send_initial_events = true;
  parameters.resource_version_match = kNotOlderThan;
}

Result<void> ValidateListParameters(const ListParameters& parameters) {
  std::vector<ErrorCause> causes = parameters.watch ? CheckWatch(parameters) : CheckList(parameters);
  if (causes.empty()) return {};
  return InvalidError({"meta.k8s.io", "", "ListOptions"}, "", std::move(causes));
}

}  // namespace kinformer::apiserver
