#ifndef KINFORMER_SRC_APISERVER_APPLY_MANAGED_FIELDS_H_
#define KINFORMER_SRC_APISERVER_APPLY_MANAGED_FIELDS_H_

// In:     metadata.managedFields
// Out:    its entries, and the list that is written from them
// Thread: any; values
// Next:   FieldManager

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/apply/field_set.h"

namespace kinformer::apiserver {

/// What one manager owns, by one way of writing.
struct ManagedEntry {
  std::string manager{};
  /// By apply, or else by any other write.
  bool applied = false;
  std::string api_version{};
  std::string subresource{};
  /// RFC 3339; empty: none.
  std::string time{};
  FieldSet fields{};

  /// Whether two entries are of the same manager: of appliers, in whatever version they write.
  bool SameManager(const ManagedEntry& other) const;
  /// An order of managers that does not change; what SameManager compares, as one text.
  std::string Identity() const;
};

/// The entries of an object.
class ManagedFields {
 public:
  /// Of `metadata.managedFields`; anything but a list of complete entries is an error.
  static Result<ManagedFields> FromJson(const nlohmann::json& managed_fields);
  /// By operation, time, manager, version and subresource.
  nlohmann::json ToJson() const;

  bool Empty() const { return entries_.empty(); }
  std::vector<ManagedEntry>& entries() { return entries_; }
  const std::vector<ManagedEntry>& entries() const { return entries_; }
  /// Null: it owns nothing.
  ManagedEntry* Find(const ManagedEntry& like);
  /// The entry of that manager, new if there is none.
  ManagedEntry& Get(const ManagedEntry& like);
  void DropEmpty();
  /// Merges the oldest entries of updates, until no more than `most` are left.
  void Cap(std::size_t most);

 private:
  std::vector<ManagedEntry> entries_;
};

/// What a client sends to be rid of all entries: [] or [{}].
bool ResetsManagedFields(const nlohmann::json& managed_fields);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_MANAGED_FIELDS_H_
