#include "src/apiserver/crd/custom_storage.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "src/listwatch/storage/object_codec.h"
#include "src/listwatch/storage/ready_signal.h"

namespace kinformer::apiserver {
namespace {

Result<ObjectPtr> InVersion(Result<ObjectPtr> object, const std::string& api_version) {
  if (!object || *object == nullptr || (*object)->ApiVersion() == api_version) return object;
  return WithApiVersion(**object, api_version);
}

StorageOptions OptionsFor(StorageOptions options, const GroupVersionResource& resource) {
  options.resource = resource;
  options.kind.version = resource.version;
  return options;
}

class CustomStream final : public WatchEventStream {
 public:
  CustomStream(std::unique_ptr<WatchEventStream> events, std::string api_version, std::shared_ptr<WatchEnder> ender)
      : events_(std::move(events)),
        api_version_(std::move(api_version)),
        ender_(std::move(ender)),
        wake_(std::make_shared<Wake>()) {
    ender_->Add(wake_);
  }
  ~CustomStream() override {
    events_->NotifyWhenReady(nullptr);
    wake_->signal.Set(nullptr);
  }

  Result<std::optional<WatchPart>> TryNext() override {
    // Read before TryNext, so that events before the end are delivered.
    const bool over = ender_->Ended();
    Result<std::optional<WatchPart>> part = events_->TryNext();
    if (!part) return part;
    if (!*part) return over ? std::optional<WatchPart>(WatchEnd{}) : std::optional<WatchPart>();
    auto* const events = std::get_if<std::vector<WatchEvent>>(&**part);
    if (events == nullptr) return part;
    for (WatchEvent& event : *events) {
      Result<ObjectPtr> object = InVersion(std::move(event.object), api_version_);
      if (!object) return std::move(object).error();
      event.object = *std::move(object);
    }
    return part;
  }

  void NotifyWhenReady(std::function<void()> ready) override {
    const bool wanted = ready != nullptr;
    wake_->signal.Set(std::move(ready));
    if (!wanted) return events_->NotifyWhenReady(nullptr);
    events_->NotifyWhenReady([wake = wake_] { wake->signal.Fire(); });
    if (ender_->Ended()) wake_->signal.Fire();
  }

 private:
  struct Wake final : WatchEnder::Listener {
    void OnEnd() override { signal.Fire(); }
    ReadySignal signal{};
  };

  const std::unique_ptr<WatchEventStream> events_;
  const std::string api_version_;
  const std::shared_ptr<WatchEnder> ender_;
  const std::shared_ptr<Wake> wake_;
};

}  // namespace

void WatchEnder::End() {
  std::vector<std::weak_ptr<Listener>> listeners;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    listeners.swap(listeners_);
  }
  for (const auto& weak : listeners) {
    if (const auto listener = weak.lock()) listener->OnEnd();
  }
}

bool WatchEnder::Ended() const {
  const MutexLock lock(mutex_);
  return ended_;
}

void WatchEnder::Add(const std::shared_ptr<Listener>& listener) {
  {
    const MutexLock lock(mutex_);
    if (!ended_) {
      // Remove expired listeners before the vector would grow.
      if (listeners_.size() == listeners_.capacity()) {
        std::erase_if(listeners_, [](const auto& weak) { return weak.expired(); });
      }
      listeners_.push_back(listener);
      return;
    }
  }
  listener->OnEnd();
}

CustomStorage::CustomStorage(std::shared_ptr<ObjectStorage> storage, const GroupVersionResource& resource,
                             std::shared_ptr<WatchEnder> ender)
    : storage_(std::move(storage)),
      options_(OptionsFor(storage_->options(), resource)),
      api_version_(options_.kind.ApiVersion()),
      stored_api_version_(storage_->options().kind.ApiVersion()),
      ender_(std::move(ender)) {}

Result<ObjectPtr> CustomStorage::Out(Result<ObjectPtr> object) const {
  return InVersion(std::move(object), api_version_);
}

Result<ObjectPtr> CustomStorage::In(Result<ObjectPtr> object) const {
  return InVersion(std::move(object), stored_api_version_);
}

Result<ObjectPtr> CustomStorage::Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) {
  if (object.ApiVersion() == stored_api_version_) return Out(storage_->Create(object, ttl, stop));
  Result<ObjectPtr> stored = WithApiVersion(object, stored_api_version_);
  if (!stored) return stored;
  return Out(storage_->Create(**stored, ttl, stop));
}

Result<ObjectPtr> CustomStorage::Get(const std::string& namespace_name, const std::string& name,
                                     const std::string& resource_version, const std::stop_token& stop) {
  return Out(storage_->Get(namespace_name, name, resource_version, stop));
}

Result<ObjectList> CustomStorage::List(const ListQuery& query, const std::stop_token& stop) {
  Result<ObjectList> list = storage_->List(query, stop);
  if (!list || api_version_ == stored_api_version_) return list;
  for (ObjectPtr& item : list->items) {
    Result<ObjectPtr> object = Out(std::move(item));
    if (!object) return std::move(object).error();
    item = *std::move(object);
  }
  return list;
}

Result<ObjectPtr> CustomStorage::GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                                  bool create_if_missing, const Preconditions& preconditions,
                                                  const Change& change, const std::stop_token& stop) {
  if (api_version_ == stored_api_version_) {
    return storage_->GuaranteedUpdate(namespace_name, name, create_if_missing, preconditions, change, stop);
  }
  return Out(storage_->GuaranteedUpdate(
      namespace_name, name, create_if_missing, preconditions,
      [&](const ObjectPtr& current) -> Result<ObjectPtr> {
        Result<ObjectPtr> seen = Out(current);
        if (!seen) return seen;
        return In(change(*seen));
      },
      stop));
}

Result<std::unique_ptr<WatchEventStream>> CustomStorage::Watch(const WatchQuery& query, const std::stop_token& stop) {
  Result<std::unique_ptr<WatchEventStream>> events = storage_->Watch(query, stop);
  if (!events) return events;
  return std::make_unique<CustomStream>(*std::move(events), api_version_, ender_);
}

}  // namespace kinformer::apiserver
