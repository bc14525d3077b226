#ifndef KINFORMER_SRC_DELTA_DELTA_FIFO_H_
#define KINFORMER_SRC_DELTA_DELTA_FIFO_H_

// In:     what a Reflector saw, in the server's order
// Out:    batches of deltas, in that order
// Thread: written by the Reflector's task, read by the informer's
// Next:   the informer applies a batch to its Indexer, then tells the SharedProcessor

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <kinformer/base/mutex.h>
#include <kinformer/codec/object.h>
#include <kinformer/reflector/reflector_target.h>

namespace kinformer::internal {

struct Delta {
  /// kForget: its writer has ended for good, and what it brought is to go.
  enum class Kind { kAdd, kUpdate, kDelete, kReplaceAll, kForget, kResync, kBookmark };
  Kind kind = Kind::kAdd;
  /// Which of the writers it is from: see DeltaScope. A kReplaceAll replaces what that writer answers for.
  int scope = 0;
  ObjectPtr object{};                ///< kAdd, kUpdate, kDelete
  std::vector<ObjectPtr> objects{};  ///< kReplaceAll
  std::string resource_version{};    ///< kReplaceAll, kBookmark
};

/// A queue that never reorders and never merges; a Replace and a resync are one entry each, so that the store is
/// replaced before anybody is told. Objects are queued as they come: transforms have run already.
///
/// Waking the reader: `on_ready` is called, on the writer's thread and without the lock, by the write that finds the
/// queue empty, and by no other. A reader that is woken must therefore take until it gets an empty batch (or arrange
/// its own return). Then no wake-up is lost: taking and writing exclude each other, so a write either comes before the
/// reader's last look, which then is not empty, or finds the queue empty and calls. A call for what a reader that was
/// still running has taken meanwhile can come late; that reader finds nothing, which is harmless.
///
/// @par Thread Safety
/// Writes from any thread. TakeBatch and BatchDone from one reader at a time; the rest from any thread. `on_ready` may
/// run a last time while Close returns if a write is under way: stop the writer first.
class DeltaFifo final : public ReflectorTarget {
 public:
  /// `on_ready` may call any function here; it must not throw.
  explicit DeltaFifo(std::function<void()> on_ready);

  void Add(ObjectPtr object) override;
  void Update(ObjectPtr object) override;
  void Delete(ObjectPtr object) override;
  void Replace(std::vector<ObjectPtr> objects, std::string resource_version) override;
  void Bookmark(std::string resource_version) override;
  /// Shows every object again. Nothing if one is queued already.
  void Resync();

  /// The next deltas that make one transaction: a kReplaceAll, kForget or kResync alone; else up to `max` (at least
  /// one) that concern different objects, with at most one bookmark, at the end. Empty if there is nothing.
  std::vector<Delta> TakeBatch(std::size_t max = 1000);
  /// The last batch taken has been applied and its notifications have been queued. A batch for which this is not called
  /// before the next is taken counts as not applied.
  void BatchDone();
  /// The scope's first Replace has been applied, be it an empty one, or an event that came before any. Bookmarks and
  /// resyncs alone sync nothing. Stays true.
  bool HasSynced(int scope = 0) const;
  /// Entries that wait, a Replace counted by its objects (an empty one as one).
  std::size_t Depth() const;
  /// Forgets what waits, takes nothing more.
  void Close();

 private:
  friend class DeltaScope;
  void Push(std::span<Delta> deltas);
  Delta PopFront() KINFORMER_REQUIRES(mutex_);

  const std::function<void()> on_ready_;
  mutable Mutex mutex_;
  std::deque<Delta> queue_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t depth_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool resync_queued_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// Few: one a namespace.
  std::vector<int> synced_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<int> synced_by_batch_ KINFORMER_GUARDED_BY(mutex_);
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
};

/// One of several writers to one queue, each of which answers for a part of the objects: the reflectors of an informer
/// of several namespaces. The queue must outlive it.
class DeltaScope final : public ReflectorTarget {
 public:
  DeltaScope(DeltaFifo& fifo, int scope) : fifo_(fifo), scope_(scope) {}

  void Add(ObjectPtr object) override;
  void Update(ObjectPtr object) override;
  void Delete(ObjectPtr object) override;
  void Replace(std::vector<ObjectPtr> objects, std::string resource_version) override;
  void Bookmark(std::string resource_version) override;
  /// The last word of this writer.
  void Forget();
  void BeginBatch() override { batching_ = true; }
  void EndBatch() override;

 private:
  void Put(Delta delta);

  DeltaFifo& fifo_;
  const int scope_;
  bool batching_ = false;
  std::vector<Delta> batch_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_DELTA_DELTA_FIFO_H_
