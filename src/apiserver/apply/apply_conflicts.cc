#include "src/apiserver/apply/apply_conflicts.h"

#include <algorithm>

#include "src/meta/go_quoted.h"

namespace kinformer::apiserver {
namespace {

std::string Named(const ManagedEntry& entry) {
  std::string out = internal::GoQuoted(entry.manager);
  if (!entry.subresource.empty()) out += " with subresource " + internal::GoQuoted(entry.subresource);
  if (!entry.applied) out += " using " + entry.api_version;
  return out;
}

}  // namespace

Conflicts Conflicts::Without(const FieldSet& fields) const {
  Conflicts rest;
  for (const auto& [entry, set] : of) {
    FieldSet left = set.Difference(fields);
    if (!left.Empty()) rest.of.emplace_back(entry, std::move(left));
  }
  return rest;
}

Error Conflicts::ToError() const {
  std::vector<std::pair<ManagedEntry, FieldSet>> sorted = of;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first.Identity() < b.first.Identity(); });
  Error error{.code = ErrorCode::kServer, .http_status = 409, .reason = "Conflict"};
  std::string all;
  for (const auto& [entry, set] : sorted) {
    const std::string who = Named(entry);
    all += (all.empty() ? "" : "\n") + ("conflicts with " + who) + ":";
    set.ForEach([&, who = who](const FieldPath& path) {
      const std::string field = ToString(path);
      all += "\n- " + field;
      error.details.causes.push_back(
          {.reason = "FieldManagerConflict", .message = "conflict with " + who, .field = field});
    });
  }
  const std::vector<ErrorCause>& causes = error.details.causes;
  if (causes.size() == 1) {
    error.message = "Apply failed with 1 conflict: " + causes.front().message + ": " + causes.front().field;
  } else {
    error.message = "Apply failed with " + std::to_string(causes.size()) + " conflicts: " + all;
  }
  return error;
}

}  // namespace kinformer::apiserver
