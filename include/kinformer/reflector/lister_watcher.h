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
#include <kinformer/meta/list.h>

namespace kinformer {

/// A Reflector's request for one page of a list. The ListerWatcher knows what to list (kind, namespace, selectors).
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

/// Items of a page, in any number of parts; the page's metadata ends it.
using ListPart = std::variant<std::vector<ObjectPtr>, ListMeta>;

/// The server ended the watch normally.
struct WatchEnd {};
/// An empty vector means that the server has accepted the watch. A source should report this as soon as it knows, so
/// that the Reflector can tell a slow server from a slow connection.
using WatchPart = std::variant<std::vector<WatchEvent>, WatchEnd>;

/// An operation in progress, pulled without blocking: TryNext returns nullopt if nothing has arrived. Destruction
/// cancels it.
///
/// @par Thread Safety
/// One consumer at a time; the function given to NotifyWhenReady may run on any thread and must only signal.
template <typename Part>
class PullStream {
 public:
  virtual ~PullStream() = default;
  virtual Result<std::optional<Part>> TryNext() = 0;
  /// Calls `ready` once, as soon as TryNext has something; immediately, if it already has. Spurious calls are allowed.
  /// A later call replaces an earlier one.
  virtual void NotifyWhenReady(std::function<void()> ready) = 0;
};
using ListStream = PullStream<ListPart>;
using WatchEventStream = PullStream<WatchPart>;

/// The source of a Reflector's objects: an API server over HTTP, a storage, or a pair of functions.
///
/// @par Thread Safety
/// Called by one Reflector, from its task.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// Neither blocks. Errors are reported by the stream.
  virtual std::unique_ptr<ListStream> List(const ListRequest& request) = 0;
  virtual std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) = 0;
  /// False if the source is known not to support streaming lists.
  virtual bool SupportsStreamingLists() const { return true; }
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_LISTER_WATCHER_H_
