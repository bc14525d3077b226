#include "src/base/rate_limiter.h"

#include <algorithm>

namespace kinformer::internal {

RateLimiter::RateLimiter(double qps, int burst) : qps_(qps), burst_(std::max(1, burst)), tokens_(burst_) {}

Duration RateLimiter::Reserve(TimePoint now) {
  if (qps_ <= 0) return Duration::zero();
  using Seconds = std::chrono::duration<double>;
  const MutexLock lock(mutex_);
  if (now > filled_at_) {
    tokens_ = std::min(burst_, tokens_ + Seconds(now - filled_at_).count() * qps_);
    filled_at_ = now;
  }
  tokens_ -= 1;
  if (tokens_ >= 0) return Duration::zero();
  return SaturatingCast(Seconds(-tokens_ / qps_));
}

}  // namespace kinformer::internal
