#ifndef KINFORMER_SRC_APISERVER_CACHER_SELECTION_H_
#define KINFORMER_SRC_APISERVER_CACHER_SELECTION_H_

// In:     an event, and what a watcher asked for
// Out:    what the event is to that watcher
// Thread: any; a Matcher's memory belongs to the Dispatcher
// Next:   CacheWatcher, Dispatcher

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kinformer/codec/watch_event.h>

#include "src/apiserver/cacher/cache_event.h"
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// The value of a field that can be selected by, as Predicate::Matches sees it.
std::string FieldValue(const Object& object, std::string_view field, const StorageOptions& options);

/// What watchers with equal selectors share, so that an event is compared with each selector once.
class Matcher {
 public:
  struct Outcome {
    bool before = false;
    bool now = false;
  };

  Matcher(Predicate predicate, std::shared_ptr<const StorageOptions> options)
      : predicate_(std::move(predicate)), options_(std::move(options)), everything_(predicate_.IsEverything()) {}

  const Predicate& predicate() const { return predicate_; }
  bool Matches(const Object& object) const { return everything_ || predicate_.Matches(object, *options_); }
  Outcome Of(const CacheEvent& event) const {
    return {.before = event.previous != nullptr && Matches(*event.previous),
            .now = !event.deleted && Matches(*event.object)};
  }
  /// The same, remembered for as long as `number` stays. Only under the Dispatcher's lock.
  const Outcome& Remembered(const CacheEvent& event, std::uint64_t number) {
    if (number != number_) {
      outcome_ = Of(event);
      number_ = number;
    }
    return outcome_;
  }

 private:
  const Predicate predicate_;
  const std::shared_ptr<const StorageOptions> options_;
  const bool everything_;
  std::uint64_t number_ = 0;
  Outcome outcome_{};
};

/// What an event is to somebody for whom the object matched or not, before and now; nullopt: nothing.
inline std::optional<WatchEventType> TransitionOf(const Matcher::Outcome& outcome) {
  if (outcome.now) return outcome.before ? WatchEventType::kModified : WatchEventType::kAdded;
  if (outcome.before) return WatchEventType::kDeleted;
  return std::nullopt;
}

/// Which objects a watcher wants: of a namespace, of a name, matching a selector.
struct Selection {
  std::string namespace_name{};
  std::string name{};
  std::shared_ptr<Matcher> matcher{};

  bool InScope(const Object& object) const {
    return (namespace_name.empty() || object.Namespace() == namespace_name) && (name.empty() || object.Name() == name);
  }
  bool Matches(const Object& object) const { return InScope(object) && matcher->Matches(object); }
};

/// One event as one watcher gets it.
struct WatchItem {
  WatchEventType type = WatchEventType::kAdded;
  Revision revision = 0;
  ObjectPtr object{};
};

/// The object that goes with a transition.
inline const ObjectPtr& ObjectFor(WatchEventType type, const CacheEvent& event) {
  return type == WatchEventType::kDeleted ? event.Gone() : event.object;
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CACHER_SELECTION_H_
