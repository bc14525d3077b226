#ifndef KINFORMER_SRC_APISERVER_REGISTRY_FIELD_CHECKS_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_FIELD_CHECKS_H_

// In:     an object as sent by a client
// Out:    the same object with types checked, unknown fields pruned and defaults applied
// Thread: any; pure
// Next:   strategy

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/schema/field_error.h"

namespace kinformer::apiserver {

/// Facts about the request body that the parsed object no longer shows.
struct SentFields {
  /// Paths of duplicate fields; the last value wins.
  std::vector<std::string> duplicates{};
  /// The object is the result of a patch: strict validation then fails with 422 instead of 400.
  bool patch = false;
};

/// The prefix of decoding errors: "Pod in version "v1" cannot be handled as a Pod".
std::string CannotBeHandled(const ServedKind& kind);

/// Returns 400 if a value does not have its field's type. Checks every field of built-in kinds, but only apiVersion,
/// kind and metadata of custom kinds.
Result<void> DecodeObject(const ServedKind& kind, nlohmann::json& object);

/// Drops fields that are not in the schema, then applies defaults. `parameters.field_validation` decides whether
/// unknown and duplicate fields are ignored, reported as warnings or rejected. Overwrites `*parameters.warnings`.
/// Without a schema the object is left unchanged.
Result<void> TakeFields(const ServedKind& kind, nlohmann::json& object, const SentFields& sent,
                        const WriteParameters& parameters);

/// Validates custom kinds against their schema and built-in kinds by their own rules. `old`: the previous version; null
/// on create.
std::vector<FieldError> CheckContent(const ServedKind& kind, const nlohmann::json& object, const nlohmann::json* old,
                                     Subresource subresource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_FIELD_CHECKS_H_
