#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_RETRY_SCHEDULE_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_RETRY_SCHEDULE_H_

// In:     keys whose work failed or is unfinished, and the time
// Out:    the keys to retry
// Thread: its owner's
// Next:   GarbageCollector, NamespaceCleaner, CrdManager

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>

namespace kinformer::apiserver {

struct RetryScheduleOptions {
  /// Delay after the first failure; doubled with each further one.
  Duration initial = std::chrono::milliseconds(100);
  Duration cap = std::chrono::seconds(10);
};

/// Exponential back-off per key. Has no clock: callers pass the time.
///
/// Not thread-safe; use from one thread.
class RetrySchedule {
 public:
  explicit RetrySchedule(RetryScheduleOptions options = {}) : options_(options) {}

  /// The work failed: schedules a retry with back-off.
  void Fail(const std::string& key, TimePoint now);
  /// The work is unfinished: retries after `initial`. Resets the failure count.
  void Later(const std::string& key, TimePoint now);
  /// The work is done or no longer needed.
  void Forget(const std::string& key) { entries_.erase(key); }
  /// The keys that are due. Their failure counts are kept until Forget.
  std::vector<std::string> TakeDue(TimePoint now);
  /// When the next key is due; nullopt: none is scheduled.
  std::optional<TimePoint> Next() const;

 private:
  struct Entry {
    std::uint32_t failures = 0;
    std::optional<TimePoint> when{};
  };

  const RetryScheduleOptions options_;
  std::map<std::string, Entry> entries_;
};

/// The earlier of two times; an unset one is ignored.
std::optional<TimePoint> Earlier(std::optional<TimePoint> a, std::optional<TimePoint> b);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_RETRY_SCHEDULE_H_
