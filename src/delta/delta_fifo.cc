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
  return delta.kind == Delta::Kind::kReplaceAll || delta.kind == Delta::Kind::kForget ||
         delta.kind == Delta::Kind::kResync;
}

std::size_t Weight(const Delta& delta) {
  return delta.kind == Delta::Kind::kReplaceAll ? std::max<std::size_t>(1, delta.objects.size()) : 1;
}

std::size_t BytesOf(const Delta& delta) {
  std::size_t bytes = sizeof(Delta);
  if (delta.object) bytes += delta.object->Json().size();
  for (const ObjectPtr& object : delta.objects) bytes += sizeof(ObjectPtr) + object->Json().size();
  return bytes;
}

}  // namespace

DeltaFifo::DeltaFifo(std::function<void()> on_ready, std::size_t max_bytes)
    : on_ready_(std::move(on_ready)), max_bytes_(max_bytes) {}

void DeltaFifo::Forget(int scope) {
  Delta forget{.kind = Delta::Kind::kForget, .scope = scope};
  Push(std::span(&forget, 1));
}

void DeltaFifo::Resync() {
  Delta resync{.kind = Delta::Kind::kResync};
  Push(std::span(&resync, 1));
}

void DeltaFifo::Push(std::span<Delta> deltas) {
  bool was_empty = false;
  for (Delta& delta : deltas) delta.bytes = BytesOf(delta);
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    was_empty = queue_.empty();
    for (Delta& delta : deltas) {
      if (delta.kind == Delta::Kind::kResync) {
        if (resync_queued_) continue;
        resync_queued_ = true;
      }
      depth_ += Weight(delta);
      bytes_ += delta.bytes;
      queue_.push_back(std::move(delta));
    }
    if (bytes_ > max_bytes_) full_ = true;
    was_empty = was_empty && !queue_.empty();
  }
  if (was_empty && on_ready_) on_ready_();
}

Delta DeltaFifo::PopFront() {
  Delta delta = std::move(queue_.front());
  queue_.pop_front();
  depth_ -= Weight(delta);
  bytes_ -= delta.bytes;
  if (delta.kind == Delta::Kind::kResync) resync_queued_ = false;
  return delta;
}

std::vector<Delta> DeltaFifo::TakeBatch(std::size_t max) {
  max = std::max<std::size_t>(1, max);
  std::vector<Delta> batch;
  std::unordered_set<KeyView, KeyViewHash> keys;
  std::map<int, std::function<void()>> resumes;
  MutexLock lock(mutex_);
  while (!queue_.empty() && batch.size() < max) {
    const Delta& next = queue_.front();
    if (StandsAlone(next) && !batch.empty()) break;
    if (next.object && !keys.insert({next.object->Namespace(), next.object->Name()}).second) break;
    batch.push_back(PopFront());
    const Delta& taken = batch.back();
    if (StandsAlone(taken) || taken.kind == Delta::Kind::kBookmark) break;
  }
  // A deque keeps its block map after a burst; swapping in a new one frees it.
  if (queue_.empty()) std::deque<Delta>().swap(queue_);
  if (full_ && bytes_ <= max_bytes_ / 2) {
    full_ = false;
    resumes.swap(resumes_);
  }
  lock.Unlock();
  for (const auto& [scope, resume] : resumes) resume();
  return batch;
}

std::size_t DeltaFifo::Depth() const {
  const MutexLock lock(mutex_);
  return depth_;
}

std::size_t DeltaFifo::Bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

void DeltaFifo::NotifyWhenNotFull(std::function<void()> resume) { NotifyWhenNotFull(0, std::move(resume)); }

void DeltaFifo::NotifyWhenNotFull(int scope, std::function<void()> resume) {
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    if (full_) {
      resumes_[scope].swap(resume);  // The replaced one is destroyed after the lock is released.
      return;
    }
  }
  resume();
}

void DeltaFifo::Close() {
  std::map<int, std::function<void()>> resumes;
  std::deque<Delta> dropped;  // destroyed after the lock is released: it may hold a whole cluster
  const MutexLock lock(mutex_);
  closed_ = true;
  dropped.swap(queue_);
  resumes.swap(resumes_);
  depth_ = 0;
  bytes_ = 0;
  resync_queued_ = false;
}

void DeltaScope::Put(Delta delta) {
  delta.scope = scope_;
  if (batching_) {
    batch_.push_back(std::move(delta));
  } else {
    fifo_.Push(std::span(&delta, 1));
  }
}

void DeltaScope::EndBatch() {
  batching_ = false;
  if (batch_.empty()) return;
  fifo_.Push(batch_);
  batch_.clear();
}

}  // namespace kinformer::internal
