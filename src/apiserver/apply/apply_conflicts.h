#ifndef KINFORMER_SRC_APISERVER_APPLY_APPLY_CONFLICTS_H_
#define KINFORMER_SRC_APISERVER_APPLY_APPLY_CONFLICTS_H_

// In:     the fields that an apply would take from other managers
// Out:    the 409 error
// Thread: any; values
// Next:   FieldManager

#include <string>
#include <utility>
#include <vector>

#include <kinformer/base/error.h>

#include "src/apiserver/apply/field_set.h"
#include "src/apiserver/apply/managed_fields.h"

namespace kinformer::apiserver {

struct Conflicts {
  /// The entries in conflict (their own `fields` are irrelevant), each with the conflicting fields.
  std::vector<std::pair<ManagedEntry, FieldSet>> of{};

  bool Empty() const { return of.empty(); }
  /// The conflicts that remain if `fields` are excluded.
  Conflicts Without(const FieldSet& fields) const;
  /// 409 with one cause per field.
  Error ToError() const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_APPLY_CONFLICTS_H_
