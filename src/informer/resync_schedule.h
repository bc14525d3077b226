#ifndef KINFORMER_SRC_INFORMER_RESYNC_SCHEDULE_H_
#define KINFORMER_SRC_INFORMER_RESYNC_SCHEDULE_H_

#include <optional>

#include <kinformer/base/clock.h>

namespace kinformer::internal {

/// Decides when a timer for the next resync must be armed. Timers cannot be cancelled: one that is armed for an earlier
/// time also serves a later one.
///
/// @par Thread Safety
/// None: used on the informer's cache queue only.
class ResyncSchedule {
 public:
  /// Resyncs begin once the handlers have the first list.
  void Begin() { begun_ = true; }
  /// `next`: when the next resync is due, if ever. Returns the time of a new timer, if one must be armed.
  std::optional<TimePoint> Arm(std::optional<TimePoint> next) {
    if (!begun_ || !next || (armed_ && *armed_ <= *next)) return std::nullopt;
    armed_ = next;
    return next;
  }
  /// A timer fired: Arm has to be called again.
  void Fired() { armed_.reset(); }

 private:
  bool begun_ = false;
  std::optional<TimePoint> armed_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_RESYNC_SCHEDULE_H_
