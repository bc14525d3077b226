#ifndef KINFORMER_SRC_APISERVER_REGISTRY_FIELD_CHECKS_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_FIELD_CHECKS_H_

// In:     an object as a client sent it
// Out:    the same as its kind's schema has it: types checked, unknown fields gone, defaults in place
// Thread: any; pure
// Next:   strategy

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/registry/resource_store.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/apiserver/schema/field_error.h"

namespace kinformer::apiserver {

/// What was in the text besides the object that came of it.
struct SentFields {
  /// Paths that were there twice; the last one counts.
  std::vector<std::string> duplicates{};
  /// It was a patch, of which the object is what it made: refused as invalid, where a whole object is a bad request.
  bool patch = false;
};

/// "Pod in version "v1" cannot be handled as a Pod": how what cannot be read begins.
std::string CannotBeHandled(const ServedKind& kind);

/// 400 where a value has another type than its field: of built-in kinds everywhere, of others in their metadata.
Result<void> DecodeObject(const ServedKind& kind, nlohmann::json& object);

/// Drops what the schema does not know, and what `parameters` say of it: nothing, warnings, or a refusal. Then sets
/// defaults. A kind without a schema stays as it is.
Result<void> TakeFields(const ServedKind& kind, nlohmann::json& object, const SentFields& sent,
                        const WriteParameters& parameters);

/// What is wrong with the object by its kind: its schema where a user defined it, a server's rules where it is built
/// in. `old`: what it was; null: it is new.
std::vector<FieldError> CheckContent(const ServedKind& kind, const nlohmann::json& object, const nlohmann::json* old,
                                     Subresource subresource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_FIELD_CHECKS_H_
