#ifndef KINFORMER_SRC_DELTA_DELTA_FIFO_H_
#define KINFORMER_SRC_DELTA_DELTA_FIFO_H_

// In:     what a Reflector saw, in the server's order
// Out:    batches of deltas, in that order
// Thread: written by the Reflector's task, read by the informer's
// Next:   the informer applies a batch to its Indexer, then tells the SharedProcessor

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <kinformer/base/mutex.h>
#include <kinformer/codec/object.h>
#include <kinformer/reflector/reflector_target.h>

namespace kinformer::internal {

struct Delta {
  enum class Kind { kAdd, kUpdate, kDelete, kReplaceAll, kResync, kBookmark };
  Kind kind = Kind::kAdd;
  ObjectPtr object{};                ///< kAdd, kUpdate, kDelete
  std::vector<ObjectPtr> objects{};  ///< kReplaceAll
  std::string resource_version{};    ///< kReplaceAll, kBookmark
};

/// A queue that never reorders and never merges; a Replace and a resync are one entry each, so that the store is
/// replaced before anybody is told.
class DeltaFifo final : public ReflectorTarget {
 public:
  /// `on_ready` is called, on the writer's thread, when there is something to take after there was nothing.
  explicit DeltaFifo(std::function<void()> on_ready);

  void Add(ObjectPtr object) override;
  void Update(ObjectPtr object) override;
  void Delete(ObjectPtr object) override;
  void Replace(std::vector<ObjectPtr> objects, std::string resource_version) override;
  void Bookmark(std::string resource_version) override;
  /// Shows every object again. Nothing if one is queued already.
  void Resync();

  /// The next deltas that make one transaction: a kReplaceAll or kResync alone; else up to `max` that concern different
  /// objects, with at most one bookmark, at the end. Empty if there is nothing.
  std::vector<Delta> TakeBatch(std::size_t max = 1000);
  /// The last batch taken has been applied and its notifications have been queued.
  void BatchDone();
  /// The first Replace has been applied (or something else came before any).
  bool HasSynced() const;
  /// Entries that wait, a Replace counted by its objects.
  std::size_t Depth() const;
  /// Forgets what waits, takes nothing more.
  void Close();

 private:
  void Push(Delta delta);

  const std::function<void()> on_ready_;
  mutable Mutex mutex_;
  std::deque<Delta> queue_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_DELTA_DELTA_FIFO_H_
