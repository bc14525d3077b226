#ifndef KINFORMER_BASE_BACKOFF_H_
#define KINFORMER_BASE_BACKOFF_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include <kinformer/base/clock.h>

namespace kinformer {

/// client-go's numbers for a reflector: 800 ms, doubled up to 30 s, each delay stretched by up to its own length, and
/// forgotten after two quiet minutes.
struct BackoffOptions {
  Duration initial = std::chrono::milliseconds(800);
  double factor = 2.0;
  Duration cap = std::chrono::seconds(30);
  /// Each delay is multiplied by a random number in [1, 1 + jitter).
  double jitter = 1.0;
  /// Without a call for this long, the next delay is the initial one again. Zero: never.
  Duration reset_after = std::chrono::minutes(2);
};

/// How long to wait before the next try. Pure: it is told the time and never waits itself.
///
/// @par Thread Safety
/// None; it belongs to one task.
class Backoff {
 public:
  /// `seed` fixes the jitter for tests.
  explicit Backoff(BackoffOptions options, std::uint64_t seed = std::random_device{}());

  Duration Next(TimePoint now);
  void Reset() { step_.reset(); }

 private:
  BackoffOptions options_;
  std::mt19937_64 random_;
  std::optional<Duration> step_;
  TimePoint last_call_{};
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_BACKOFF_H_
