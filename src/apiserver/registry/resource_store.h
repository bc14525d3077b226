#ifndef KINFORMER_SRC_APISERVER_REGISTRY_RESOURCE_STORE_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_RESOURCE_STORE_H_

// In:     what a client wants of one resource, checked for its form alone
// Out:    the object as it is afterwards, or a refusal with the status that a client gets
// Thread: calls block their caller; nothing of its own
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
#include "src/apiserver/storage/object_storage.h"

namespace kinformer::apiserver {

/// kFinalize: of a namespace, the way to `spec.finalizers`.
enum class Subresource { kNone, kStatus, kScale, kFinalize };
enum class PatchKind { kJson, kMerge, kStrategic, kApply };

/// What becomes of fields that the kind does not have, or that are there twice: in any case they are not stored.
enum class FieldValidation { kIgnore, kWarn, kStrict };

struct WriteParameters {
  /// The whole way, but nothing is stored.
  bool dry_run = false;
  /// Who owns what the write changes.
  std::string field_manager{};
  FieldValidation field_validation = FieldValidation::kWarn;
  /// Where kWarn says what it found ("unknown field \"spec.foo\""); null: to nobody.
  std::vector<std::string>* warnings = nullptr;
  /// Of an apply: takes what others own.
  bool force = false;
  /// Has the last word on what is about to be stored, coming from `before` (null: it is new). Unset: nobody has.
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
  /// What was deleted; or what is still there and waits for its finalizers or its grace period.
  ObjectPtr object{};
  bool finished = true;
  /// It was only marked, since watchers of such a kind hear of that first; it goes next.
  bool announced = false;
  /// It is answered by the object, be it gone or not; else by a Status.
  bool shows_object = false;
};

struct SentFields;

/// What the rules of one resource need of the others.
struct RegistryContext {
  std::shared_ptr<const Clock> clock = Clock::System();
  /// Null where there is no such namespace. Unset: every namespace is there.
  std::function<Result<ObjectPtr>(const std::string& name, const std::stop_token&)> find_namespace{};
};

/// The rules of one resource: what a create, update, patch or delete may do, and what it does beside what was asked.
/// Bodies are JSON texts; what is wrong with them is a refusal as a server answers it (400, 409, 422, ...).
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
  Result<ListResult> List(const ListQuery& query, const std::stop_token& stop) const;
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& stop) const;

  /// `namespace_name` is the URL's.
  Result<ObjectPtr> Create(const std::string& namespace_name, std::string_view body, const WriteParameters& parameters,
                           const std::stop_token& stop) const;
  /// kScale takes and gives an autoscaling/v1 Scale, as Get of that subresource does: see ScaleOf.
  Result<UpdateOutcome> Update(const std::string& namespace_name, const std::string& name, Subresource subresource,
                               std::string_view body, const WriteParameters& parameters,
                               const std::stop_token& stop) const;
  /// What is applied is made if it is not there.
  Result<UpdateOutcome> Patch(const std::string& namespace_name, const std::string& name, Subresource subresource,
                              PatchKind kind, std::string_view patch, const WriteParameters& parameters,
                              const std::stop_token& stop) const;
  Result<DeleteOutcome> Delete(const std::string& namespace_name, const std::string& name,
                               const DeleteParameters& parameters, const std::stop_token& stop) const;
  /// A pod gets its node, as a scheduler does it: by a Binding. Conflict if it has one already.
  Result<ObjectPtr> Bind(const std::string& namespace_name, const std::string& name, std::string_view body,
                         const WriteParameters& parameters, const std::stop_token& stop) const;
  /// Each by itself; what is gone already is no error. The objects as they were before.
  Result<ListResult> DeleteCollection(const ListQuery& query, const DeleteParameters& parameters,
                                      const std::stop_token& stop) const;
  /// Of an object that can be scaled.
  Result<ObjectPtr> ScaleOf(const Object& object) const;

 private:
  /// What the whole object shall be, as far as the client says; the rules see to the rest.
  using Wanted = std::function<Result<nlohmann::json>(const nlohmann::json& current)>;

  Result<void> CheckNamespace(const std::string& namespace_name, const std::string& name,
                              const std::stop_token& stop) const;
  Result<ObjectPtr> Change(const std::string& namespace_name, const std::string& name, Subresource subresource,
                           const Wanted& wanted, const SentFields& sent, const Ownership& ownership,
                           const WriteParameters& parameters, const std::stop_token& stop) const;
  /// `object`: complete with its defaults.
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
