#include "src/listwatch/cacher/cache_watcher.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {
namespace {

/// Maximum number of initial objects or ring events per pull.
constexpr std::size_t kIntervalBatch = 100;

}  // namespace

CacheWatcher::CacheWatcher(std::shared_ptr<const WatchCache> cache, CacheWatcherOptions options)
    : cache_(std::move(cache)),
      options_(std::move(options)),
      initial_(options_.initial),
      owes_initial_end_(options_.initial_events_end != nullptr),
      seen_(options_.start) {}

void CacheWatcher::CatchUp() {
  for (;;) {
    Revision seen = 0;
    {
      const MutexLock lock(mutex_);
      if (!behind_ || ended_ || !buffer_.empty()) return;
      seen = seen_;
    }
    EventsTaken taken;
    if (initial_ != nullptr) {
      TakeInitial();
    } else if (std::exchange(owes_initial_end_, false)) {
      found_.push_back({WatchEventType::kBookmark, options_.start, options_.initial_events_end});
    } else {
      taken = TakeFromRing(seen);
    }
    const MutexLock lock(mutex_);
    // The consumer is too slow: the ring has evicted events that it still needs.
    if (taken.too_old) Finish();
    if (!ended_) {
      seen_ = seen;
      buffer_.swap(found_);
      // Events that arrived meanwhile were not buffered, because behind_ was set: the ring must be read again.
      if (taken.all && !cache_->HasEventsSince(seen_)) behind_ = false;
    }
    found_.clear();
  }
}

void CacheWatcher::TakeInitial() {
  while (next_initial_ < initial_->size() && found_.size() < kIntervalBatch) {
    const ObjectPtr& object = (*initial_)[next_initial_++];
    if (!options_.filter.Matches(*object)) continue;
    found_.push_back({WatchEventType::kAdded, options_.start, object});
  }
  if (next_initial_ == initial_->size()) initial_ = nullptr;
}

EventsTaken CacheWatcher::TakeFromRing(Revision& seen) {
  const EventsTaken taken = cache_->EventsSince(seen, kIntervalBatch, taken_);
  for (const CacheEventPtr& event : taken_) {
    seen = event->revision;
    if (!options_.filter.InScope(*event->object)) continue;
    const auto type = TransitionOf(options_.filter.matcher->Of(*event));
    if (type) found_.push_back({*type, event->revision, ObjectFor(*type, *event)});
  }
  taken_.clear();
  return taken;
}

void CacheWatcher::Finish() {
  ended_ = true;
  behind_ = false;
  blocked_since_.reset();
}

void CacheWatcher::Pulled() {
  missed_ = 0;
  if (!blocked_since_) return;
  blocked_since_.reset();
  unblocked_at_ = options_.clock->Now();
}

Result<std::optional<WatchPart>> CacheWatcher::TryNext() {
  {
    const MutexLock lock(mutex_);
    Pulled();
    if (!std::exchange(opened_, true)) return std::optional<WatchPart>(std::vector<WatchEvent>{});
    if (options_.deadline && !ended_ && options_.clock->Now() >= *options_.deadline) Finish();
  }
  CatchUp();
  std::vector<WatchItem> items;
  {
    const MutexLock lock(mutex_);
    if (buffer_.empty()) {
      if (ended_) return std::optional<WatchPart>(WatchEnd{});
      return std::optional<WatchPart>();
    }
    items.swap(buffer_);
  }
  std::vector<WatchEvent> events;
  events.reserve(items.size());
  for (WatchItem& item : items) {
    WatchEvent& event = events.emplace_back();
    event.type = item.type;
    event.object = std::move(item.object);
  }
  items.clear();
  {
    // Reuse the capacity.
    const MutexLock lock(mutex_);
    if (buffer_.empty()) buffer_.swap(items);
  }
  return std::optional<WatchPart>(std::move(events));
}

void CacheWatcher::NotifyWhenReady(std::function<void()> ready) {
  std::function<void()> dropped;
  bool opened = false;
  {
    const MutexLock lock(mutex_);
    dropped.swap(ready_);
    opened = opened_;
  }
  if (!ready) return;
  if (opened) CatchUp();
  {
    const MutexLock lock(mutex_);
    if (!HasSomething()) {
      ready_ = std::move(ready);
      return;
    }
  }
  ready();
}

void CacheWatcher::Wake(ReadyCalls& ready) {
  if (!ready_) return;
  ready.push_back(std::move(ready_));
  ready_ = nullptr;
}

bool CacheWatcher::Deliver(std::vector<WatchItem>& items, TimePoint now, ReadyCalls& ready) {
  bool overfull = false;
  {
    const MutexLock lock(mutex_);
    if (!ended_) {
      for (WatchItem& item : items) {
        // Already taken from the ring, or before the requested start.
        if (item.revision <= seen_) continue;
        if (!behind_ && buffer_.size() >= options_.capacity) {
          behind_ = true;
          seen_ = item.revision - 1;
        }
        if (behind_) {
          ++missed_;
          continue;
        }
        seen_ = item.revision;
        buffer_.push_back(std::move(item));
      }
      overfull = buffer_.size() + missed_ > options_.capacity;
      if (overfull && !blocked_since_) blocked_since_ = now;
      if (!buffer_.empty()) Wake(ready);
    }
  }
  items.clear();
  return overfull;
}

bool CacheWatcher::OfferBookmark(const ObjectPtr& bookmark, Revision revision, ReadyCalls& ready) {
  const MutexLock lock(mutex_);
  if (ended_ || behind_ || buffer_.size() >= options_.capacity) return false;
  if (revision <= options_.start || revision < seen_) return false;
  buffer_.push_back({WatchEventType::kBookmark, revision, bookmark});
  Wake(ready);
  return true;
}

void CacheWatcher::End(ReadyCalls& ready) {
  const MutexLock lock(mutex_);
  if (ended_) return;
  Finish();
  Wake(ready);
}

std::optional<TimePoint> CacheWatcher::BlockedSince() const {
  const MutexLock lock(mutex_);
  return blocked_since_;
}

TimePoint CacheWatcher::UnblockedAt() const {
  const MutexLock lock(mutex_);
  return unblocked_at_;
}

}  // namespace kinformer::apiserver
