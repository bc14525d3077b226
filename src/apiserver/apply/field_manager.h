#ifndef KINFORMER_SRC_APISERVER_APPLY_FIELD_MANAGER_H_
#define KINFORMER_SRC_APISERVER_APPLY_FIELD_MANAGER_H_

// In:     an object before and after a write, or a configuration to apply
// Out:    who owns which of its fields; the object with the configuration applied, or who is in the way
// Thread: any; constant
// Next:   registry

#include <string>

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/apply/field_set.h"
#include "src/apiserver/apply/managed_fields.h"
#include "src/apiserver/apply/type_ref.h"
#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Who writes, by what way, and when.
struct FieldWriter {
  /// Empty: "unknown".
  std::string manager{};
  /// "status", "scale"; empty: the object itself.
  std::string subresource{};
  Timestamp now{};
};

struct FieldManagerOptions {
  GroupVersionKind kind{};
  /// Null: types are deduced.
  KindSchemaPtr schema{};
  /// Kinds of Go structs have parts that are always there, and no field that is null; objects of users' kinds are as
  /// they were written.
  bool built_in = true;
  /// status is written by its subresource alone, and everything else by the object itself.
  bool has_status = false;
  /// metadata is written by both, but for one member of it (empty: none).
  bool status_reaches_metadata = false;
  std::string out_of_its_reach{};
};

struct ApplyResult {
  /// With its managedFields.
  nlohmann::json object{};
  /// Nothing but managedFields may have changed.
  bool changed = true;
};

/// Keeps metadata.managedFields of the objects of one kind.
class FieldManager {
 public:
  explicit FieldManager(FieldManagerOptions options);

  /// Sets the managedFields of `object`, which is about to be stored in the place of `live` (null: it is new). Those
  /// that `object` brings are taken as the ones to start from, if they can be read; [] or [{}] makes an end of all. Who
  /// wrote owns what changed, others lose it.
  void Update(const nlohmann::json& live, nlohmann::json& object, const FieldWriter& writer) const;

  /// `config` applied to `live` (null: it is not there). 409 if that changed what others own and they are not forced;
  /// 400 for what is no configuration of this kind, 500 for one that its schema does not know, as a server answers.
  Result<ApplyResult> Apply(const nlohmann::json& live, const nlohmann::json& config, const FieldWriter& writer,
                            bool force) const;

 private:
  ManagedEntry EntryOf(const FieldWriter& writer, bool applied) const;
  /// Without what a write by `subresource` does not touch.
  FieldSet Filtered(FieldSet fields, const std::string& subresource) const;
  /// Of what a comparison found, what a write by `subresource` touched.
  FieldSet Touched(FieldSet compared, const std::string& subresource) const;
  bool UpdateEntries(const nlohmann::json& live, const nlohmann::json& object, const FieldWriter& writer,
                     ManagedFields& managed) const;
  Result<ApplyResult> ApplyOnce(const nlohmann::json& live, const nlohmann::json& config, ManagedFields managed,
                                const FieldWriter& writer, bool force, struct Conflicts& conflicts) const;
  Result<nlohmann::json> Prune(const nlohmann::json& merged, const ManagedFields& managed, const FieldSet& last) const;
  /// What kubectl owns by the annotation that it wrote when it applied by itself.
  FieldSet OwnedByAnnotation(const nlohmann::json& live) const;
  Error TypeError(const nlohmann::json& object, std::string_view what, const Error& why) const;

  const FieldManagerOptions options_;
  const TypeRef type_;
  const FieldSet always_there_;
};

/// From a request: the fieldManager parameter, or else what the User-Agent begins with.
std::string ManagerName(std::string_view field_manager, std::string_view user_agent);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_FIELD_MANAGER_H_
