#ifndef KINFORMER_TEST_LISTWATCH_CACHER_FAKE_STORE_H_
#define KINFORMER_TEST_LISTWATCH_CACHER_FAKE_STORE_H_

#include <atomic>
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
#include "test/support/model_server.h"

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

/// The storage that a Cacher decorates, and the ListerWatcher that fills it: both over a ModelServer.
class FakeStore final : public ObjectStorage, public ListerWatcher {
 public:
  explicit FakeStore(StorageOptions options = PodStorage()) : options_(std::move(options)) {}

  // --- Functions for tests ---

  Revision Put(const PodSpec& pod) { return Number(model_.Put(PodJson(pod))); }
  Revision Remove(const std::string& namespace_name, const std::string& name) {
    return Number(model_.Remove(NamespacedName{namespace_name, name}));
  }
  /// Increases the revision, as a write to another resource in the same backend does.
  Revision PutElsewhere() { return Number(model_.Tick()); }
  Revision revision() const { return Number(model_.version()); }
  std::map<std::string, ObjectPtr> objects() const {
    std::map<std::string, ObjectPtr> objects;
    for (const auto& [key, object] : model_.Objects()) objects[KeyOf(*object)] = object;
    return objects;
  }
  /// Ends every open watch with `error`. If `refuse` is set, new lists and watches fail with it until Mend.
  void Break(const Error& error, const std::optional<Error>& refuse = {}) {
    refuses_ = refuse.has_value();
    model_.Refuse(refuse);
    model_.EndWatches(error);
  }
  void Mend() {
    refuses_ = false;
    model_.Refuse({});
  }
  /// Watches from older revisions get 410.
  void Compact() { model_.Compact(); }
  void SendProgress() {
    ++progress_requests;
    model_.SendBookmark();
  }
  BackendProgress Progress() {
    return {.current_revision = [this](const std::stop_token&) -> Result<Revision> { return revision(); },
            .request_progress =
                [this] {
                  ++progress_requests;
                  if (answers_progress) model_.SendBookmark();
                },
            .is_reliable = [this] { return reliable.load(); }};
  }
  std::atomic<int> lists = 0;  ///< Through the ObjectStorage interface.
  std::atomic<int> gets = 0;
  std::atomic<int> watches = 0;
  std::atomic<int> seeds = 0;  ///< Lists through the ListerWatcher interface that were not refused.
  std::atomic<int> progress_requests = 0;
  std::atomic<bool> answers_progress = true;
  std::atomic<bool> reliable = true;

  // --- ObjectStorage ---

  const StorageOptions& options() const override { return options_; }
  Result<ObjectPtr> Create(const Object& object, std::chrono::seconds, const std::stop_token&) override {
    const std::lock_guard lock(writes_);
    return Write(object);
  }
  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string&,
                        const std::stop_token&) override {
    ++gets;
    const ObjectPtr found = Find(namespace_name, name);
    if (found == nullptr) return Error{.code = ErrorCode::kServer, .http_status = 404, .reason = "NotFound"};
    return found;
  }
  Result<ObjectList> List(const ListQuery& query, const std::stop_token&) override {
    ++lists;
    ObjectList result{.metadata = {.resource_version = std::to_string(revision())}};
    for (const auto& [key, object] : model_.Objects()) {
      if (query.predicate.Matches(*object, options_)) result.items.push_back(object);
    }
    return result;
  }
  Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name, bool,
                                     const Preconditions&, const Change& change, const std::stop_token&) override {
    const std::lock_guard lock(writes_);
    const ObjectPtr found = Find(namespace_name, name);
    const Result<ObjectPtr> changed = change(found);
    if (!changed) return changed.error();
    if (*changed != nullptr) return Write(**changed);
    return WithRevision(found, Remove(namespace_name, name));
  }
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery&, const std::stop_token&) override {
    ++watches;
    return Error{.code = ErrorCode::kServer, .message = "a watch of the storage itself", .http_status = 501};
  }
  Result<void> Ready() const override { return {}; }

  // --- ListerWatcher ---

  std::unique_ptr<ListStream> List(const ListRequest& request) override {
    if (!refuses_) ++seeds;
    return model_.List(request);
  }
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override { return model_.Watch(request); }
  bool SupportsStreamingLists() const override { return false; }

 private:
  static Revision Number(std::uint64_t version) { return static_cast<Revision>(version); }
  ObjectPtr Find(const std::string& namespace_name, const std::string& name) const {
    const auto objects = model_.Objects();
    const auto found = objects.find({namespace_name, name});
    return found == objects.end() ? nullptr : found->second;
  }
  ObjectPtr Write(const Object& object) {
    model_.Put(object.ToJson());
    return Find(std::string(object.Namespace()), std::string(object.Name()));
  }

  const StorageOptions options_;
  std::atomic<bool> refuses_ = false;
  std::mutex writes_;  ///< Held by writes through the ObjectStorage interface.
  ModelServer model_{{.kind = "Pod", .version = 1000}};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_LISTWATCH_CACHER_FAKE_STORE_H_
