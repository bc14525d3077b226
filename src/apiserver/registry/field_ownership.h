#ifndef KINFORMER_SRC_APISERVER_REGISTRY_FIELD_OWNERSHIP_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_FIELD_OWNERSHIP_H_

// In:     the object that a write produces
// Out:    the same object with updated metadata.managedFields
// Thread: any
// Next:   FieldManager

#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/apply/field_manager.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// How a write affects field ownership.
struct Ownership {
  /// "status", "scale"; empty: the main resource.
  std::string subresource{};
  /// The object comes from an apply, which has already updated its managedFields.
  bool applied = false;
};

/// A kind's field manager, created on first use because reading the kind's schema is slow.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class FieldOwnership {
 public:
  explicit FieldOwnership(const ServedKind& kind) : kind_(kind) {}

  const FieldManager& manager() const;
  /// Updates the managedFields of `object`, which is about to replace `live` (null on create). Does nothing for an
  /// apply. The only place where other writes update managedFields.
  void Keep(const nlohmann::json& live, nlohmann::json& object, const Ownership& how, const std::string& manager,
            Timestamp now) const;

 private:
  const ServedKind kind_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const FieldManager> manager_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_FIELD_OWNERSHIP_H_
