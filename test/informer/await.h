#ifndef KINFORMER_TEST_INFORMER_AWAIT_H_
#define KINFORMER_TEST_INFORMER_AWAIT_H_

#include <chrono>
#include <optional>

#include <kinformer/base/clock.h>
#include <kinformer/base/fake_clock.h>

#include "test/support/await.h"

namespace kinformer {

using testing_support::Await;

/// The clock's next deadline if it is less than a minute away. Later deadlines are time limits for a slow server.
inline std::optional<TimePoint> SoonDue(const FakeClock& clock) {
  const std::optional<TimePoint> next = clock.NextDeadline();
  return next && *next - clock.Now() < std::chrono::minutes(1) ? next : std::nullopt;
}
/// False if that time has already passed.
inline bool AdvanceTo(FakeClock& clock, TimePoint when) {
  const TimePoint now = clock.Now();
  if (when > now) clock.Advance(when - now);
  return when > now;
}
/// Waits for the next deadline within a minute and advances the clock to it, once.
inline bool AwaitAndAdvance(FakeClock& clock) {
  return Await([&] {
    const std::optional<TimePoint> due = SoonDue(clock);
    return due && AdvanceTo(clock, *due);
  });
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_AWAIT_H_
