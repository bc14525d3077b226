#include "src/listwatch/storage/memory_watchers.h"

#include <algorithm>
#include <utility>

#include "src/listwatch/storage/key_prefix.h"

namespace kinformer::apiserver {

void MemoryWatcher::Read(const MvccLog& log, BackendEvents& part) {
  const Revision next = log.ReadChanges(prefix, std::max(pending, delivered + 1), part.events);
  delivered = next - 1;
  pending = next <= log.revision() ? next : 0;
  if (!part.events.empty()) part.revision = part.events.back().now.mod_revision;
}

std::optional<BackendEvents> MemoryWatcher::TakeProgress(Revision current) {
  delivered = std::max(delivered, current);
  if (!std::exchange(progress_wanted, false)) return std::nullopt;
  return BackendEvents{.revision = delivered};
}

void MemoryWatchers::Add(const MemoryWatcherPtr& watcher) {
  by_prefix_[watcher->prefix].push_back(watcher);
  ++size_;
}

void MemoryWatchers::Remove(const MemoryWatcherPtr& watcher) {
  const auto found = by_prefix_.find(watcher->prefix);
  if (found == by_prefix_.end()) return;
  size_ -= std::erase(found->second, watcher);
  if (found->second.empty()) by_prefix_.erase(found);
}

void MemoryWatchers::Wake(std::string_view key, Revision revision, WokenWatchers& woken) {
  if (by_prefix_.empty()) return;
  WakePrefix("", revision, woken);
  for (std::size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/', slash + 1)) {
    WakePrefix(key.substr(0, slash + 1), revision, woken);
  }
  if (!IsKeyPrefix(key)) WakePrefix(key, revision, woken);
}

void MemoryWatchers::WakePrefix(std::string_view prefix, Revision revision, WokenWatchers& woken) {
  const auto found = by_prefix_.find(prefix);
  if (found == by_prefix_.end()) return;
  for (const MemoryWatcherPtr& watcher : found->second) {
    if (watcher->pending != 0 || watcher->delivered >= revision) continue;
    watcher->pending = revision;
    woken.Add(watcher);
  }
}

void MemoryWatchers::RequestProgress(WokenWatchers& woken) {
  for (auto& [prefix, watchers] : by_prefix_) {
    for (const MemoryWatcherPtr& watcher : watchers) {
      watcher->progress_wanted = true;
      woken.Add(watcher);
    }
  }
}

void MemoryWatchers::EndAll(const Error& error, WokenWatchers& woken) {
  for (auto& [prefix, watchers] : by_prefix_) {
    for (const MemoryWatcherPtr& watcher : watchers) {
      if (!watcher->end) watcher->end = error;
      woken.Add(watcher);
    }
  }
}

}  // namespace kinformer::apiserver
