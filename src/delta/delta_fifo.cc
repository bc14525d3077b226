#include "src/delta/delta_fifo.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace kinformer::internal {
namespace {

// Views into an object that the batch itself keeps alive.
struct KeyView {
  std::string_view namespace_name;
  std::string_view name;
  bool operator==(const KeyView&) const = default;
};

struct KeyViewHash {
  std::size_t operator()(const KeyView& key) const noexcept {
    const std::hash<std::string_view> hash;
    return hash(key.namespace_name) * 31 + hash(key.name);
  }
};

bool StandsAlone(const Delta& delta) {
  return delta.kind == Delta::Kind::kReplaceAll || delta.kind == Delta::Kind::kResync;
}

std::size_t Weight(const Delta& delta) {
  return delta.kind == Delta::Kind::kReplaceAll ? std::max<std::size_t>(1, delta.objects.size()) : 1;
}

// Whether applying it makes the store a copy of something the server said.
bool Syncs(const Delta& delta) { return delta.kind != Delta::Kind::kBookmark && delta.kind != Delta::Kind::kResync; }

}  // namespace

DeltaFifo::DeltaFifo(std::function<void()> on_ready) : on_ready_(std::move(on_ready)) {}

void DeltaFifo::Add(ObjectPtr object) { Push({.kind = Delta::Kind::kAdd, .object = std::move(object)}); }

void DeltaFifo::Update(ObjectPtr object) { Push({.kind = Delta::Kind::kUpdate, .object = std::move(object)}); }

void DeltaFifo::Delete(ObjectPtr object) { Push({.kind = Delta::Kind::kDelete, .object = std::move(object)}); }

void DeltaFifo::Replace(std::vector<ObjectPtr> objects, std::string resource_version) {
  Push({.kind = Delta::Kind::kReplaceAll,
        .objects = std::move(objects),
        .resource_version = std::move(resource_version)});
}

void DeltaFifo::Bookmark(std::string resource_version) {
  Push({.kind = Delta::Kind::kBookmark, .resource_version = std::move(resource_version)});
}

void DeltaFifo::Resync() { Push({.kind = Delta::Kind::kResync}); }

void DeltaFifo::Push(Delta delta) {
  bool was_empty = false;
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    if (delta.kind == Delta::Kind::kResync) {
      if (resync_queued_) return;
      resync_queued_ = true;
    }
    was_empty = queue_.empty();
    depth_ += Weight(delta);
    queue_.push_back(std::move(delta));
  }
  if (was_empty && on_ready_) on_ready_();
}

Delta DeltaFifo::PopFront() {
  Delta delta = std::move(queue_.front());
  queue_.pop_front();
  depth_ -= Weight(delta);
  if (delta.kind == Delta::Kind::kResync) resync_queued_ = false;
  return delta;
}

std::vector<Delta> DeltaFifo::TakeBatch(std::size_t max) {
  max = std::max<std::size_t>(1, max);
  std::vector<Delta> batch;
  std::unordered_set<KeyView, KeyViewHash> keys;
  const MutexLock lock(mutex_);
  taken_batch_syncs_ = false;
  while (!queue_.empty() && batch.size() < max) {
    const Delta& next = queue_.front();
    if (StandsAlone(next) && !batch.empty()) break;
    if (next.object && !keys.insert({next.object->Namespace(), next.object->Name()}).second) break;
    batch.push_back(PopFront());
    const Delta& taken = batch.back();
    taken_batch_syncs_ = taken_batch_syncs_ || Syncs(taken);
    if (StandsAlone(taken) || taken.kind == Delta::Kind::kBookmark) break;
  }
  // A deque keeps the table of its blocks after a burst; an empty one of its own does not.
  if (queue_.empty()) std::deque<Delta>().swap(queue_);
  return batch;
}

void DeltaFifo::BatchDone() {
  const MutexLock lock(mutex_);
  synced_ = synced_ || taken_batch_syncs_;
  taken_batch_syncs_ = false;
}

bool DeltaFifo::HasSynced() const {
  const MutexLock lock(mutex_);
  return synced_;
}

std::size_t DeltaFifo::Depth() const {
  const MutexLock lock(mutex_);
  return depth_;
}

void DeltaFifo::Close() {
  std::deque<Delta> dropped;  // destroyed after the lock is gone: it may hold a whole cluster
  const MutexLock lock(mutex_);
  closed_ = true;
  dropped.swap(queue_);
  depth_ = 0;
  resync_queued_ = false;
}

}  // namespace kinformer::internal
