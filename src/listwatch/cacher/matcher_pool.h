#ifndef KINFORMER_SRC_LISTWATCH_CACHER_MATCHER_POOL_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_MATCHER_POOL_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/base/mutex.h"
#include "src/listwatch/cacher/watcher_filter.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// The Matchers in use: equal predicates share one.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class MatcherPool {
 public:
  explicit MatcherPool(std::shared_ptr<const StorageOptions> storage) : storage_(std::move(storage)) {}

  std::shared_ptr<Matcher> Get(const SelectionPredicate& predicate) {
    // Neither string can contain a line feed.
    std::string key = ToString(predicate.labels) + "\n" + ToString(predicate.fields);
    const MutexLock lock(mutex_);
    std::weak_ptr<Matcher>& known = matchers_[std::move(key)];
    std::shared_ptr<Matcher> matcher = known.lock();
    if (matcher != nullptr) return matcher;
    matcher = std::make_shared<Matcher>(predicate, storage_);
    known = matcher;
    if (matchers_.size() >= sweep_at_) {
      std::erase_if(matchers_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = std::max<std::size_t>(64, 2 * matchers_.size());
    }
    return matcher;
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return matchers_.size();
  }

 private:
  const std::shared_ptr<const StorageOptions> storage_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Matcher>> matchers_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t sweep_at_ KINFORMER_GUARDED_BY(mutex_) = 64;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_MATCHER_POOL_H_
