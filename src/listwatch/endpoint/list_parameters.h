#ifndef KINFORMER_SRC_LISTWATCH_ENDPOINT_LIST_PARAMETERS_H_
#define KINFORMER_SRC_LISTWATCH_ENDPOINT_LIST_PARAMETERS_H_

// In:     the decoded query of a list or watch
// Out:    the same with defaults, or 422
// Thread: any; pure
// Next:   ListResource

#include <cstdint>
#include <optional>
#include <string>

#include <kinformer/base/result.h>
#include <kinformer/meta/selector.h>

namespace kinformer::apiserver {

/// The query parameters of a list or watch; Kubernetes' ListOptions.
struct ListParameters {
  bool watch = false;
  LabelSelector label_selector{};
  FieldSelector field_selector{};
  std::string resource_version{};
  /// "Exact", "NotOlderThan" or empty.
  std::string resource_version_match{};
  /// Zero or negative: none.
  std::int64_t limit = 0;
  std::string continue_token{};
  std::optional<bool> send_initial_events{};
  bool allow_watch_bookmarks = false;
  /// See WatchDeadline.
  std::int64_t timeout_seconds = 0;
};

/// A watch from the beginning (resourceVersion empty or "0") starts with the current objects, unless it says otherwise.
void SetListDefaults(ListParameters& parameters);

/// 422 with a cause for each combination that kube-apiserver rejects. After SetListDefaults.
Result<void> ValidateListParameters(const ListParameters& parameters);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_ENDPOINT_LIST_PARAMETERS_H_
