#ifndef KINFORMER_TEST_LISTWATCH_STORAGE_OBJECT_STORAGE_TESTING_H_
#define KINFORMER_TEST_LISTWATCH_STORAGE_OBJECT_STORAGE_TESTING_H_

// Pods, and helpers to read their watch events.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/listwatch/storage/object_storage.h"
#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver::testing_support {

inline const GroupVersionKind kPodKind{.group = "", .version = "v1", .kind = "Pod"};

inline StorageOptions PodOptions(std::string prefix) {
  return {
      .resource = {.group = "", .version = "v1", .resource = "pods"}, .kind = kPodKind, .prefix = std::move(prefix)};
}

/// A pod with a label app=<app> and spec.nodeName=<node>.
inline ObjectPtr Pod(std::string_view namespace_name, std::string_view name, std::string_view app = "web",
                     std::string_view node = "") {
  const std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) +
                           R"(","namespace":")" + std::string(namespace_name) + R"(","uid":"uid-)" + std::string(name) +
                           R"(","labels":{"app":")" + std::string(app) + R"("}},"spec":{"nodeName":")" +
                           std::string(node) + R"("}})";
  return Object::Parse(text, {.keep_managed_fields = true}).value();
}

inline std::vector<std::string> Names(const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> names;
  for (const ObjectPtr& object : objects) names.push_back(ToString(object->Key()));
  return names;
}

/// An event as "ADDED a", "DELETED a", "BOOKMARK", "INITIAL-END" or "ERROR 410".
inline std::string Describe(const WatchEvent& event) {
  if (event.type == WatchEventType::kError) return "ERROR " + std::to_string(event.error.http_status);
  if (event.type == WatchEventType::kBookmark) {
    return event.object->Annotations().Contains("k8s.io/initial-events-end") ? "INITIAL-END" : "BOOKMARK";
  }
  return std::string(ToString(event.type)) + " " + std::string(event.object->Name());
}

struct Seen {
  std::string line{};
  WatchEvent event{};
};

/// Reads a watch event by event, waiting for each.
class WatchReader {
 public:
  explicit WatchReader(std::unique_ptr<WatchEventStream> stream) : stream_(std::move(stream)) {}

  Seen Next() {
    while (next_ == events_.size()) {
      std::optional<Result<WatchPart>> part = TakeNext(*stream_);
      if (!part) return {.line = "nothing"};
      if (!*part) return {.line = "error: " + part->error().message};
      if (std::holds_alternative<WatchEnd>(**part)) return {.line = "END"};
      events_ = std::get<std::vector<WatchEvent>>(**std::move(part));
      next_ = 0;
    }
    WatchEvent& event = events_[next_++];
    return {.line = Describe(event), .event = std::move(event)};
  }
  std::vector<std::string> Lines(std::size_t count) {
    std::vector<std::string> lines;
    while (lines.size() < count) {
      lines.push_back(Next().line);
      if (lines.back() == "nothing" || lines.back() == "END") break;
    }
    return lines;
  }
  /// True if no event is available now. Consumes parts without events.
  bool Idle() {
    for (;;) {
      if (next_ < events_.size()) return false;
      Result<std::optional<WatchPart>> part = stream_->TryNext();
      if (!part) return false;
      if (!*part) return true;
      auto* const events = std::get_if<std::vector<WatchEvent>>(&**part);
      if (events == nullptr) return false;
      events_ = std::move(*events);
      next_ = 0;
    }
  }

 private:
  const std::unique_ptr<WatchEventStream> stream_;
  std::vector<WatchEvent> events_;
  std::size_t next_ = 0;
};

}  // namespace kinformer::apiserver::testing_support

#endif  // KINFORMER_TEST_LISTWATCH_STORAGE_OBJECT_STORAGE_TESTING_H_
