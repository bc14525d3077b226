#ifndef KINFORMER_SRC_CLIENT_RATE_LIMITER_H_
#define KINFORMER_SRC_CLIENT_RATE_LIMITER_H_

#include <kinformer/base/clock.h>
#include <kinformer/base/mutex.h>

namespace kinformer::internal {

/// A token bucket: `burst` at once, then `qps` a second.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class RateLimiter {
 public:
  /// Without a limit if qps is not positive.
  RateLimiter(double qps, int burst);

  /// Takes a token, perhaps of the future: how long to wait for it.
  Duration Reserve(TimePoint now) KINFORMER_EXCLUDES(mutex_);

 private:
  const double qps_;
  const double burst_;
  Mutex mutex_;
  double tokens_ KINFORMER_GUARDED_BY(mutex_);
  TimePoint filled_at_ KINFORMER_GUARDED_BY(mutex_){};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_RATE_LIMITER_H_
