#include "test/informer/model_server.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

namespace kinformer {
namespace {

std::uint64_t Number(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A non-blocking queue of stream parts, with an optional error at the end.
template <typename Part>
class Queue {
 public:
  Result<std::optional<Part>> TryNext() {
    const MutexLock lock(mutex_);
    if (!parts_.empty()) {
      std::optional<Part> part(std::move(parts_.front()));
      parts_.pop_front();
      return part;
    }
    if (error_) return *error_;
    return std::optional<Part>();
  }
  void NotifyWhenReady(std::function<void()> ready) {
    {
      const MutexLock lock(mutex_);
      ready_ = std::move(ready);
      if (parts_.empty() && !error_) return;
    }
    Notify();
  }
  void Push(Part part) {
    {
      const MutexLock lock(mutex_);
      if (error_) return;
      parts_.push_back(std::move(part));
    }
    Notify();
  }
  void Fail(Error error) {
    {
      const MutexLock lock(mutex_);
      error_ = std::move(error);
    }
    Notify();
  }

 private:
  void Notify() {
    std::function<void()> ready;
    {
      const MutexLock lock(mutex_);
      ready.swap(ready_);
    }
    if (ready) ready();
  }

  Mutex mutex_;
  std::deque<Part> parts_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> error_ KINFORMER_GUARDED_BY(mutex_);
  std::function<void()> ready_ KINFORMER_GUARDED_BY(mutex_);
};

template <typename Part>
class QueueStream final : public PullStream<Part> {
 public:
  explicit QueueStream(std::shared_ptr<Queue<Part>> queue) : queue_(std::move(queue)) {}
  ~QueueStream() override { queue_->NotifyWhenReady(nullptr); }
  Result<std::optional<Part>> TryNext() override { return queue_->TryNext(); }
  void NotifyWhenReady(std::function<void()> ready) override { queue_->NotifyWhenReady(std::move(ready)); }

 private:
  std::shared_ptr<Queue<Part>> queue_;
};

}  // namespace

class ModelServer::Watcher : public Queue<WatchPart> {
 public:
  std::optional<WatchEvent> last;
  bool ended = false;
};

Error ServerError(int status, const std::string& reason, const std::string& message) {
  return Error{.code = ErrorCode::kServer, .message = message, .http_status = status, .reason = reason};
}

ModelServer::ModelServer(Options options) : options_(options) {}
ModelServer::~ModelServer() = default;

ObjectPtr ModelServer::ObjectOf(const std::string& name, const Entry& entry) const {
  return Object::FromJson({{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata",
                            {{"name", name},
                             {"namespace", options_.namespace_name},
                             {"uid", "uid-" + std::to_string(entry.uid)},
                             {"resourceVersion", std::to_string(entry.version)}}},
                           {"data", {{"value", entry.value}}}})
      .value();
}

std::unique_ptr<ListStream> ModelServer::List(const ListRequest& request) {
  auto queue = std::make_shared<Queue<ListPart>>();
  const MutexLock lock(mutex_);
  list_requests_.push_back(request);
  if (refusal_) {
    queue->Fail(*refusal_);
    return std::make_unique<QueueStream<ListPart>>(std::move(queue));
  }
  if (!list_errors_.empty()) {
    queue->Fail(list_errors_.front());
    list_errors_.pop_front();
    return std::make_unique<QueueStream<ListPart>>(std::move(queue));
  }
  // "<version>/<last name>". Unlike on a real server, a page continues with the current content; tokens do expire.
  std::string after;
  std::uint64_t at = version_;
  if (!request.continue_token.empty()) {
    const std::size_t slash = request.continue_token.find('/');
    at = Number(request.continue_token.substr(0, slash));
    after = request.continue_token.substr(slash + 1);
    if (at < version_) {
      queue->Fail(ServerError(410, "Expired", "the continue token is too old"));
      return std::make_unique<QueueStream<ListPart>>(std::move(queue));
    }
  } else if (Number(request.resource_version) > version_) {
    queue->Fail(ServerError(504, "Timeout", "Too large resource version"));
    return std::make_unique<QueueStream<ListPart>>(std::move(queue));
  }
  std::vector<ObjectPtr> items;
  std::string last;
  auto it = after.empty() ? objects_.begin() : objects_.upper_bound(after);
  for (; it != objects_.end(); ++it) {
    // Version "0" is served from the cache, which ignores the limit.
    if (request.limit > 0 && request.resource_version != "0" && std::ssize(items) >= request.limit) break;
    items.push_back(ObjectOf(it->first, it->second));
    last = it->first;
  }
  ListMeta end{.resource_version = std::to_string(at)};
  if (it != objects_.end()) {
    end.continue_token = std::to_string(at) + "/" + last;
    end.remaining_item_count = std::distance(it, objects_.end());
  }
  queue->Push(ListPart(std::move(items)));
  queue->Push(ListPart(std::move(end)));
  return std::make_unique<QueueStream<ListPart>>(std::move(queue));
}

WatchEvent ModelServer::Bookmark(bool initial_events_end) const {
  nlohmann::json object{
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"resourceVersion", std::to_string(version_)}}}};
  if (initial_events_end) object["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true";
  return {.type = WatchEventType::kBookmark, .object = Object::FromJson(object).value()};
}

std::unique_ptr<WatchEventStream> ModelServer::Watch(const WatchRequest& request) {
  auto watcher = std::make_shared<Watcher>();
  const MutexLock lock(mutex_);
  watch_requests_.push_back(request);
  if (refusal_) {
    watcher->Fail(*refusal_);
    return std::make_unique<QueueStream<WatchPart>>(std::move(watcher));
  }
  if (!watch_errors_.empty()) {
    watcher->Fail(watch_errors_.front());
    watch_errors_.pop_front();
    return std::make_unique<QueueStream<WatchPart>>(std::move(watcher));
  }
  const bool initial = request.send_initial_events.value_or(false);
  if (initial && !options_.streaming_lists) {
    watcher->Fail(ServerError(422, "Invalid", "sendInitialEvents is forbidden"));
    return std::make_unique<QueueStream<WatchPart>>(std::move(watcher));
  }
  std::vector<WatchEvent> events;
  if (initial) {
    for (const auto& [name, entry] : objects_) {
      events.push_back({.type = WatchEventType::kAdded, .object = ObjectOf(name, entry)});
    }
    if (!options_.forget_end_bookmark) events.push_back(Bookmark(true));
  } else {
    const std::uint64_t from = Number(request.resource_version);
    if (from < compacted_) {
      events.push_back({.type = WatchEventType::kError,
                        .error = ServerError(410, "Expired", "too old resource version: " + request.resource_version)});
      watcher->Push(WatchPart(std::move(events)));
      watcher->Push(WatchPart(WatchEnd{}));
      return std::make_unique<QueueStream<WatchPart>>(std::move(watcher));
    }
    for (const auto& [version, event] : log_) {
      if (version > from) events.push_back(event);
    }
  }
  if (!events.empty()) {
    if (events.back().type != WatchEventType::kBookmark) watcher->last = events.back();
    watcher->Push(WatchPart(std::move(events)));
  }
  watchers_.push_back(watcher);
  return std::make_unique<QueueStream<WatchPart>>(std::move(watcher));
}

std::vector<std::shared_ptr<ModelServer::Watcher>> ModelServer::LiveWatchers() {
  std::vector<std::shared_ptr<Watcher>> live;
  std::erase_if(watchers_, [&](const std::weak_ptr<Watcher>& weak) {
    auto watcher = weak.lock();
    if (!watcher || watcher->ended) return true;
    live.push_back(std::move(watcher));
    return false;
  });
  return live;
}

std::uint64_t ModelServer::Put(const std::string& name, const std::string& value) {
  const MutexLock lock(mutex_);
  ++version_;
  const auto [it, added] = objects_.try_emplace(name);
  if (added) it->second.uid = next_uid_++;
  it->second.value = value;
  it->second.version = version_;
  const WatchEvent event{.type = added ? WatchEventType::kAdded : WatchEventType::kModified,
                         .object = ObjectOf(name, it->second)};
  log_.emplace_back(version_, event);
  for (const auto& watcher : LiveWatchers()) {
    watcher->last = event;
    watcher->Push(WatchPart(std::vector<WatchEvent>{event}));
  }
  return version_;
}

std::uint64_t ModelServer::Remove(const std::string& name) {
  const MutexLock lock(mutex_);
  const auto it = objects_.find(name);
  if (it == objects_.end()) return version_;
  it->second.version = ++version_;
  const WatchEvent event{.type = WatchEventType::kDeleted, .object = ObjectOf(name, it->second)};
  objects_.erase(it);
  log_.emplace_back(version_, event);
  for (const auto& watcher : LiveWatchers()) {
    watcher->last = event;
    watcher->Push(WatchPart(std::vector<WatchEvent>{event}));
  }
  return version_;
}

std::uint64_t ModelServer::Tick() {
  const MutexLock lock(mutex_);
  return ++version_;
}

void ModelServer::SendBookmark() {
  const MutexLock lock(mutex_);
  for (const auto& watcher : LiveWatchers()) watcher->Push(WatchPart(std::vector<WatchEvent>{Bookmark(false)}));
}

void ModelServer::EndWatches(std::optional<Error> error) {
  const MutexLock lock(mutex_);
  for (const auto& watcher : LiveWatchers()) {
    watcher->ended = true;
    if (error) {
      watcher->Fail(*error);
    } else {
      watcher->Push(WatchPart(WatchEnd{}));
    }
  }
}

void ModelServer::Compact() {
  const MutexLock lock(mutex_);
  compacted_ = version_;
  log_.clear();
}

void ModelServer::FailLists(std::deque<Error> errors) {
  const MutexLock lock(mutex_);
  list_errors_ = std::move(errors);
}

void ModelServer::FailWatches(std::deque<Error> errors) {
  const MutexLock lock(mutex_);
  watch_errors_ = std::move(errors);
}

void ModelServer::Refuse(std::optional<Error> error) {
  const MutexLock lock(mutex_);
  refusal_ = std::move(error);
}

void ModelServer::RepeatLastEvent() {
  const MutexLock lock(mutex_);
  for (const auto& watcher : LiveWatchers()) {
    if (watcher->last) watcher->Push(WatchPart(std::vector<WatchEvent>{*watcher->last}));
  }
}

std::map<std::string, std::pair<std::string, std::string>> ModelServer::Content() const {
  const MutexLock lock(mutex_);
  std::map<std::string, std::pair<std::string, std::string>> content;
  for (const auto& [name, entry] : objects_) content[name] = {entry.value, std::to_string(entry.version)};
  return content;
}

std::size_t ModelServer::OpenWatches() const {
  const MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::count_if(watchers_.begin(), watchers_.end(), [](const auto& weak) {
    const auto watcher = weak.lock();
    return watcher && !watcher->ended;
  }));
}

std::size_t ModelServer::lists() const {
  const MutexLock lock(mutex_);
  return list_requests_.size();
}

std::size_t ModelServer::watches() const {
  const MutexLock lock(mutex_);
  return watch_requests_.size();
}

std::vector<ListRequest> ModelServer::ListRequests() const {
  const MutexLock lock(mutex_);
  return list_requests_;
}

std::vector<WatchRequest> ModelServer::WatchRequests() const {
  const MutexLock lock(mutex_);
  return watch_requests_;
}

}  // namespace kinformer
