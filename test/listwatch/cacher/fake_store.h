#ifndef KINFORMER_TEST_LISTWATCH_CACHER_FAKE_STORE_H_
#define KINFORMER_TEST_LISTWATCH_CACHER_FAKE_STORE_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/listwatch/cacher/cacher.h"
#include "src/listwatch/cacher/object_text.h"
#include "src/listwatch/storage/object_codec.h"

namespace kinformer::apiserver {

struct PodSpec {
  std::string namespace_name = "default";
  std::string name{};
  std::string node{};
  std::map<std::string, std::string> labels{};
  std::string note{};
};

inline nlohmann::json PodJson(const PodSpec& pod) {
  nlohmann::json json = {{"apiVersion", "v1"},
                         {"kind", "Pod"},
                         {"metadata", {{"namespace", pod.namespace_name}, {"name", pod.name}}},
                         {"spec", {{"nodeName", pod.node}, {"note", pod.note}}}};
  if (!pod.labels.empty()) json["metadata"]["labels"] = pod.labels;
  return json;
}

inline ObjectPtr PodAt(const PodSpec& pod, Revision revision) {
  nlohmann::json json = PodJson(pod);
  json["metadata"]["resourceVersion"] = std::to_string(revision);
  return Object::FromJson(json, {.keep_managed_fields = true}).value();
}

inline StorageOptions PodStorage(std::vector<std::string> triggers = {"spec.nodeName"}) {
  return {.resource = {"", "v1", "pods"},
          .kind = {"", "v1", "Pod"},
          .prefix = "/registry/pods/",
          .trigger_fields = std::move(triggers)};
}

/// An in-memory storage with a change log and injectable failures. Serves both as the storage that a Cacher decorates
/// and as the ListerWatcher that fills it.
class FakeStore final : public ObjectStorage, public ListerWatcher, public std::enable_shared_from_this<FakeStore> {
 public:
  explicit FakeStore(StorageOptions options = PodStorage()) : options_(std::move(options)) {}

  // --- Functions for tests ---

  Revision Put(const PodSpec& pod) {
    Wakes wakes;
    const std::lock_guard lock(mutex_);
    return Write(PodAt(pod, revision_ + 1), false, wakes);
  }
  Revision Remove(const std::string& namespace_name, const std::string& name) {
    Wakes wakes;
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(KeyOf(namespace_name, name));
    if (found == objects_.end()) return 0;
    return Write(WithRevision(found->second, revision_ + 1), true, wakes);
  }
  /// Increases the revision, as a write to another resource in the same backend does.
  Revision PutElsewhere() {
    const std::lock_guard lock(mutex_);
    return ++revision_;
  }
  Revision revision() const {
    const std::lock_guard lock(mutex_);
    return revision_;
  }
  std::map<std::string, ObjectPtr> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  /// Ends every open watch with `error`. If `refuse` is set, new lists and watches fail with it until Mend.
  void Break(const Error& error, std::optional<Error> refuse = {}) {
    Wakes wakes;
    const std::lock_guard lock(mutex_);
    refuse_ = std::move(refuse);
    for (const auto& weak : feeds_) {
      if (const auto feed = weak.lock()) {
        feed->broken = error;
        wakes.Add(*feed);
      }
    }
  }
  void Mend() {
    const std::lock_guard lock(mutex_);
    refuse_.reset();
  }
  /// Watches from older revisions get 410.
  void Compact() {
    const std::lock_guard lock(mutex_);
    compacted_ = revision_;
  }
  void SendProgress() {
    ++progress_requests;
    Wakes wakes;
    const std::lock_guard lock(mutex_);
    for (const auto& weak : feeds_) {
      if (const auto feed = weak.lock()) {
        feed->progress = true;
        wakes.Add(*feed);
      }
    }
  }
  BackendProgress Progress() {
    return {.current_revision = [this](const std::stop_token&) -> Result<Revision> { return revision(); },
            .request_progress =
                [this] {
                  if (answers_progress) {
                    SendProgress();
                  } else {
                    ++progress_requests;
                  }
                },
            .is_reliable = [this] { return reliable.load(); }};
  }

  std::atomic<int> lists = 0;  ///< Through the ObjectStorage interface.
  std::atomic<int> gets = 0;
  std::atomic<int> watches = 0;
  std::atomic<int> seeds = 0;  ///< Lists through the ListerWatcher interface.
  std::atomic<int> progress_requests = 0;
  std::atomic<bool> answers_progress = true;
  std::atomic<bool> reliable = true;

  // --- ObjectStorage ---

  const StorageOptions& options() const override { return options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds, const std::stop_token&) override {
    Wakes wakes;
    const std::lock_guard lock(mutex_);
    nlohmann::json json = object.ToJson();
    json["metadata"]["resourceVersion"] = std::to_string(revision_ + 1);
    ObjectPtr stored = Object::FromJson(json).value();
    Write(stored, false, wakes);
    return stored;
  }
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string&,
                        const std::stop_token&) override {
    ++gets;
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(KeyOf(namespace_name, name));
    if (found == objects_.end()) return Error{.code = ErrorCode::kServer, .http_status = 404, .reason = "NotFound"};
    return found->second;
  }
  Result<ObjectList> List(const ListQuery& query, const std::stop_token&) override {
    ++lists;
    const std::lock_guard lock(mutex_);
    ObjectList result{.metadata = {.resource_version = std::to_string(revision_)}};
    for (const auto& [key, object] : objects_) {
      if (query.predicate.Matches(*object, options_)) result.items.push_back(object);
    }
    return result;
  }
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool,
                                     const Preconditions&, const Change& change, const std::stop_token&) override {
    Wakes wakes;
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(KeyOf(namespace_name, name));
    Result<ObjectPtr> changed = change(found == objects_.end() ? nullptr : found->second);
    if (!changed) return changed.error();
    ObjectPtr stored = WithRevision(*changed == nullptr ? found->second : *changed, revision_ + 1);
    Write(stored, *changed == nullptr, wakes);
    return stored;
  }
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery&, const std::stop_token&) override {
    ++watches;
    return Error{.code = ErrorCode::kServer, .message = "a watch of the storage itself", .http_status = 501};
  }
  Result<void> Ready() const override { return {}; }

  // --- ListerWatcher ---

  std::unique_ptr<ListStream> List(const ListRequest&) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) return std::make_unique<ListOnce>(*refuse_);
    ++seeds;
    std::vector<ObjectPtr> items;
    for (const auto& [key, object] : objects_) items.push_back(object);
    return std::make_unique<ListOnce>(std::move(items), std::to_string(revision_));
  }
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override {
    const std::lock_guard lock(mutex_);
    auto feed = std::make_shared<Feed>();
    feed->after = ParseRevision(request.resource_version).value_or(0);
    if (refuse_) {
      feed->broken = *refuse_;
    } else if (feed->after < compacted_) {
      feed->broken = Error{.code = ErrorCode::kServer, .message = "compacted", .http_status = 410, .reason = "Expired"};
    }
    std::erase_if(feeds_, [](const auto& weak) { return weak.expired(); });
    feeds_.push_back(feed);
    return std::make_unique<FeedStream>(shared_from_this(), std::move(feed));
  }
  bool SupportsStreamingLists() const override { return false; }

 private:
  struct Logged {
    bool deleted = false;
    bool added = false;
    ObjectPtr object{};
    Revision revision = 0;
  };
  struct Feed {
    Revision after = 0;
    bool opened = false;
    bool progress = false;
    std::optional<Error> broken{};
    std::function<void()> ready{};
  };
  /// Runs the pending callbacks in its destructor. Declare it before the lock, so that they run unlocked.
  struct Wakes {
    std::vector<std::function<void()>> calls{};
    void Add(Feed& feed) {
      if (feed.ready) calls.push_back(std::exchange(feed.ready, nullptr));
    }
    ~Wakes() {
      for (const auto& call : calls) call();
    }
  };

  class ListOnce final : public ListStream {
   public:
    explicit ListOnce(Error error) : error_(std::move(error)) {}
    ListOnce(std::vector<ObjectPtr> items, std::string version)
        : items_(std::move(items)), version_(std::move(version)) {}
    Result<std::optional<ListPart>> TryNext() override {
      if (error_) return *error_;
      if (!std::exchange(told_, true)) return std::optional<ListPart>(std::move(items_));
      return std::optional<ListPart>(ListMeta{.resource_version = version_});
    }
    void NotifyWhenReady(std::function<void()> ready) override {
      if (ready) ready();
    }

   private:
    std::optional<Error> error_{};
    std::vector<ObjectPtr> items_{};
    std::string version_{};
    bool told_ = false;
  };

  class FeedStream final : public WatchEventStream {
   public:
    FeedStream(std::shared_ptr<FakeStore> store, std::shared_ptr<Feed> feed)
        : store_(std::move(store)), feed_(std::move(feed)) {}
    Result<std::optional<WatchPart>> TryNext() override { return store_->Next(*feed_); }
    void NotifyWhenReady(std::function<void()> ready) override {
      {
        const std::lock_guard lock(store_->mutex_);
        feed_->ready = nullptr;
        if (!store_->Has(*feed_)) {
          feed_->ready = std::move(ready);
          return;
        }
      }
      if (ready) ready();
    }

   private:
    const std::shared_ptr<FakeStore> store_;
    const std::shared_ptr<Feed> feed_;
  };

  Revision Write(ObjectPtr object, bool deleted, Wakes& wakes) {
    ++revision_;
    const std::string key = KeyOf(*object);
    const bool added = !objects_.contains(key);
    if (deleted) {
      objects_.erase(key);
    } else {
      objects_[key] = object;
    }
    log_.push_back({deleted, added, std::move(object), revision_});
    for (const auto& weak : feeds_) {
      if (const auto feed = weak.lock()) wakes.Add(*feed);
    }
    return revision_;
  }

  bool Has(const Feed& feed) const {
    return !feed.opened || feed.broken || feed.progress || (!log_.empty() && log_.back().revision > feed.after);
  }
  Result<std::optional<WatchPart>> Next(Feed& feed) {
    const std::lock_guard lock(mutex_);
    if (feed.broken) return *feed.broken;
    if (!std::exchange(feed.opened, true)) return std::optional<WatchPart>(std::vector<WatchEvent>{});
    std::vector<WatchEvent> events;
    auto it = std::upper_bound(log_.begin(), log_.end(), feed.after,
                               [](Revision after, const Logged& logged) { return after < logged.revision; });
    for (; it != log_.end(); ++it) {
      WatchEvent& event = events.emplace_back();
      event.type =
          it->deleted ? WatchEventType::kDeleted : (it->added ? WatchEventType::kAdded : WatchEventType::kModified);
      event.object = it->object;
      feed.after = it->revision;
    }
    if (std::exchange(feed.progress, false) && revision_ > feed.after) {
      WatchEvent& event = events.emplace_back();
      event.type = WatchEventType::kBookmark;
      event.object = MakeBookmark(options_.kind, revision_, false);
      feed.after = revision_;
    }
    if (events.empty()) return std::optional<WatchPart>();
    return std::optional<WatchPart>(std::move(events));
  }

  const StorageOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, ObjectPtr> objects_;
  std::vector<Logged> log_;
  Revision revision_ = 1000;
  Revision compacted_ = 0;
  std::optional<Error> refuse_{};
  std::vector<std::weak_ptr<Feed>> feeds_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_LISTWATCH_CACHER_FAKE_STORE_H_
