#ifndef KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_INDEX_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_INDEX_H_

// In:     registered watchers; an event
// Out:    the watchers that the event may concern
// Thread: none; guarded by the Dispatcher
// Next:   Dispatcher, which evaluates their selectors

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/listwatch/cacher/cache_event.h"
#include "src/listwatch/cacher/registered_watcher.h"
#include "src/listwatch/storage/field_value.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Watchers by the value of a trigger field, else by namespace and name; the rest are candidates for every event.
class WatcherIndex {
 public:
  using Bucket = std::vector<RegisteredWatcher*>;

  explicit WatcherIndex(std::shared_ptr<const StorageOptions> storage)
      : storage_(std::move(storage)), by_value_(storage_->trigger_fields.size()) {}

  /// The key under which a watcher with this filter is kept. May be called without the lock.
  WatcherIndexKey KeyOf(const WatcherFilter& filter) const;
  /// Index and value of the trigger field that the predicate requires. May be called without the lock.
  std::optional<std::pair<std::size_t, std::string>> TriggerOf(const SelectionPredicate& predicate) const;

  void Add(RegisteredWatcher& registered) { BucketOf(registered.key).push_back(&registered); }
  void Remove(RegisteredWatcher& registered);
  void Clear();

  /// Calls visit(const Bucket&) for the buckets of the event's object, as it is and as it was. No watcher is in two of
  /// them.
  template <typename Visit>
  void ForCandidates(const CacheEvent& event, Visit visit) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using ValueBuckets = std::unordered_map<std::string, Bucket, TextHash, std::equal_to<>>;

  Bucket& BucketOf(const WatcherIndexKey& key);

  const std::shared_ptr<const StorageOptions> storage_;
  /// One map per trigger field.
  std::vector<ValueBuckets> by_value_;
  std::unordered_map<NamespacedName, Bucket> by_scope_;
  /// Watchers of all namespaces and names.
  Bucket everywhere_;
};

template <typename Visit>
void WatcherIndex::ForCandidates(const CacheEvent& event, Visit visit) const {
  const auto visit_found = [&](const auto& buckets, const auto& key) {
    if (const auto found = buckets.find(key); found != buckets.end()) visit(found->second);
  };
  for (std::size_t i = 0; i < by_value_.size(); ++i) {
    const ValueBuckets& buckets = by_value_[i];
    if (buckets.empty()) continue;
    const std::string& field = storage_->trigger_fields[i];
    const std::string now = FieldValue(*event.object, field, *storage_);
    visit_found(buckets, now);
    if (event.previous == nullptr) continue;
    const std::string before = FieldValue(*event.previous, field, *storage_);
    if (before != now) visit_found(buckets, before);
  }
  if (!by_scope_.empty()) {
    const std::string namespace_name(event.object->Namespace());
    const std::string name(event.object->Name());
    visit_found(by_scope_, NamespacedName{namespace_name, name});
    if (!namespace_name.empty()) {
      visit_found(by_scope_, NamespacedName{namespace_name, {}});
      visit_found(by_scope_, NamespacedName{{}, name});
    }
  }
  visit(everywhere_);
}

/// Buffer capacity of a watcher; kube-apiserver's values. `triggered`: it is indexed by a trigger field; nullopt: its
/// kind has none.
std::size_t WatcherBufferSize(std::optional<bool> triggered, std::size_t ring_capacity);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_INDEX_H_
