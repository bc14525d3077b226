#ifndef KINFORMER_INFORMER_INFORMER_OPTIONS_H_
#define KINFORMER_INFORMER_INFORMER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/backoff.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/codec/object.h>
#include <kinformer/processor/registration.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/reflector/transform.h>

namespace kinformer {

/// What one informer watches, and how. Informers of one factory that agree in everything but `resync`, `backoff` and
/// `on_error` share one watch and one cache; of those, the first one's count. One with `namespaces` shares with nobody.
struct InformerOptions {
  /// Empty: the factory's; and if that is empty too, all namespaces.
  std::string namespace_name{};
  /// These namespaces, in one cache with one set of handlers, a watch each; the set may be changed later
  /// (SharedInformer::SetNamespaces), also to or from no namespace at all: then give `std::vector<std::string>{}`.
  /// For users who may not watch all namespaces. Goes before `namespace_name`.
  std::optional<std::vector<std::string>> namespaces{};
  std::string label_selector{};
  std::string field_selector{};
  /// For handlers that name none of their own; nullopt: the factory's.
  std::optional<std::chrono::milliseconds> resync{};
  /// Changes objects before they are stored. Its name says whether two are the same.
  NamedTransform transform{};
  /// Changes requests before they are sent.
  NamedTweak tweak{};
  /// Ask the server for metadata only. Objects are then partial.
  bool metadata_only = false;
  bool keep_managed_fields = false;
  /// Streaming lists where the server has them; paged lists otherwise and where this is false.
  bool streaming_lists = true;
  std::optional<BackoffOptions> backoff{};
  /// Every failed list or watch and every error in a stream; called on a thread of the pool, must not block.
  std::function<void(const Error&)> on_error{};
};

/// kParked: the server does not have the kind. It is asked for it every few seconds; the cache stays as it is.
enum class InformerState { kStopped, kSyncing, kWatching, kRetrying, kParked };

struct InformerStatus {
  InformerState state = InformerState::kStopped;
  bool synced = false;
  std::size_t objects = 0;
  /// Of the cache.
  std::string resource_version{};
  /// When the server last said anything.
  std::optional<TimePoint> last_heard{};
  std::optional<Error> last_error{};
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  /// Deltas that the cache does not have yet.
  std::size_t queued = 0;
  /// Of the list under way.
  std::size_t listed = 0;
  std::uint64_t listed_bytes = 0;
  std::optional<std::int64_t> remaining{};
  std::vector<HandlerStatus> handlers{};
};

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_INFORMER_OPTIONS_H_
