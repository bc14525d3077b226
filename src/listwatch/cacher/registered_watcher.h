#ifndef KINFORMER_SRC_LISTWATCH_CACHER_REGISTERED_WATCHER_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_REGISTERED_WATCHER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/meta/names.h>

#include "src/listwatch/cacher/cache_watcher.h"
#include "src/listwatch/cacher/watcher_filter.h"

namespace kinformer::apiserver {

/// Where a WatcherIndex keeps a watcher.
struct WatcherIndexKey {
  /// Index and value of the trigger field, if the watcher is indexed by one; otherwise `scope` is used.
  std::optional<std::size_t> trigger{};
  std::string value{};
  NamespacedName scope{};
};

/// A watcher of the Dispatcher, and its place in each part of it. Guarded by the Dispatcher's lock; its address is
/// stable.
struct RegisteredWatcher {
  using Times = std::multimap<TimePoint, RegisteredWatcher*>;

  std::shared_ptr<CacheWatcher> watcher{};
  WatcherIndexKey key{};
  /// Events of the current batch.
  std::vector<WatchItem> staged{};
  bool blocked = false;  ///< In SlowWatchers.
  std::optional<Times::iterator> bookmark{};
  std::optional<Times::iterator> deadline{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_REGISTERED_WATCHER_H_
