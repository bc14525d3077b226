#include "src/listwatch/cacher/fresh_waits.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

FreshWaits::FreshWaits(TaskPool& pool, FreshWaitsOptions options)
    : options_(std::move(options)), clock_(pool.clock()), tasks_(pool) {}

FreshWaits::~FreshWaits() { Stop(); }

void FreshWaits::CallAll(Waiters& waiters) {
  for (auto& [revision, waiter] : waiters) waiter.done();
}

void FreshWaits::Add(Revision revision, TimePoint deadline, std::function<void()> done) {
  bool stopped = false;
  bool scheduled = true;
  {
    const MutexLock lock(mutex_);
    stopped = stopped_;
    if (!stopped) {
      waiters_.emplace(revision, Waiter{.deadline = deadline, .done = std::move(done)});
      count_.store(waiters_.size());
      if (!next_tick_) {
        const TimePoint now = clock_->Now();
        next_progress_request_ = now;
        scheduled = ScheduleTick(now);
      } else if (deadline < *next_tick_) {
        scheduled = ScheduleTick(deadline);
      }
    }
  }
  if (stopped) return done();
  if (!scheduled) return Stop();
  // The cache may have reached the revision between the caller's check and emplace.
  Advance(options_.current());
}

bool FreshWaits::ScheduleTick(TimePoint when) {
  next_tick_ = when;
  auto tick = [this, when] { Tick(when); };
  const bool posted = when <= clock_->Now() ? tasks_.Post(std::move(tick)) : tasks_.PostAt(when, std::move(tick));
  if (!posted) next_tick_.reset();
  return posted;
}

void FreshWaits::Advance(Revision revision) {
  if (count_.load() == 0) return;
  Waiters fresh;
  {
    const MutexLock lock(mutex_);
    const auto end = waiters_.upper_bound(revision);
    for (auto it = waiters_.begin(); it != end;) fresh.insert(waiters_.extract(it++));
    count_.store(waiters_.size());
  }
  CallAll(fresh);
}

void FreshWaits::Tick(TimePoint scheduled_for) {
  Waiters overdue;
  bool request = false;
  {
    const MutexLock lock(mutex_);
    if (next_tick_ != scheduled_for) return;  // replaced by an earlier one
    next_tick_.reset();
    const TimePoint now = clock_->Now();
    TimePoint earliest = TimePoint::max();
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      if (it->second.deadline <= now) {
        overdue.insert(waiters_.extract(it++));
      } else {
        earliest = std::min(earliest, it->second.deadline);
        ++it;
      }
    }
    count_.store(waiters_.size());
    if (!waiters_.empty()) {
      request = now >= next_progress_request_;
      if (request) next_progress_request_ = now + options_.progress_interval;
      ScheduleTick(std::min(next_progress_request_, earliest));
    }
  }
  CallAll(overdue);
  if (request && options_.request_progress) options_.request_progress();
}

void FreshWaits::Stop() {
  Waiters all;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    all.swap(waiters_);
    count_.store(0);
  }
  tasks_.Close();
  CallAll(all);
}

}  // namespace kinformer::apiserver
