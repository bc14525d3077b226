#ifndef KINFORMER_SRC_APISERVER_APPLY_MANAGED_FIELDS_H_
#define KINFORMER_SRC_APISERVER_APPLY_MANAGED_FIELDS_H_

// In:     metadata.managedFields
// Out:    its entries, and the list serialized from them
// Thread: any; values
// Next:   FieldManager

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/apply/field_set.h"

namespace kinformer::apiserver {

/// The fields that one manager owns through one kind of write.
struct ManagedEntry {
  std::string manager{};
  /// Owned by apply; otherwise by other writes.
  bool applied = false;
  std::string api_version{};
  std::string subresource{};
  /// RFC 3339; empty: none.
  std::string time{};
  FieldSet fields{};

  /// Whether two entries belong to the same manager; for applies the API version does not matter.
  bool SameManager(const ManagedEntry& other) const;
  /// What SameManager compares, as text; gives managers a stable order.
  std::string Identity() const;
};

/// The entries of an object.
class ManagedFields {
 public:
  /// Parses `metadata.managedFields`; null is empty. Anything but a list of complete entries is an error.
  static Result<ManagedFields> FromJson(const nlohmann::json& managed_fields);
  /// Sorted by operation, time, manager, version and subresource.
  nlohmann::json ToJson() const;

  bool Empty() const { return entries_.empty(); }
  std::vector<ManagedEntry>& entries() { return entries_; }
  const std::vector<ManagedEntry>& entries() const { return entries_; }
  /// Null: no such entry.
  ManagedEntry* Find(const ManagedEntry& like);
  /// The manager's entry, created if missing.
  ManagedEntry& Get(const ManagedEntry& like);
  void DropEmpty();
  /// Merges the oldest update entries until at most `most` remain. Only entries of the same API version are merged, so
  /// more may remain.
  void Cap(std::size_t most);

 private:
  std::vector<ManagedEntry> entries_;
};

/// Whether the value is [] or [{}], by which a client removes all entries.
bool ResetsManagedFields(const nlohmann::json& managed_fields);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_MANAGED_FIELDS_H_
