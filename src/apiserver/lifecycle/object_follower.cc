#include "src/apiserver/lifecycle/object_follower.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "src/apiserver/lifecycle/retry_schedule.h"
#include "src/base/user_code.h"

namespace kinformer::apiserver {
namespace {

/// Limit per stream and turn, so that a busy resource does not starve the others.
constexpr int kPartsPerTurn = 64;
/// Exponential backoff between failed watches of a resource.
constexpr std::chrono::milliseconds kFirstFollowRetry{50};
constexpr std::chrono::seconds kLastFollowRetry{1};
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

std::optional<TimePoint> ObjectFollower::NextTry() const {
  std::optional<TimePoint> next;
  for (const auto& [resource, followed] : followed_) {
    if (followed.events == nullptr) next = Earlier(next, followed.next_try);
  }
  return next;
}

void ObjectFollower::Begin(Followed& followed, const std::stop_token& stop) {
  followed.seen.clear();
  followed.initial = true;
  Result<std::unique_ptr<WatchEventStream>> events = followed.store->Watch(
      {.match = VersionMatch::kNotOlderThan, .send_initial_events = true, .allow_bookmarks = true}, stop);
  // Fails if the cache is not ready yet; retried later.
  if (events) followed.events = *std::move(events);
}

void ObjectFollower::Follow(Followed& followed, std::vector<ObjectNews>& news, const std::stop_token& stop) {
  if (followed.events == nullptr) Begin(followed, stop);
  for (int parts = 0; parts < kPartsPerTurn && followed.events != nullptr; ++parts) {
    if (!TakePart(followed, news)) break;
  }
  if (followed.events != nullptr) followed.events->NotifyWhenReady(wake_);
}

void ObjectFollower::Fail(Followed& followed, TimePoint now, const std::string& why) {
  followed.delay = std::clamp<Duration>(followed.delay * 2, kFirstFollowRetry, kLastFollowRetry);
  followed.next_try = now + followed.delay;
  if (why.empty()) return;
  logger_.Warning("apiserver", "a watch failed, will be restarted",
                  {{"resource", ToString(followed.store->kind().resource)}, {"error", why}});
}

std::vector<ObjectNews> ObjectFollower::Next(TimePoint now, const std::stop_token& stop) {
  std::vector<ObjectNews> news = std::exchange(gone_, {});
  for (auto& [resource, followed] : followed_) {
    if (followed.events == nullptr && now < followed.next_try) continue;
    const auto thrown = internal::Contain([&, &followed = followed] { Follow(followed, news, stop); });
    if (thrown) followed.events.reset();
    if (followed.events == nullptr) Fail(followed, now, thrown.value_or(""));
  }
  return news;
}

bool ObjectFollower::TakePart(Followed& followed, std::vector<ObjectNews>& news) {
  Result<std::optional<WatchPart>> part = followed.events->TryNext();
  if (part && !*part) return false;
  auto* const events = part ? std::get_if<std::vector<WatchEvent>>(&**part) : nullptr;
  if (events == nullptr) {
    // The watch is over. The next one sends the initial events again.
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
  followed.delay = {};
}

void ObjectFollower::TakeEvent(Followed& followed, WatchEvent event, std::vector<ObjectNews>& news) {
  if (event.object == nullptr) return;  // an error; the end of the watch follows
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
