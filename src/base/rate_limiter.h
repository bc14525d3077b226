#ifndef KINFORMER_SRC_BASE_RATE_LIMITER_H_
#define KINFORMER_SRC_BASE_RATE_LIMITER_H_

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"

namespace kinformer::internal {

/// Token bucket: `burst` requests at once, then `qps` per second.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class RateLimiter {
 public:
  /// No limit if qps is not positive.
  RateLimiter(double qps, int burst);

  /// Takes a token, possibly a future one. Returns how long to wait for it.
  Duration Reserve(TimePoint now) KINFORMER_EXCLUDES(mutex_);

 private:
  const double qps_;
  const double burst_;
  Mutex mutex_;
  double tokens_ KINFORMER_GUARDED_BY(mutex_);
  TimePoint filled_at_ KINFORMER_GUARDED_BY(mutex_){};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_RATE_LIMITER_H_
