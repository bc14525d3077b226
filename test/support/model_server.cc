#include "test/support/model_server.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/reflector/failed_stream.h"
#include "test/support/scripted_stream.h"

namespace kinformer {

using testing_support::ScriptedStream;
using testing_support::StreamScript;

namespace {

std::uint64_t Number(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

template <typename Part>
std::unique_ptr<PullStream<Part>> Failed(const Error& error) {
  return std::make_unique<internal::FailedStream<Part>>(error);
}

ObjectPtr AtVersion(nlohmann::json object, std::uint64_t version) {
  object["metadata"]["resourceVersion"] = std::to_string(version);
  return Object::FromJson(object, {.keep_managed_fields = true}).value();
}

}  // namespace

class ModelServer::Watcher : public StreamScript<WatchPart> {
 public:
  std::optional<WatchEvent> last;
  bool ended = false;
};

Error ServerError(int status, const std::string& reason, const std::string& message) {
  return Error{.code = ErrorCode::kServer, .message = message, .http_status = status, .reason = reason};
}

ModelServer::ModelServer(Options options) : options_(std::move(options)), version_(options_.version) {}
ModelServer::~ModelServer() = default;

std::optional<Error> ModelServer::TakeError(std::optional<Error>& next) {
  return refusal_ ? refusal_ : std::exchange(next, std::nullopt);
}

std::unique_ptr<ListStream> ModelServer::List(const ListRequest& request) {
  const MutexLock lock(mutex_);
  ++lists_;
  if (const std::optional<Error> error = TakeError(list_error_)) return Failed<ListPart>(*error);
  // "<version>/<namespace>/<name>". Unlike on a real server, a page continues with the current content; tokens expire.
  auto it = objects_.cbegin();
  std::uint64_t at = version_;
  if (!request.continue_token.empty()) {
    const std::size_t slash = request.continue_token.find('/');
    const std::size_t second = request.continue_token.find('/', slash + 1);
    at = Number(request.continue_token.substr(0, slash));
    if (at < version_) return Failed<ListPart>(ServerError(410, "Expired", "the continue token is too old"));
    it = objects_.upper_bound(
        {request.continue_token.substr(slash + 1, second - slash - 1), request.continue_token.substr(second + 1)});
  } else if (Number(request.resource_version) > version_) {
    return Failed<ListPart>(ServerError(504, "Timeout", "Too large resource version"));
  }
  std::vector<ObjectPtr> items;
  for (; it != objects_.cend(); ++it) {
    // Version "0" is served from the cache, which ignores the limit.
    if (request.limit > 0 && request.resource_version != "0" && std::ssize(items) >= request.limit) break;
    items.push_back(it->second);
  }
  ListMeta end{.resource_version = std::to_string(at)};
  if (it != objects_.cend()) {
    const Object& last = *items.back();
    end.continue_token = std::to_string(at) + "/" + std::string(last.Namespace()) + "/" + std::string(last.Name());
    end.remaining_item_count = std::distance(it, objects_.cend());
  }
  const auto script = std::make_shared<StreamScript<ListPart>>();
  script->Push(ListPart(std::move(items)));
  script->Push(ListPart(std::move(end)));
  return std::make_unique<ScriptedStream<ListPart>>(script);
}

WatchEvent ModelServer::Bookmark(bool initial_events_end) const {
  nlohmann::json object{
      {"apiVersion", "v1"}, {"kind", options_.kind}, {"metadata", {{"resourceVersion", std::to_string(version_)}}}};
  if (initial_events_end) object["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true";
  return {.type = WatchEventType::kBookmark, .object = Object::FromJson(object).value()};
}

std::unique_ptr<WatchEventStream> ModelServer::Watch(const WatchRequest& request) {
  const MutexLock lock(mutex_);
  ++watches_;
  if (const std::optional<Error> error = TakeError(watch_error_)) return Failed<WatchPart>(*error);
  const bool initial = request.send_initial_events.value_or(false);
  if (initial && !options_.streaming_lists) {
    return Failed<WatchPart>(ServerError(422, "Invalid", "sendInitialEvents is forbidden"));
  }
  const auto watcher = std::make_shared<Watcher>();
  std::vector<WatchEvent> events;  // Even if there are none, they announce that the watch is accepted.
  const std::uint64_t from = Number(request.resource_version);
  if (initial) {
    for (const auto& [key, object] : objects_) {
      events.push_back({.type = WatchEventType::kAdded, .object = object});
    }
    events.push_back(Bookmark(true));
  } else if (from < compacted_) {
    events.push_back({.type = WatchEventType::kError,
                      .error = ServerError(410, "Expired", "too old resource version: " + request.resource_version)});
    watcher->ended = true;
  } else {
    for (const auto& [version, event] : log_) {
      if (version > from) events.push_back(event);
    }
  }
  if (!events.empty() && events.back().type != WatchEventType::kBookmark) watcher->last = events.back();
  watcher->Push(WatchPart(std::move(events)));
  if (watcher->ended) watcher->Push(WatchPart(WatchEnd{}));
  watchers_.push_back(watcher);
  return std::make_unique<ScriptedStream<WatchPart>>(watcher);
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
  const auto it = objects_.find({options_.namespace_name, name});
  const std::string uid = it == objects_.end() ? "uid-" + std::to_string(next_uid_++) : std::string(it->second->Uid());
  return Write({{"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"metadata", {{"name", name}, {"namespace", options_.namespace_name}, {"uid", uid}}},
                {"data", {{"value", value}}}});
}

std::uint64_t ModelServer::Put(nlohmann::json object) {
  const MutexLock lock(mutex_);
  return Write(std::move(object));
}

std::uint64_t ModelServer::Write(nlohmann::json object) {
  const ObjectPtr written = AtVersion(std::move(object), ++version_);
  const bool added = objects_.insert_or_assign(written->Key(), written).second;
  Send({.type = added ? WatchEventType::kAdded : WatchEventType::kModified, .object = written});
  return version_;
}

std::uint64_t ModelServer::Remove(const NamespacedName& key) {
  const MutexLock lock(mutex_);
  const auto it = objects_.find(key);
  if (it == objects_.end()) return version_;
  const ObjectPtr removed = AtVersion(it->second->ToJson(), ++version_);
  objects_.erase(it);
  Send({.type = WatchEventType::kDeleted, .object = removed});
  return version_;
}

void ModelServer::Send(const WatchEvent& event) {
  log_.emplace_back(version_, event);
  for (const auto& watcher : LiveWatchers()) {
    watcher->last = event;
    watcher->Push(WatchPart(std::vector<WatchEvent>{event}));
  }
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

void ModelServer::FailAList(Error error) {
  const MutexLock lock(mutex_);
  list_error_ = std::move(error);
}

void ModelServer::FailAWatch(Error error) {
  const MutexLock lock(mutex_);
  watch_error_ = std::move(error);
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

std::uint64_t ModelServer::version() const {
  const MutexLock lock(mutex_);
  return version_;
}

std::map<NamespacedName, ObjectPtr> ModelServer::Objects() const {
  const MutexLock lock(mutex_);
  return objects_;
}

std::map<std::string, std::pair<std::string, std::string>> ModelServer::Content() const {
  std::map<std::string, std::pair<std::string, std::string>> content;
  for (const auto& [key, object] : Objects()) {
    content[key.name] = {object->At("/data/value").StringOr(""), std::string(object->ResourceVersion())};
  }
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
  return lists_;
}

std::size_t ModelServer::watches() const {
  const MutexLock lock(mutex_);
  return watches_;
}

}  // namespace kinformer
