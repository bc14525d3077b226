#include "src/listwatch/cacher/watch_cache.h"

#include <algorithm>
#include <utility>

#include "src/listwatch/cacher/object_text.h"

namespace kinformer::apiserver {

WatchCache::WatchCache(WatchCacheOptions options) : options_(std::move(options)), ring_(options_.ring) {}

void WatchCache::Apply(ObjectPtr object, bool deleted) {
  const std::optional<Revision> revision = ParseRevision(object->ResourceVersion());
  if (!revision || *revision == 0) return Ignore(*object, "ignored an event without resourceVersion");
  const std::string key = KeyOf(*object);
  CacheEventPtr event;
  // Declared outside the lock: destroying many large objects takes time.
  std::shared_ptr<const std::vector<ObjectPtr>> stale;
  {
    MutexLock lock(mutex_);
    if (*revision <= revision_) {
      lock.Unlock();
      return Ignore(*object, "ignored an out-of-order event");
    }
    const auto found = objects_.find(key);
    ObjectPtr previous = found == objects_.end() ? nullptr : found->second;
    if (deleted) {
      if (found != objects_.end()) objects_.erase(found);
    } else if (found != objects_.end()) {
      found->second = object;
    } else {
      objects_.emplace(key, object);
    }
    stale = std::exchange(all_, nullptr);
    event =
        std::make_shared<CacheEvent>(deleted, std::move(object), std::move(previous), *revision, options_.clock->Now());
    ring_.Append(event);
    revision_ = *revision;
  }
  changed_.NotifyAll();
  if (options_.on_event) options_.on_event(event);
}

void WatchCache::Put(internal::Delta delta) {
  using Kind = internal::Delta::Kind;
  if (delta.object) return Apply(std::move(delta.object), Removes(delta));
  if (delta.kind == Kind::kReplaceAll) return ReplaceAll(std::move(delta.objects), delta.resource_version);
  if (delta.kind == Kind::kBookmark) return Advance(delta.resource_version);
}

void WatchCache::ReplaceAll(std::vector<ObjectPtr> objects, const std::string& resource_version) {
  const Revision revision = ParseRevision(resource_version).value_or(0);
  if (options_.before_replace) options_.before_replace();
  Objects replaced;
  for (ObjectPtr& object : objects) {
    std::string key = KeyOf(*object);
    // Lists are in key order, so the hint is right.
    replaced.insert_or_assign(replaced.end(), std::move(key), std::move(object));
  }
  std::shared_ptr<const std::vector<ObjectPtr>> stale;
  {
    const MutexLock lock(mutex_);
    objects_.swap(replaced);
    stale = std::exchange(all_, nullptr);
    ring_.Clear();
    revision_ = list_revision_ = revision;
  }
  changed_.NotifyAll();
  if (options_.after_replace) options_.after_replace(revision);
}

void WatchCache::Advance(const std::string& resource_version) {
  const std::optional<Revision> revision = ParseRevision(resource_version);
  if (!revision) return;
  {
    const MutexLock lock(mutex_);
    if (*revision <= revision_) return;
    revision_ = *revision;
  }
  changed_.NotifyAll();
  if (options_.on_progress) options_.on_progress(*revision);
}

void WatchCache::Ignore(const Object& object, std::string_view why) {
  {
    const MutexLock lock(mutex_);
    ++ignored_;
  }
  options_.logger.Warning("cacher", why,
                          {{"resource", options_.name},
                           {"object", KeyOf(object)},
                           {"resourceVersion", std::string(object.ResourceVersion())}});
}

ObjectPtr WatchCache::Find(std::string_view namespace_name, std::string_view name) const {
  const std::string key = KeyOf(namespace_name, name);
  const MutexLock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

Result<void> WatchCache::WaitUntilFresh(Revision revision, const std::stop_token& stop) {
  const TimePoint deadline = options_.clock->Now() + options_.fresh_timeout;
  MutexLock lock(mutex_);
  while (revision_ < revision) {
    const TimePoint now = options_.clock->Now();
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"};
    if (now >= deadline) return TooLarge(revision, revision_);
    // One progress request serves all waiting reads.
    if (!progress_requested_ || now - *progress_requested_ >= options_.progress_interval) {
      progress_requested_ = now;
      if (options_.request_progress) {
        lock.Unlock();
        options_.request_progress();
        lock.Lock();
        continue;
      }
    }
    changed_.Wait(lock, *options_.clock, std::min(deadline, *progress_requested_ + options_.progress_interval), stop,
                  [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return revision_ >= revision; });
  }
  return {};
}

Error WatchCache::TooLarge(Revision wanted, Revision current) {
  return {.code = ErrorCode::kServer,
          .message = "Timeout: Too large resource version: " + std::to_string(wanted) +
                     ", current: " + std::to_string(current),
          .http_status = 504,
          .reason = "Timeout",
          .retry_after = std::chrono::seconds(1),
          .details = {.causes = {{.reason = "ResourceVersionTooLarge", .message = "Too large resource version"}}}};
}

CacheSnapshot WatchCache::Snapshot(std::string_view namespace_name, std::string_view name) const {
  const MutexLock lock(mutex_);
  if (namespace_name.empty() && name.empty()) {
    if (all_ == nullptr) {
      auto all = std::make_shared<std::vector<ObjectPtr>>();
      all->reserve(objects_.size());
      for (const auto& [key, object] : objects_) all->push_back(object);
      all_ = std::move(all);
    }
    return {all_, revision_};
  }
  auto some = std::make_shared<std::vector<ObjectPtr>>();
  if (!name.empty()) {
    if (const auto found = objects_.find(KeyOf(namespace_name, name)); found != objects_.end()) {
      some->push_back(found->second);
    } else if (namespace_name.empty()) {
      for (const auto& [key, object] : objects_) {
        if (object->Name() == name) some->push_back(object);
      }
    }
    return {std::move(some), revision_};
  }
  const std::string prefix = KeyOf(namespace_name, "");
  for (auto it = objects_.lower_bound(prefix); it != objects_.end() && it->first.starts_with(prefix); ++it) {
    some->push_back(it->second);
  }
  return {std::move(some), revision_};
}

Revision WatchCache::Oldest() const {
  // Nothing was evicted: all events since the list are available.
  if (!ring_.Evicted() || ring_.size() == 0) return list_revision_;
  return ring_.At(0)->revision - 1;
}

Result<void> WatchCache::CheckSince(Revision revision) const {
  const MutexLock lock(mutex_);
  const Revision oldest = Oldest();
  if (revision >= oldest) return {};
  return Error{.code = ErrorCode::kServer,
               .message = "too old resource version: " + std::to_string(revision) + " (" + std::to_string(oldest) + ")",
               .http_status = 410,
               .reason = "Expired"};
}

EventsTaken WatchCache::EventsSince(Revision revision, std::size_t limit, std::vector<CacheEventPtr>& events) const {
  const MutexLock lock(mutex_);
  if (revision < Oldest()) return {.too_old = true};
  const std::size_t first = ring_.FirstAfter(revision);
  const std::size_t end = std::min(ring_.size(), first + limit);
  for (std::size_t i = first; i < end; ++i) events.push_back(ring_.At(i));
  return {.all = end == ring_.size()};
}

bool WatchCache::HasEventsSince(Revision revision) const {
  const MutexLock lock(mutex_);
  return ring_.size() > 0 && ring_.At(ring_.size() - 1)->revision > revision;
}

Revision WatchCache::revision() const {
  const MutexLock lock(mutex_);
  return revision_;
}

std::size_t WatchCache::capacity() const {
  const MutexLock lock(mutex_);
  return ring_.capacity();
}

WatchCacheStatus WatchCache::Status() const {
  const MutexLock lock(mutex_);
  return {.revision = revision_,
          .objects = objects_.size(),
          .events = ring_.size(),
          .capacity = ring_.capacity(),
          .oldest = Oldest(),
          .ignored = ignored_};
}

}  // namespace kinformer::apiserver
