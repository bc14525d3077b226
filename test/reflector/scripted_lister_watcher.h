#ifndef KINFORMER_TEST_REFLECTOR_SCRIPTED_LISTER_WATCHER_H_
#define KINFORMER_TEST_REFLECTOR_SCRIPTED_LISTER_WATCHER_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/reflector/lister_watcher.h>

#include "test/support/patience.h"
#include "test/support/scripted_stream.h"

namespace kinformer::testing_support {

/// A Pod in namespace "default" with that name, version and uid (empty: "uid-<name>").
inline ObjectPtr MakePod(const std::string& name, const std::string& resource_version, const std::string& uid = "",
                         const std::string& extra_members = "") {
  return Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":")" + name +
                       R"(","resourceVersion":")" + resource_version + R"(","uid":")" +
                       (uid.empty() ? "uid-" + name : uid) + "\"}" + extra_members + "}")
      .value();
}

inline ObjectPtr MakeBookmark(const std::string& resource_version, const std::string& initial_events_end = "") {
  const std::string annotations =
      initial_events_end.empty() ? ""
                                 : R"(,"annotations":{"k8s.io/initial-events-end":")" + initial_events_end + R"("})";
  return Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":")" + resource_version + "\"" +
                       annotations + "}}")
      .value();
}

inline WatchEvent AddedEvent(ObjectPtr object) { return {.type = WatchEventType::kAdded, .object = std::move(object)}; }
inline WatchEvent ModifiedEvent(ObjectPtr object) {
  return {.type = WatchEventType::kModified, .object = std::move(object)};
}
inline WatchEvent DeletedEvent(ObjectPtr object) {
  return {.type = WatchEventType::kDeleted, .object = std::move(object)};
}
inline WatchEvent BookmarkEvent(const std::string& resource_version) {
  return {.type = WatchEventType::kBookmark, .object = MakeBookmark(resource_version)};
}
/// The bookmark that ends a streaming list.
inline WatchEvent InitialEventsEnd(const std::string& resource_version) {
  return {.type = WatchEventType::kBookmark, .object = MakeBookmark(resource_version, "true")};
}
inline WatchEvent ErrorEvent(Error error) { return {.type = WatchEventType::kError, .error = std::move(error)}; }

inline Error ServerError(int status, std::string reason, std::string message = "said the server") {
  return {
      .code = ErrorCode::kServer, .message = std::move(message), .http_status = status, .reason = std::move(reason)};
}
inline Error Expired() { return ServerError(410, "Expired"); }

/// The test's end of one list or watch.
template <typename Request, typename Part>
class Scripted : public StreamScript<Part> {
 public:
  explicit Scripted(Request request) : request_(std::move(request)) {}
  const Request& request() const { return request_; }

 private:
  const Request request_;
};

class ScriptedList : public Scripted<ListRequest, ListPart> {
 public:
  using Scripted::Scripted;
  void Items(std::vector<ObjectPtr> items) { Push(std::move(items)); }
  void End(std::string resource_version, std::string continue_token = "",
           std::optional<std::int64_t> remaining = std::nullopt) {
    Push(ListMeta{std::move(resource_version), std::move(continue_token), remaining});
  }
};

class ScriptedWatch : public Scripted<WatchRequest, WatchPart> {
 public:
  using Scripted::Scripted;
  void Open() { Push(std::vector<WatchEvent>{}); }
  void Send(std::vector<WatchEvent> events) { Push(std::move(events)); }
  void Send(WatchEvent event) { Send(std::vector<WatchEvent>{std::move(event)}); }
  void End() { Push(WatchEnd{}); }
};

/// A ListerWatcher whose lists and watches the test answers one by one, as they are requested.
///
///     auto list = source->AwaitList(0);
///     list->Items({MakePod("a", "1")});
///     list->End("5");
///     source->AwaitWatch(0)->Send(AddedEvent(MakePod("b", "6")));
class ScriptedListerWatcher final : public ListerWatcher {
 public:
  explicit ScriptedListerWatcher(bool streaming_lists = false) : streaming_lists_(streaming_lists) {}

  std::unique_ptr<ListStream> List(const ListRequest& request) override {
    if (on_list) on_list(request);
    const auto script = Begin(lists_, request);
    return std::make_unique<ScriptedStream<ListPart>>(script);
  }
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override {
    if (on_watch) on_watch(request);
    const auto script = Begin(watches_, request);
    return std::make_unique<ScriptedStream<WatchPart>>(script);
  }
  bool SupportsStreamingLists() const override { return streaming_lists_; }

  /// Waits for the list (or watch) with that index, counted from 0, to be requested. Null on timeout.
  std::shared_ptr<ScriptedList> AwaitList(std::size_t index) const { return Await(lists_, index); }
  std::shared_ptr<ScriptedWatch> AwaitWatch(std::size_t index) const { return Await(watches_, index); }
  std::size_t lists() const { return Count(lists_); }
  std::size_t watches() const { return Count(watches_); }

  /// Called at the start of each request, on the reflector's task; may throw. Set before the reflector starts.
  std::function<void(const ListRequest&)> on_list;
  std::function<void(const WatchRequest&)> on_watch;

 private:
  template <typename Script, typename Request>
  std::shared_ptr<Script> Begin(std::vector<std::shared_ptr<Script>>& scripts, const Request& request) {
    const std::lock_guard lock(mutex_);
    scripts.push_back(std::make_shared<Script>(request));
    changed_.notify_all();
    return scripts.back();
  }
  template <typename Script>
  std::shared_ptr<Script> Await(const std::vector<std::shared_ptr<Script>>& scripts, std::size_t index) const {
    std::unique_lock lock(mutex_);
    const bool there = changed_.wait_for(lock, kPatience, [&] { return scripts.size() > index; });
    return there ? scripts[index] : nullptr;
  }
  template <typename Script>
  std::size_t Count(const std::vector<std::shared_ptr<Script>>& scripts) const {
    const std::lock_guard lock(mutex_);
    return scripts.size();
  }

  const bool streaming_lists_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::shared_ptr<ScriptedList>> lists_;
  std::vector<std::shared_ptr<ScriptedWatch>> watches_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_REFLECTOR_SCRIPTED_LISTER_WATCHER_H_
