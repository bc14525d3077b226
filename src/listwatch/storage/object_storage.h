#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_OBJECT_STORAGE_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_OBJECT_STORAGE_H_

// In:     requests of one resource's endpoints
// Out:    objects with their resourceVersions, lists, and watches
// Thread: calls block; watches are pulled
// Next:   Backend; or the Cacher in front of it, which is an ObjectStorage too

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/object_list.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/selector.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer::apiserver {

/// Converts an object from the version in its apiVersion to the one in which its kind is read. Pure; must not throw for
/// any object.
using VersionConversion = void (*)(nlohmann::json& object);

/// Common to all ObjectStorages of a resource.
struct StorageOptions {
  /// "pods", for messages and keys.
  GroupVersionResource resource{};
  /// The kind of its objects and of the bookmarks in its watches.
  GroupVersionKind kind{};
  /// Keys are <prefix><namespace>/<name>, or <prefix><name>: "/registry/pods/".
  std::string prefix{};
  /// Whether its objects are in namespaces.
  bool namespaced = true;
  /// Fields by which the cache indexes its watches: "spec.nodeName" for pods.
  std::vector<std::string> trigger_fields{};
  /// The value of a selectable field ("status.phase"), other than metadata.name and metadata.namespace. Must be fast
  /// and thread-safe. Unset: the field at that path.
  std::function<std::string(const Object&, std::string_view field)> field_value{};
  /// For objects stored in another version of their kind; null: only their apiVersion is changed.
  VersionConversion convert = nullptr;
  /// TTL after each update, as for Events; zero: none. Create takes its own.
  std::chrono::seconds update_ttl{0};
};

/// Selects the objects of a list or watch.
struct SelectionPredicate {
  LabelSelector labels{};
  FieldSelector fields{};

  bool IsEverything() const { return labels.IsEverything() && fields.IsEverything(); }
  /// The name that every selected object has; nullopt: names may differ.
  std::optional<std::string> MatchesSingle() const { return fields.RequiresExactMatch("metadata.name"); }
  bool Matches(const Object& object, const StorageOptions& options) const;
};

/// Lets a read release its thread instead of blocking until a cache is fresh enough.
///
/// A read with a Suspension that would have to wait sets `wait` and returns an error. The caller moves `wait` out and
/// calls it. Once resumed, it repeats the same read with the same Suspension.
struct Suspension {
  /// Calls `resume` once: when the cache is fresh, on timeout, or when the cache is stopped. On any thread, possibly on
  /// the caller's before it returns; so `resume` must not block or throw.
  using Wait = std::function<void(std::function<void()> resume)>;
  Wait wait{};

  // Private to the storage, between attempts.
  std::int64_t revision = 0;  ///< Zero: the read has not waited yet.
  TimePoint deadline{};
};

enum class VersionMatch { kUnset, kNotOlderThan, kExact };

struct ListQuery {
  /// Empty: all namespaces.
  std::string namespace_name{};
  /// A single object; namespaced kinds also need namespace_name.
  std::string name{};
  SelectionPredicate predicate{};
  /// Empty: the newest; "0": any, preferably cached.
  std::string resource_version{};
  VersionMatch match = VersionMatch::kUnset;
  std::int64_t limit = 0;
  std::string continue_token{};
  /// Null: the call blocks if it has to wait for a cache.
  Suspension* suspension = nullptr;
};

struct WatchQuery {
  std::string namespace_name{};
  std::string name{};
  SelectionPredicate predicate{};
  std::string resource_version{};
  VersionMatch match = VersionMatch::kUnset;
  std::optional<bool> send_initial_events{};
  bool allow_bookmarks = false;
  /// When the watch ends at the latest. The last bookmark is sent shortly before.
  std::optional<TimePoint> deadline{};
  /// See ListQuery.
  Suspension* suspension = nullptr;
};

struct Preconditions {
  std::string uid{};
  std::string resource_version{};
};

/// The objects of one resource, like k8s.io/apiserver's storage.Interface. Errors have the HTTP status, reason and
/// details that the client gets: 404 NotFound, 409 AlreadyExists or Conflict, 410 Expired, 504 Timeout, ...
///
/// Objects keep their managedFields. Stored objects have no resourceVersion; returned ones have that of their write.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ObjectStorage {
 public:
  virtual ~ObjectStorage() = default;

  virtual const StorageOptions& options() const = 0;

  virtual Result<ObjectPtr> Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) = 0;
  /// `resource_version` as in ListQuery, with the semantics of NotOlderThan.
  virtual Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name,
                                const std::string& resource_version, const std::stop_token& stop) = 0;
  /// In key order.
  virtual Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) = 0;
  /// Waits, only by means of the Suspension, until a Get with that version would not block. Does not report invalid
  /// versions: Get does.
  virtual Result<void> AwaitVersion(const std::string& /*resource_version*/, Suspension& /*suspension*/,
                                    const std::stop_token& /*stop*/) {
    return {};
  }

  /// Maps the current object to the wanted one; called again after every write conflict. Null result: delete the
  /// object. Unchanged text: nothing is written. An error aborts the update.
  using Change = std::function<Result<ObjectPtr>(const ObjectPtr& current)>;
  /// Returns the object after the update; for a deletion the last state, with the resourceVersion of the deletion. With
  /// `create_if_missing`, `change` gets null if the object does not exist; otherwise that is 404.
  virtual Result<ObjectPtr> GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                             bool create_if_missing, const Preconditions& preconditions,
                                             const Change& change, const std::stop_token& stop) = 0;

  /// Events are relative to the predicate: objects that start to match are ADDED, those that cease to match are
  /// DELETED. A version that is too old is reported as an ERROR event in the stream, not by this call. WatchEnd: the
  /// deadline, a consumer that is too slow, or a cache reset.
  virtual Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) = 0;

  /// Fails while the cache is not filled; the error says why.
  virtual Result<void> Ready() const = 0;
  /// Whether reads with a resourceVersion (not exact, not paged) are answered without the storage. Fast; only a hint,
  /// since it may change at any time.
  virtual bool AnswersFromMemory() const { return false; }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_OBJECT_STORAGE_H_
