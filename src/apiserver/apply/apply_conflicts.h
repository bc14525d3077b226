#ifndef KINFORMER_SRC_APISERVER_APPLY_APPLY_CONFLICTS_H_
#define KINFORMER_SRC_APISERVER_APPLY_APPLY_CONFLICTS_H_

// In:     what an apply would take from others
// Out:    the 409 that says so
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
  /// Whose (the entry's own fields do not count), and which.
  std::vector<std::pair<ManagedEntry, FieldSet>> of{};

  bool Empty() const { return of.empty(); }
  /// What is left when `fields` are no conflict.
  Conflicts Without(const FieldSet& fields) const;
  /// Status 409 with a cause for each field.
  Error ToError() const;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_APPLY_APPLY_CONFLICTS_H_
