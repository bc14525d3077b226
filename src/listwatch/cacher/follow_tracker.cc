#include "src/listwatch/cacher/follow_tracker.h"

namespace kinformer::apiserver {

void FollowTracker::Failed(const Error& error) {
  const MutexLock lock(mutex_);
  const TimePoint now = clock_->Now();
  if (!failing_ || Settled(now)) since_ = now;
  failing_ = true;
  error_ = error;
  accepted_.reset();
}

void FollowTracker::Accepted() {
  if (!failing_) return;
  const MutexLock lock(mutex_);
  accepted_ = clock_->Now();
}

void FollowTracker::DataReceived() {
  if (!failing_) return;
  const MutexLock lock(mutex_);
  failing_ = false;
}

std::optional<FollowTracker::Failure> FollowTracker::Check(bool tolerant) const {
  if (!failing_) return std::nullopt;
  const MutexLock lock(mutex_);
  const TimePoint now = clock_->Now();
  if (!failing_ || Settled(now) || (tolerant && now - since_ < options_.tolerance)) return std::nullopt;
  return Failure{.duration = now - since_, .error = error_};
}

}  // namespace kinformer::apiserver
