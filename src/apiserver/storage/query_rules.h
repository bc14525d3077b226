#ifndef KINFORMER_SRC_APISERVER_STORAGE_QUERY_RULES_H_
#define KINFORMER_SRC_APISERVER_STORAGE_QUERY_RULES_H_

// In:     what a client asks for: resourceVersion, match, limit, continue, sendInitialEvents
// Out:    what that means, or why it means nothing
// Thread: any; pure
// Next:   UndecoratedStorage and the Cacher

#include <string>

#include <kinformer/base/result.h>

#include "src/apiserver/storage/backend.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// The key of one object, <prefix><namespace>/<name>. 400 for names that are no segment of a path.
Result<std::string> ObjectKey(const StorageOptions& options, const std::string& namespace_name,
                              const std::string& name);
/// What a list or watch is about: a prefix that ends in '/', or one object's key.
Result<std::string> QueryKey(const StorageOptions& options, const std::string& namespace_name, const std::string& name);

/// A decimal number; "" is 0. 500 for anything else, as a real server has it of a get and of a watch.
Result<Revision> ParseResourceVersion(const std::string& text);
/// The same of a list: 400.
Result<Revision> ParseListVersion(const std::string& text);

/// How a list is to be read from a backend.
struct ListPlan {
  /// As of exactly this one; zero: as of now.
  Revision exact = 0;
  /// The list must not be older than this.
  Revision not_older_than = 0;
  /// Go on from this key.
  std::string start{};
};
/// 422 for a match that does not go with the version, 400 for a bad version or continue token. `key`: QueryKey's.
Result<ListPlan> PlanList(const ListQuery& query, const std::string& key);

struct WatchPlan {
  /// First everything that is there, as ADDED.
  bool initial_events = false;
  /// What is there must not be older than this; without initial events: tell what is after it. Zero: now.
  Revision revision = 0;
  /// No version was named at all: what is there must be what the backend has now.
  bool consistent = false;
};
/// 422 for a match that does not go with sendInitialEvents, 500 for a bad version.
Result<WatchPlan> PlanWatch(const WatchQuery& query);
/// Whether what a watch asks for goes together; 422 otherwise. Part of PlanWatch.
Result<void> CheckWatchOptions(const WatchQuery& query);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_QUERY_RULES_H_
