#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_COMPACTION_SCHEDULE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_COMPACTION_SCHEDULE_H_

#include <algorithm>
#include <chrono>
#include <utility>

#include <kinformer/base/clock.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

/// When to compact, and to which revision: every interval, to the revision of one interval ago.
class CompactionSchedule {
 public:
  /// Zero: never.
  CompactionSchedule(std::chrono::milliseconds interval, TimePoint now)
      : interval_(interval), next_(interval > std::chrono::milliseconds(0) ? now + interval : TimePoint::max()) {}

  TimePoint Next() const { return next_; }
  bool Due(TimePoint now) const { return now >= next_; }
  /// When due: the revision to compact to, and schedules the next. `revision`: the current one, which may be less than
  /// before if the storage was wiped.
  Revision Take(TimePoint now, Revision revision) {
    next_ = now + interval_;
    return std::min(std::exchange(seen_, revision), revision);
  }

 private:
  const std::chrono::milliseconds interval_;
  TimePoint next_;
  Revision seen_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_COMPACTION_SCHEDULE_H_
