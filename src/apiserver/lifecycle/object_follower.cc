#include "src/apiserver/lifecycle/object_follower.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace kinformer::apiserver {
namespace {

/// Of one stream in a row, so that one busy resource does not keep the others waiting.
constexpr int kPartsPerTurn = 64;
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

}  // namespace

void ObjectFollower::SetStores(const std::vector<StorePtr>& stores) {
  std::map<GroupVersionResource, StorePtr> wanted;
  for (const StorePtr& store : stores) wanted.emplace(store->kind().resource, store);
  for (auto it = followed_.begin(); it != followed_.end();) {
    const auto found = wanted.find(it->first);
    if (found != wanted.end() && found->second == it->second.store) {
      ++it;
      continue;
    }
    for (auto& [uid, object] : it->second.objects) {
      gone_.push_back({.store = it->second.store, .object = std::move(object), .gone = true});
    }
    it = followed_.erase(it);
  }
  for (const auto& [resource, store] : wanted) followed_.try_emplace(resource, Followed{.store = store});
}

bool ObjectFollower::Complete() const {
  return std::all_of(followed_.begin(), followed_.end(), [](const auto& entry) { return entry.second.complete; });
}

bool ObjectFollower::AllOpen() const {
  return std::all_of(followed_.begin(), followed_.end(),
                     [](const auto& entry) { return entry.second.events != nullptr; });
}

void ObjectFollower::Begin(Followed& followed, const std::stop_token& stop) {
  followed.seen.clear();
  followed.initial = true;
  Result<std::unique_ptr<WatchEventStream>> events = followed.store->Watch(
      {.match = VersionMatch::kNotOlderThan, .send_initial_events = true, .allow_bookmarks = true}, stop);
  // A cache that is not ready says so here; the next turn asks again.
  if (events) followed.events = *std::move(events);
}

std::vector<ObjectNews> ObjectFollower::Next(const std::stop_token& stop) {
  std::vector<ObjectNews> news = std::exchange(gone_, {});
  for (auto& [resource, followed] : followed_) {
    if (followed.events == nullptr) Begin(followed, stop);
    for (int parts = 0; parts < kPartsPerTurn && followed.events != nullptr; ++parts) {
      if (!TakePart(followed, news)) break;
    }
    if (followed.events != nullptr) followed.events->NotifyWhenReady(wake_);
  }
  return news;
}

bool ObjectFollower::TakePart(Followed& followed, std::vector<ObjectNews>& news) {
  Result<std::optional<WatchPart>> part = followed.events->TryNext();
  if (part && !*part) return false;
  auto* const events = part ? std::get_if<std::vector<WatchEvent>>(&**part) : nullptr;
  if (events == nullptr) {
    // Over. From where the next turn begins, it is told again what is there.
    followed.events.reset();
    return false;
  }
  for (WatchEvent& event : *events) TakeEvent(followed, std::move(event), news);
  return true;
}

void ObjectFollower::EndInitial(Followed& followed, std::vector<ObjectNews>& news) {
  for (auto it = followed.objects.begin(); it != followed.objects.end();) {
    if (followed.seen.contains(it->first)) {
      ++it;
      continue;
    }
    news.push_back({.store = followed.store, .object = std::move(it->second), .gone = true});
    it = followed.objects.erase(it);
  }
  followed.seen.clear();
  followed.initial = false;
  followed.complete = true;
}

void ObjectFollower::TakeEvent(Followed& followed, WatchEvent event, std::vector<ObjectNews>& news) {
  if (event.object == nullptr) return;  // an error; the end follows
  if (event.type == WatchEventType::kBookmark) {
    if (followed.initial && event.object->Annotations().Contains(kInitialEventsEnd)) EndInitial(followed, news);
    return;
  }
  std::string uid(event.object->Uid());
  if (event.type == WatchEventType::kDeleted) {
    followed.objects.erase(uid);
    news.push_back({.store = followed.store, .object = std::move(event.object), .gone = true});
    return;
  }
  if (followed.initial) followed.seen.insert(uid);
  followed.objects.insert_or_assign(std::move(uid), event.object);
  news.push_back({.store = followed.store, .object = std::move(event.object)});
}

}  // namespace kinformer::apiserver
