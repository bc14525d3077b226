#ifndef KINFORMER_SRC_DELTA_DELTA_FIFO_H_
#define KINFORMER_SRC_DELTA_DELTA_FIFO_H_

// In:     changes from a Reflector, in server order
// Out:    batches of deltas, in that order
// Thread: written by the Reflector's task, read by the informer's
// Next:   the informer applies a batch to its Indexer, then notifies the SharedProcessor

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/base/mutex.h"
#include "src/reflector/delta.h"
#include "src/reflector/reflector_target.h"

namespace kinformer::internal {

/// A queue that never reorders and never merges. A Replace and a resync are one entry each, so that the store is
/// replaced before any handler is notified. Transforms have already run on queued objects.
///
/// Bounded: with more than `max_bytes` queued it is full, until the reader has taken half of that. A write is never
/// refused or delayed; writers are expected to stop when it is full (see ReflectorTarget::IsFull). The bound is
/// exceeded by at most the writes of one part per writer, or by one Replace.
///
/// Wake-up: `on_ready` is called only by a write that finds the queue empty, on the writer's thread and without the
/// lock. A woken reader must therefore take batches until it gets an empty one, or reschedule itself. No wake-up is
/// lost: taking and writing are mutually exclusive, so a write either precedes the reader's last take, which is then
/// not empty, or finds the queue empty and calls `on_ready`. Spurious wake-ups are possible: a running reader may
/// already have taken what the call announced.
///
/// @par Thread Safety
/// Writes: from any thread. TakeBatch: from one reader at a time. The rest: from any thread. If a write
/// is in progress, `on_ready` may still run once after Close returns: stop the writer first.
class DeltaFifo final : public ReflectorTarget {
 public:
  static constexpr std::size_t kDefaultMaxBytes = std::size_t{64} << 20;

  /// `on_ready` may call any function here; it must not throw.
  explicit DeltaFifo(std::function<void()> on_ready, std::size_t max_bytes = kDefaultMaxBytes);

  void Put(Delta delta) override { Push(std::span(&delta, 1)); }
  bool IsFull() const override { return full_; }
  void NotifyWhenNotFull(std::function<void()> resume) override;
  /// Queues a redelivery of every object. No-op if a resync is already queued.
  void Resync();
  /// Queues the removal of that writer's objects from the cache.
  void Forget(int scope);

  /// The next deltas that form one transaction: a single kReplaceAll, kForget or kResync, or up to `max` (at least one)
  /// deltas for different objects, with at most one bookmark, at the end. Empty if the queue is empty.
  std::vector<Delta> TakeBatch(std::size_t max = 1000);
  /// Queued entries; a Replace counts as its number of objects, at least one.
  std::size_t Depth() const;
  /// The size of the queued entries: their objects' text and a little for each.
  std::size_t Bytes() const;
  /// Discards queued entries and ignores further writes. Paused writers are not resumed.
  void Close();

 private:
  friend class DeltaScope;
  void Push(std::span<Delta> deltas);
  Delta PopFront() KINFORMER_REQUIRES(mutex_);
  void NotifyWhenNotFull(int scope, std::function<void()> resume);

  const std::function<void()> on_ready_;
  const std::size_t max_bytes_;
  mutable Mutex mutex_;
  std::deque<Delta> queue_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t depth_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  /// Written with the lock held.
  std::atomic<bool> full_ = false;
  /// Of paused writers, by scope.
  std::map<int, std::function<void()>> resumes_ KINFORMER_GUARDED_BY(mutex_);
  bool resync_queued_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
};

/// One of several writers to one queue, each responsible for a subset of the objects: the reflectors of a
/// multi-namespace informer. The queue must outlive it.
class DeltaScope final : public ReflectorTarget {
 public:
  DeltaScope(DeltaFifo& fifo, int scope) : fifo_(fifo), scope_(scope) {}

  void Put(Delta delta) override;
  bool IsFull() const override { return fifo_.IsFull(); }
  void NotifyWhenNotFull(std::function<void()> resume) override { fifo_.NotifyWhenNotFull(scope_, std::move(resume)); }
  void BeginBatch() override { batching_ = true; }
  void EndBatch() override;

 private:
  DeltaFifo& fifo_;
  const int scope_;
  bool batching_ = false;
  std::vector<Delta> batch_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_DELTA_DELTA_FIFO_H_
