#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_EXPIRY_QUEUE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_EXPIRY_QUEUE_H_

// In:     records with a time to live
// Out:    the one that expires next
// Thread: none; guarded by the MemoryBackend
// Next:   MemoryBackend, which deletes it

#include <map>
#include <utility>

#include <kinformer/base/clock.h>

#include "src/listwatch/storage/mvcc_log.h"

namespace kinformer::apiserver {

class ExpiryQueue {
 public:
  static constexpr TimePoint kNever = TimePoint::max();

  bool empty() const { return queue_.empty(); }
  /// When the next record expires; kNever if none does.
  TimePoint Next() const { return queue_.empty() ? kNever : queue_.begin()->first.first; }
  /// The record that expires next. Requires !empty().
  MvccLog::Position Front() const { return queue_.begin()->second; }

  /// Sets when the current version of the record expires. True if it is now the next.
  bool Set(MvccLog::Position at, TimePoint expires) {
    MvccLog::Record& record = at->second;
    record.expires = expires;
    const auto added = queue_.emplace(std::pair(expires, record.now.mod_revision), at).first;
    return added == queue_.begin();
  }
  /// The record does not expire any more. Call it before the record gets its next version.
  void Cancel(MvccLog::Position at) {
    MvccLog::Record& record = at->second;
    if (record.expires == kNever) return;
    queue_.erase({record.expires, record.now.mod_revision});
    record.expires = kNever;
  }
  void Clear() { queue_.clear(); }

 private:
  /// The revision makes keys unique.
  std::map<std::pair<TimePoint, Revision>, MvccLog::Position> queue_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_EXPIRY_QUEUE_H_
