#include "src/apiserver/lifecycle/retry_schedule.h"

#include <algorithm>

namespace kinformer::apiserver {

void RetrySchedule::Fail(const std::string& key, TimePoint now) {
  Entry& entry = entries_[key];
  Duration delay = options_.initial;
  for (std::uint32_t i = 0; i < entry.failures && delay < options_.cap; ++i) delay *= 2;
  if (delay < options_.cap) ++entry.failures;
  entry.when = now + std::min(delay, options_.cap);
}

void RetrySchedule::Later(const std::string& key, TimePoint now) { entries_[key] = {.when = now + options_.initial}; }

std::vector<std::string> RetrySchedule::TakeDue(TimePoint now) {
  std::vector<std::string> due;
  for (auto& [key, entry] : entries_) {
    if (!entry.when || *entry.when > now) continue;
    entry.when.reset();
    due.push_back(key);
  }
  return due;
}

std::optional<TimePoint> RetrySchedule::Next() const {
  std::optional<TimePoint> next;
  for (const auto& [key, entry] : entries_) next = Earlier(next, entry.when);
  return next;
}

std::optional<TimePoint> Earlier(std::optional<TimePoint> a, std::optional<TimePoint> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

}  // namespace kinformer::apiserver
