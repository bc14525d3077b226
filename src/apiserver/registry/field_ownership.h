#ifndef KINFORMER_SRC_APISERVER_REGISTRY_FIELD_OWNERSHIP_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_FIELD_OWNERSHIP_H_

// In:     what a write made of an object
// Out:    the same with metadata.managedFields as they are afterwards
// Thread: any
// Next:   FieldManager

#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/apply/field_manager.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// How a write has to do with who owns what.
struct Ownership {
  /// "status", "scale"; empty: the object itself.
  std::string subresource{};
  /// The object comes from an apply, and has its managedFields already.
  bool applied = false;
};

/// The field manager of a kind, made when it is first needed: it needs the kind's schema, which takes time to read.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class FieldOwnership {
 public:
  explicit FieldOwnership(const ServedKind& kind) : kind_(kind) {}

  const FieldManager& manager() const;
  /// The one place where managedFields of ordinary writes are kept: `object` is about to be stored for `live` (null: it
  /// is new).
  void Keep(const nlohmann::json& live, nlohmann::json& object, const Ownership& how, const std::string& manager,
            Timestamp now) const;

 private:
  const ServedKind kind_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const FieldManager> manager_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_FIELD_OWNERSHIP_H_
