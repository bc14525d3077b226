#ifndef KINFORMER_SRC_APISERVER_STORAGE_OBJECT_STORAGE_H_
#define KINFORMER_SRC_APISERVER_STORAGE_OBJECT_STORAGE_H_

// In:     what the endpoints of one resource ask for
// Out:    objects with their resourceVersions, lists, and watches
// Thread: calls block their caller; watches are pulled
// Next:   Backend; or the Cacher before it, which is an ObjectStorage too

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/selector.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer::apiserver {

/// What ObjectStorages of one resource have in common.
struct StorageOptions {
  /// "pods", for messages and keys.
  GroupVersionResource resource{};
  /// Of its objects, and of the bookmarks in its watches.
  GroupVersionKind kind{};
  /// Keys are <prefix><namespace>/<name>, or <prefix><name>: "/registry/pods/".
  std::string prefix{};
  /// Fields by which watches are looked up rather than asked one by one: "spec.nodeName" of pods.
  std::vector<std::string> trigger_fields{};
  /// The value of a field that can be selected by ("status.phase"), besides metadata.name and metadata.namespace. Must
  /// be quick and thread-safe. By default the field of that path.
  std::function<std::string(const Object&, std::string_view field)> field_value{};
  /// How long an object lives after each of its updates, as Events do; zero: until it is deleted. Create is told its
  /// own.
  std::chrono::seconds update_ttl{0};
};

/// Which objects a list or a watch is about.
struct Predicate {
  LabelSelector labels{};
  FieldSelector fields{};

  bool IsEverything() const { return labels.IsEverything() && fields.IsEverything(); }
  bool Matches(const Object& object, const StorageOptions& options) const;
};

enum class VersionMatch { kUnset, kNotOlderThan, kExact };

struct ListQuery {
  /// Empty: of all namespaces.
  std::string namespace_name{};
  /// With a namespace (or in a kind without): that one object.
  std::string name{};
  Predicate predicate{};
  /// Empty: the newest; "0": what is at hand.
  std::string resource_version{};
  VersionMatch match = VersionMatch::kUnset;
  std::int64_t limit = 0;
  std::string continue_token{};
};

struct ListResult {
  /// In the order of their keys.
  std::vector<ObjectPtr> items{};
  std::string resource_version{};
  std::string continue_token{};
  std::optional<std::int64_t> remaining_item_count{};
};

struct WatchQuery {
  std::string namespace_name{};
  std::string name{};
  Predicate predicate{};
  std::string resource_version{};
  VersionMatch match = VersionMatch::kUnset;
  std::optional<bool> send_initial_events{};
  bool allow_bookmarks = false;
  /// When the watch ends at the latest: a last bookmark comes shortly before.
  std::optional<TimePoint> deadline{};
};

struct Preconditions {
  std::string uid{};
  std::string resource_version{};
};

/// The objects of one resource: k8s.io/apiserver's storage.Interface. Refusals are errors with the HTTP status, reason
/// and details that a client gets: 404 NotFound, 409 AlreadyExists or Conflict, 410 Expired, 504 Timeout, ...
///
/// Objects keep their managedFields. What is written has no resourceVersion of its own; what is returned has the one of
/// its write.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ObjectStorage {
 public:
  virtual ~ObjectStorage() = default;

  virtual const StorageOptions& options() const = 0;

  virtual Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) = 0;
  /// `resource_version` as in ListQuery, without a match.
  virtual Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name,
                                const std::string& resource_version, const std::stop_token& stop) = 0;
  virtual Result<ListResult> List(const ListQuery& query, const std::stop_token& stop) = 0;

  /// From what is there to what shall be there, given anew whenever somebody else was quicker. A null result: delete
  /// it. The very same text: nothing is written, and the object stays as it is. Only an error ends it otherwise.
  using Change = std::function<Result<ObjectPtr>(const ObjectPtr& current)>;
  /// Returns what is there afterwards; of a deletion the last state, with the resourceVersion of the deletion. With
  /// `create_if_missing` the change sees null where nothing is there; else that is 404.
  virtual Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                             bool create_if_missing, const Preconditions& preconditions,
                                             const Change& change, const std::stop_token& stop) = 0;

  /// Events as the watcher sees them: objects that come to match are ADDED, those that cease to are DELETED. A version
  /// that is too old comes as an ERROR event, and then the end; the caller must not expect it here. WatchEnd: timeout,
  /// a reader that was too slow, or a cache that starts anew.
  virtual Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) = 0;

  /// False while the cache has not been filled; why, in the error.
  virtual Result<void> Ready() const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_OBJECT_STORAGE_H_
