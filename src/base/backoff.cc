#include <kinformer/base/backoff.h>

#include <algorithm>

namespace kinformer {

Backoff::Backoff(BackoffOptions options, std::uint64_t seed) : options_(options), random_(seed) {}

Duration Backoff::Next(TimePoint now) {
  if (step_ && options_.reset_after > Duration::zero() && now - last_call_ >= options_.reset_after) Reset();
  last_call_ = now;
  if (!step_) {
    step_ = std::min(options_.initial, options_.cap);
  } else {
    const auto grown = std::chrono::duration<double, Duration::period>(*step_) * options_.factor;
    // Compared as doubles first: the product may not fit.
    step_ = grown >= std::chrono::duration<double, Duration::period>(options_.cap)
                ? options_.cap
                : std::chrono::duration_cast<Duration>(grown);
  }
  if (options_.jitter <= 0) return *step_;
  const double stretch = std::uniform_real_distribution<double>(1.0, 1.0 + options_.jitter)(random_);
  return SaturatingCast(std::chrono::duration<double, Duration::period>(*step_) * stretch);
}

}  // namespace kinformer
