#ifndef KINFORMER_SRC_APISERVER_APPLY_FIELD_MANAGER_H_
#define KINFORMER_SRC_APISERVER_APPLY_FIELD_MANAGER_H_

// In:     an object before and after a write, or a configuration to apply
// Out:    its field ownership; the object with the configuration applied, or the conflicts
// Thread: any; immutable
// Next:   registry

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/apply/field_set.h"
#include "src/apiserver/apply/managed_fields.h"
#include "src/apiserver/apply/type_ref.h"
#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// The manager, subresource and time of a write.
struct FieldWriter {
  /// Empty: "unknown".
  std::string manager{};
  /// "status", "scale"; empty: the main resource.
  std::string subresource{};
  Timestamp now{};
};

struct FieldManagerOptions {
  GroupVersionKind kind{};
  /// Null: types are deduced from the values.
  KindSchemaPtr schema{};
  /// Built-in kinds are Go structs: some parts always exist, and null fields are dropped. Custom objects are kept as
  /// written.
  bool built_in = true;
  /// status is written only through its subresource, and everything else only through the main resource.
  bool has_status = false;
  /// metadata is written through both, except for the member `out_of_its_reach` (empty: none).
  bool status_reaches_metadata = false;
  std::string out_of_its_reach{};
};

/// Maintains metadata.managedFields for the objects of one kind.
class FieldManager {
 public:
  explicit FieldManager(FieldManagerOptions options);

  /// Sets the managedFields of `object`, which is about to replace `live` (null on create). Starts from the
  /// managedFields in `object` if they are valid, otherwise from those of `live`; [] or [{}] resets them. The writer
  /// gains ownership of changed fields, and all others lose it.
  void Update(const nlohmann::json& live, nlohmann::json& object, const FieldWriter& writer) const;

  /// Applies `config` to `live` (null: no such object) and returns the new object, with its managedFields. 409 if that
  /// changes fields of other managers and `force` is not set; 400 if `config` is not of this kind, 500 if it does not
  /// match the schema, as in a real server.
  Result<nlohmann::json> Apply(const nlohmann::json& live, const nlohmann::json& config, const FieldWriter& writer,
                               bool force) const;

 private:
  ManagedEntry EntryOf(const FieldWriter& writer, bool applied) const;
  /// Drops what a write through `subresource` cannot change.
  FieldSet Filtered(FieldSet fields, const std::string& subresource) const;
  /// The part of a comparison that a write through `subresource` changed.
  FieldSet Touched(FieldSet compared, const std::string& subresource) const;
  bool UpdateEntries(const nlohmann::json& live, const nlohmann::json& object, const FieldWriter& writer,
                     ManagedFields& managed) const;
  Result<nlohmann::json> ApplyOnce(const nlohmann::json& live, const nlohmann::json& config, ManagedFields managed,
                                   const FieldWriter& writer, bool force, struct Conflicts& conflicts) const;
  Result<nlohmann::json> Prune(const nlohmann::json& merged, const ManagedFields& managed, const FieldSet& last) const;
  /// The fields that kubectl owns according to the annotation of its client-side apply.
  FieldSet OwnedByAnnotation(const nlohmann::json& live) const;
  Error TypeError(const nlohmann::json& object, std::string_view what, const Error& why) const;

  const FieldManagerOptions options_;
  const TypeRef type_;
  const FieldSet always_there_;
};

/// The fieldManager parameter of a request, or by default the start of the User-Agent.
std::string ManagerName(std::string_view field_manager, std::string_view user_agent);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_FIELD_MANAGER_H_
