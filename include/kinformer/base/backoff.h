#ifndef KINFORMER_BASE_BACKOFF_H_
#define KINFORMER_BASE_BACKOFF_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include <kinformer/base/clock.h>

namespace kinformer {

/// The defaults are those of client-go's reflector: 800 ms, doubling up to 30 s, 100 % jitter, reset after two minutes
/// without a call.
struct BackoffOptions {
  Duration initial = std::chrono::milliseconds(800);
  double factor = 2.0;
  Duration cap = std::chrono::seconds(30);
  /// Each delay is multiplied by a random number in [1, 1 + jitter).
  double jitter = 1.0;
  /// Without a call for this long, the next delay is the initial one again. Zero: never.
  Duration reset_after = std::chrono::minutes(2);
};

/// Computes retry delays: exponential backoff with jitter. It takes the time as an argument and never waits.
///
/// @par Thread Safety
/// None: use it from one thread at a time.
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
