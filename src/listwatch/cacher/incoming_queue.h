#ifndef KINFORMER_SRC_LISTWATCH_CACHER_INCOMING_QUEUE_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_INCOMING_QUEUE_H_

// In:     every event of the cache, in order
// Out:    batches, and when to dispatch the next one
// Thread: any; it has its own lock, so that producers do not wait for a batch in progress
// Next:   Dispatcher

#include <cstddef>
#include <deque>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"
#include "src/listwatch/cacher/cache_event.h"

namespace kinformer::apiserver {

struct IncomingEvent {
  /// Null: progress only.
  CacheEventPtr event{};
  Revision revision = 0;
};

class IncomingQueue {
 public:
  /// Maximum number of events per batch.
  static constexpr std::size_t kBatch = 100;

  explicit IncomingQueue(std::size_t bound) : bound_(bound) {}

  struct Pushed {
    /// The caller must schedule a batch, not before that time.
    bool schedule = false;
    TimePoint not_before{};
    /// The caller must dispatch a batch itself.
    bool full = false;
  };
  Pushed Push(IncomingEvent incoming);
  /// Replaces `batch` by the next events. True if there are more.
  bool TakeBatch(std::vector<IncomingEvent>& batch);
  /// The batch has been dispatched; the next is not scheduled before that time. True if the caller must schedule it.
  /// `more`: the result of TakeBatch.
  bool EndBatch(TimePoint not_before, bool more);
  void Clear();

  std::size_t size() const;
  std::size_t high_water_mark() const;

 private:
  const std::size_t bound_;
  mutable Mutex mutex_;
  std::deque<IncomingEvent> queue_ KINFORMER_GUARDED_BY(mutex_);
  bool scheduled_ KINFORMER_GUARDED_BY(mutex_) = false;
  TimePoint not_before_ KINFORMER_GUARDED_BY(mutex_){};
  std::size_t high_water_mark_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

/// The pause after a batch to that many watchers, so that further events coalesce. Zero for few watchers: they get each
/// event at once. At most 50 ms.
Duration PauseAfterBatch(Duration cost_per_watcher, std::size_t watchers);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_INCOMING_QUEUE_H_
