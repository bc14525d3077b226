#include "src/listwatch/cacher/watcher_index.h"

#include <algorithm>

namespace kinformer::apiserver {
namespace {

// kube-apiserver's values: a channel holds one second's worth of events, estimated from the ring's capacity and window.
constexpr std::size_t kSecondsInRing = 75;
constexpr std::size_t kMinChannel = 10;
constexpr std::size_t kMaxTriggeredChannel = 10;
constexpr std::size_t kMaxUntriggeredChannel = 1000;
constexpr std::size_t kMaxUnindexedChannel = 100;
/// kube-apiserver's watchers have two channels: input and result.
constexpr std::size_t kChannels = 2;

}  // namespace

std::optional<std::pair<std::size_t, std::string>> WatcherIndex::TriggerOf(const SelectionPredicate& predicate) const {
  for (std::size_t i = 0; i < storage_->trigger_fields.size(); ++i) {
    if (auto value = predicate.fields.RequiresExactMatch(storage_->trigger_fields[i])) {
      return std::pair(i, *std::move(value));
    }
  }
  return std::nullopt;
}

WatcherIndexKey WatcherIndex::KeyOf(const WatcherFilter& filter) const {
  WatcherIndexKey key{.scope = {filter.namespace_name, filter.name}};
  if (auto trigger = TriggerOf(filter.matcher->predicate())) {
    key.trigger = trigger->first;
    key.value = std::move(trigger->second);
  }
  return key;
}

WatcherIndex::Bucket& WatcherIndex::BucketOf(const WatcherIndexKey& key) {
  if (key.trigger) return by_value_[*key.trigger][key.value];
  if (key.scope == NamespacedName{}) return everywhere_;
  return by_scope_[key.scope];
}

void WatcherIndex::Remove(RegisteredWatcher& registered) {
  const WatcherIndexKey& key = registered.key;
  Bucket& bucket = BucketOf(key);
  std::erase(bucket, &registered);
  if (!bucket.empty()) return;
  if (key.trigger) {
    by_value_[*key.trigger].erase(key.value);
  } else if (key.scope != NamespacedName{}) {
    by_scope_.erase(key.scope);
  }
}

void WatcherIndex::Clear() {
  for (ValueBuckets& buckets : by_value_) buckets.clear();
  by_scope_.clear();
  everywhere_.clear();
}

std::size_t WatcherBufferSize(std::optional<bool> triggered, std::size_t ring_capacity) {
  std::size_t most = kMaxUnindexedChannel;
  if (triggered) most = *triggered ? kMaxTriggeredChannel : kMaxUntriggeredChannel;
  const std::size_t per_second = (ring_capacity + kSecondsInRing - 1) / kSecondsInRing;
  return kChannels * std::clamp(per_second, kMinChannel, most);
}

}  // namespace kinformer::apiserver
