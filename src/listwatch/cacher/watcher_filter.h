#ifndef KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_FILTER_H_
#define KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_FILTER_H_

// In:     an event and a watcher's filter
// Out:    the event's type for that watcher, if it matches
// Thread: any; Matcher::OutcomeCached only under the Dispatcher's lock
// Next:   CacheWatcher, Dispatcher

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kinformer/codec/watch_event.h>

#include "src/listwatch/cacher/cache_event.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// Shared by watchers with equal selectors, so that each event is evaluated once per selector.
class Matcher {
 public:
  struct Outcome {
    bool before = false;
    bool now = false;
  };

  Matcher(SelectionPredicate predicate, std::shared_ptr<const StorageOptions> options)
      : predicate_(std::move(predicate)), options_(std::move(options)), everything_(predicate_.IsEverything()) {}

  const SelectionPredicate& predicate() const { return predicate_; }
  bool Matches(const Object& object) const { return everything_ || predicate_.Matches(object, *options_); }
  Outcome Of(const CacheEvent& event) const {
    return {.before = event.previous != nullptr && Matches(*event.previous),
            .now = !event.deleted && Matches(*event.object)};
  }
  /// The same, cached until `number` changes. Only under the Dispatcher's lock.
  const Outcome& OutcomeCached(const CacheEvent& event, std::uint64_t number) {
    if (number != number_) {
      outcome_ = Of(event);
      number_ = number;
    }
    return outcome_;
  }

 private:
  const SelectionPredicate predicate_;
  const std::shared_ptr<const StorageOptions> options_;
  const bool everything_;
  std::uint64_t number_ = 0;
  Outcome outcome_{};
};

/// The event type for a watcher, given whether the object matched before and matches now; nullopt: no event.
inline std::optional<WatchEventType> TransitionOf(const Matcher::Outcome& outcome) {
  if (outcome.now) return outcome.before ? WatchEventType::kModified : WatchEventType::kAdded;
  if (outcome.before) return WatchEventType::kDeleted;
  return std::nullopt;
}

/// The objects a watcher wants. Empty namespace or name: any.
struct WatcherFilter {
  std::string namespace_name{};
  std::string name{};
  std::shared_ptr<Matcher> matcher{};

  bool InScope(const Object& object) const {
    return (namespace_name.empty() || object.Namespace() == namespace_name) && (name.empty() || object.Name() == name);
  }
  bool Matches(const Object& object) const { return InScope(object) && matcher->Matches(object); }
};

/// One event as one watcher receives it.
struct WatchItem {
  WatchEventType type = WatchEventType::kAdded;
  Revision revision = 0;
  ObjectPtr object{};
};

/// The object to send for a transition.
inline const ObjectPtr& ObjectFor(WatchEventType type, const CacheEvent& event) {
  return type == WatchEventType::kDeleted ? event.Gone() : event.object;
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_CACHER_WATCHER_FILTER_H_
