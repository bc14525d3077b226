#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_QUERY_RULES_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_QUERY_RULES_H_

// In:     a client's options: resourceVersion, match, limit, continue, sendInitialEvents
// Out:    their meaning, or the error
// Thread: any; pure
// Next:   UndecoratedStorage and the Cacher

#include <string>

#include <kinformer/base/result.h>

#include "src/listwatch/storage/backend.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// The key of one object, <prefix><namespace>/<name>. 400 for names that are not a valid path segment.
Result<std::string> ObjectKey(const StorageOptions& options, const std::string& namespace_name,
                              const std::string& name);
/// The scope of a list or watch: a prefix that ends in '/', or the key of one object.
Result<std::string> QueryKey(const StorageOptions& options, const std::string& namespace_name, const std::string& name);

/// A decimal number; "" is 0. 500 for anything else, as kube-apiserver answers for get and watch.
Result<Revision> ParseResourceVersion(const std::string& text);
/// The same for lists: 400.
Result<Revision> ParseListVersion(const std::string& text);

/// How to read a list from a backend.
struct ListPlan {
  /// Read at exactly this revision; zero: at the current one.
  Revision exact = 0;
  /// The list must be at least as new as this.
  Revision not_older_than = 0;
  /// The key to continue from.
  std::string start{};
};
/// 422 for a match that is invalid with the version, 400 for a bad version or continue token. `key`: from QueryKey.
Result<ListPlan> PlanList(const ListQuery& query, const std::string& key);

struct WatchPlan {
  /// First send all current objects as ADDED.
  bool initial_events = false;
  /// With initial events: they must be at least as new as this. Without: send the changes after it. Zero: now.
  Revision revision = 0;
  /// No version was given: initial events must be the backend's current state.
  bool consistent = false;
};
/// 422 for a match that is invalid with sendInitialEvents, 500 for a bad version.
Result<WatchPlan> PlanWatch(const WatchQuery& query);
/// 422 for options of a watch that exclude each other. Part of PlanWatch.
Result<void> CheckWatchOptions(const WatchQuery& query);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_QUERY_RULES_H_
