#ifndef KINFORMER_REFLECTOR_LISTER_WATCHER_H_
#define KINFORMER_REFLECTOR_LISTER_WATCHER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>

namespace kinformer {

/// One page of a list, as a Reflector asks for it. What to list (kind, namespace, selectors) the ListerWatcher knows.
struct ListRequest {
  std::string resource_version{};
  std::string resource_version_match{};
  std::int64_t limit = 0;
  std::string continue_token{};

  bool operator==(const ListRequest&) const = default;
};

struct WatchRequest {
  std::string resource_version{};
  std::string resource_version_match{};
  std::optional<bool> send_initial_events{};
  bool allow_bookmarks = true;
  std::chrono::seconds timeout{0};

  bool operator==(const WatchRequest&) const = default;
};

/// The end of a page.
struct ListEnd {
  std::string resource_version{};
  std::string continue_token{};
  std::optional<std::int64_t> remaining_item_count{};
};
using ListPart = std::variant<std::vector<ObjectPtr>, ListEnd>;

/// The server ended the watch in good order.
struct WatchEnd {};
/// No events at all (an empty vector) means that the other side has accepted the watch. A source should say so as soon
/// as it knows: only a watch that is open can be blamed for what does not come.
using WatchPart = std::variant<std::vector<WatchEvent>, WatchEnd>;

/// Something under way, pulled without blocking: nullopt means nothing yet. Destroying it cancels.
///
/// @par Thread Safety
/// One consumer at a time; the function given to NotifyWhenReady runs on any thread and only signals.
template <typename Part>
class PullStream {
 public:
  virtual ~PullStream() = default;
  virtual Result<std::optional<Part>> TryNext() = 0;
  /// Calls `ready` once, as soon as TryNext has something (at once, if it has already). A later call replaces an
  /// earlier one.
  virtual void NotifyWhenReady(std::function<void()> ready) = 0;
};
using ListStream = PullStream<ListPart>;
using WatchEventStream = PullStream<WatchPart>;

/// Where a Reflector gets its objects: an API server over HTTP, a storage, or a pair of functions.
///
/// @par Thread Safety
/// Called by one Reflector, on its task.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// Neither blocks; what goes wrong comes out of the stream.
  virtual std::unique_ptr<ListStream> List(const ListRequest& request) = 0;
  virtual std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) = 0;
  /// False if it is known that the other side does not serve streaming lists.
  virtual bool SupportsStreamingLists() const { return true; }
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_LISTER_WATCHER_H_
