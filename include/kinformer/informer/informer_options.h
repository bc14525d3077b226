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

/// How one informer watches its Selection. Informers of one factory that agree in the selection and in everything here
/// but `resync`, `backoff` and `on_error` share one watch and one cache; these three are taken from the first informer.
/// An informer with `namespaces`, or with an unnamed transform or tweak of its own, is never shared.
struct InformerOptions {
  /// Watch only these namespaces: one cache and one set of handlers, with one watch per namespace. For controllers that
  /// may not watch all namespaces. May be empty, and SharedInformer::SetNamespaces changes it later. Takes precedence
  /// over Selection::namespace_name. An empty string in it is an error, which Status and all waits return.
  std::optional<std::vector<std::string>> namespaces{};
  /// For handlers that set none; nullopt: the factory's.
  std::optional<std::chrono::milliseconds> resync{};
  /// Modifies objects before they are stored.
  NamedTransform transform{};
  /// Modifies requests before they are sent.
  NamedTweak tweak{};
  /// Use streaming lists if the server supports them. False: always use paged lists.
  bool streaming_lists = true;
  std::optional<BackoffOptions> backoff{};
  /// Called for every failed list or watch, every error in a stream, and every object on which a transform or an index
  /// function failed. Runs on a pool thread; must not block.
  std::function<void(const Error&)> on_error{};
};

/// Options of an informer over a user-defined ListerWatcher, see SharedInformerFactory::ForSource.
struct SourceOptions {
  /// The informer's name in messages.
  std::string name = "source";
  /// Objects of another kind are skipped; empty: accept any kind.
  GroupVersionKind kind{};
  /// For handlers that set none; nullopt: the factory's.
  std::optional<std::chrono::milliseconds> resync{};
  NamedTransform transform{};
  std::optional<BackoffOptions> backoff{};
  /// See InformerOptions::on_error.
  std::function<void(const Error&)> on_error{};
};

/// kParked: the server does not serve the kind. The informer asks again every few seconds and keeps the cache.
enum class InformerState { kStopped, kSyncing, kWatching, kRetrying, kParked };

struct InformerStatus {
  InformerState state = InformerState::kStopped;
  bool synced = false;
  std::size_t objects = 0;
  /// The cache's version.
  std::string resource_version{};
  /// When data last arrived from the server.
  std::optional<TimePoint> last_activity{};
  std::optional<Error> last_error{};
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  /// Deltas that are not in the cache yet.
  std::size_t queued = 0;
  std::size_t queued_bytes = 0;
  /// Progress of the current list.
  std::size_t listed = 0;
  std::uint64_t listed_bytes = 0;
  std::optional<std::int64_t> remaining{};
  std::vector<HandlerStatus> handlers{};
};

/// One informer of a factory, see SharedInformerFactory::Informers.
struct InformerInfo {
  /// SharedInformer::Name: "pods in default".
  std::string name{};
  InformerStatus status{};
};

}  // namespace kinformer

#endif  // KINFORMER_INFORMER_INFORMER_OPTIONS_H_
