#ifndef KINFORMER_SRC_APISERVER_REGISTRY_RESOURCE_STORE_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_RESOURCE_STORE_H_

// In:     a request for one resource, checked only for its syntax
// Out:    the resulting object, or an error with the HTTP status for the client
// Thread: calls block; owns no thread
// Next:   ObjectStorage

#include <chrono>
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

#include "src/apiserver/registry/field_ownership.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

/// kFinalize: namespaces only; the only way to change `spec.finalizers`.
enum class Subresource { kNone, kStatus, kScale, kFinalize };
enum class PatchKind { kJson, kMerge, kStrategic, kApply };

/// How unknown and duplicate fields are reported. In every mode unknown fields are dropped and the last duplicate wins.
enum class FieldValidation { kIgnore, kWarn, kStrict };

struct WriteParameters {
  /// Runs every check, including admission, but stores nothing.
  bool dry_run = false;
  /// The manager recorded in managedFields for the fields that the write changes.
  std::string field_manager{};
  FieldValidation field_validation = FieldValidation::kWarn;
  /// Receives warnings, such as those of kWarn ("unknown field \"spec.foo\""); null: discarded.
  std::vector<std::string>* warnings = nullptr;
  /// Apply only: takes over fields owned by other managers.
  bool force = false;
  /// Final check of the object about to be stored. `before`: the previous version; null on create. Called again
  /// whenever the write is retried. Unset: everything is admitted.
  std::function<Result<void>(const Object* before, const Object& after)> admit{};
};

struct DeleteParameters {
  bool dry_run = false;
  std::optional<std::int64_t> grace_period_seconds{};
  Preconditions preconditions{};
  /// "", "Background", "Foreground" or "Orphan".
  std::string propagation_policy{};
};

struct UpdateOutcome {
  ObjectPtr object{};
  bool created = false;
};

struct DeleteOutcome {
  /// The deleted object, or the remaining one if finalizers or its grace period delay the deletion.
  ObjectPtr object{};
  bool finished = true;
  /// The object was only marked, because watchers of a graceful kind see the mark before the deletion; it is removed
  /// next.
  bool announced = false;
  /// The response is the object, whether removed or not; otherwise a Status.
  bool shows_object = false;
};

struct SentFields;

/// What the rules of one resource need from its surroundings.
struct RegistryContext {
  std::shared_ptr<const Clock> clock = Clock::System();
  /// Returns null if the namespace does not exist. Unset: every namespace counts as existing.
  std::function<Result<ObjectPtr>(const std::string& name, const std::stop_token&)> find_namespace{};
};

/// The rules of one resource: what create, update, patch and delete may do, and their side effects. Bodies are JSON
/// texts; invalid ones get the error that a real server returns (400, 409, 422, ...).
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ResourceStore {
 public:
  ResourceStore(ServedKind kind, std::shared_ptr<ObjectStorage> storage, RegistryContext context);

  const ServedKind& kind() const { return kind_; }
  ObjectStorage& storage() const { return *storage_; }

  Result<ObjectPtr> Get(const std::string& namespace_name, const std::string& name, const std::string& resource_version,
                        const std::stop_token& stop) const;
  /// See ObjectStorage.
  Result<void> AwaitVersion(const std::string& resource_version, Suspension& suspension,
                            const std::stop_token& stop) const;
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& stop) const;
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) const;

  /// `namespace_name`: from the URL.
  Result<ObjectPtr> Create(const std::string& namespace_name, std::string_view body, const WriteParameters& parameters,
                           const std::stop_token& stop) const;
  /// kScale takes and returns an autoscaling/v1 Scale; see ScaleOf.
  Result<UpdateOutcome> Update(const std::string& namespace_name, const std::string& name, Subresource subresource,
                               std::string_view body, const WriteParameters& parameters,
                               const std::stop_token& stop) const;
  /// An apply without a subresource creates a missing object.
  Result<UpdateOutcome> Patch(const std::string& namespace_name, const std::string& name, Subresource subresource,
                              PatchKind kind, std::string_view patch, const WriteParameters& parameters,
                              const std::stop_token& stop) const;
  Result<DeleteOutcome> Delete(const std::string& namespace_name, const std::string& name,
                               const DeleteParameters& parameters, const std::stop_token& stop) const;
  /// Assigns a pod to a node with a Binding, as schedulers do. 409 if the pod already has a node or is being deleted.
  Result<ObjectPtr> Bind(const std::string& namespace_name, const std::string& name, std::string_view body,
                         const WriteParameters& parameters, const std::stop_token& stop) const;
  /// Deletes the objects one by one, not atomically, and stops at the first error other than 404. Returns the objects
  /// as they were before. With a limit, deletes one page; else reads pages until there are no more. May be suspended
  /// only before it deletes anything.
  Result<ObjectList> DeleteCollection(ListQuery query, const DeleteParameters& parameters,
                                      const std::stop_token& stop) const;
  /// The autoscaling/v1 Scale of an object; 404 if its kind has no scale subresource.
  Result<ObjectPtr> ScaleOf(const Object& object) const;

 private:
  /// Computes the object that the client wants from the current one; the rules are applied to the result.
  using Wanted = std::function<Result<nlohmann::json>(const nlohmann::json& current)>;

  Result<void> CheckNamespace(const std::string& namespace_name, const std::string& name,
                              const std::stop_token& stop) const;
  Result<ObjectPtr> Change(const std::string& namespace_name, const std::string& name, Subresource subresource,
                           const Wanted& wanted, const SentFields& sent, const Ownership& ownership,
                           const WriteParameters& parameters, const std::stop_token& stop) const;
  /// `object`: with defaults applied.
  Result<ObjectPtr> CreateObject(const std::string& namespace_name, const nlohmann::json& object,
                                 const Ownership& ownership, const WriteParameters& parameters,
                                 const std::stop_token& stop) const;
  Result<UpdateOutcome> PatchScale(const std::string& namespace_name, const std::string& name, PatchKind kind,
                                   const nlohmann::json& patch, const WriteParameters& parameters,
                                   const std::stop_token& stop) const;
  Result<UpdateOutcome> Apply(const std::string& namespace_name, const std::string& name, Subresource subresource,
                              const nlohmann::json& config, const SentFields& sent, const WriteParameters& parameters,
                              const std::stop_token& stop) const;
  Result<DeleteOutcome> DeleteOnce(const std::string& namespace_name, const std::string& name,
                                   const DeleteParameters& parameters, const std::stop_token& stop) const;

  const ServedKind kind_;
  const std::shared_ptr<ObjectStorage> storage_;
  const RegistryContext context_;
  const std::unique_ptr<const FieldOwnership> fields_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_RESOURCE_STORE_H_
