#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_DEFINITION_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_DEFINITION_H_

// In:     a CustomResourceDefinition that has been accepted
// Out:    the kinds that it defines, one per version
// Thread: any; pure
// Next:   CrdManager

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

struct CustomDefinition {
  /// The served versions, the preferred one first.
  std::vector<ServedKind> served{};
  /// The version in which objects are stored; served or not.
  ServedKind stored{};
};

/// Uses the names in status.acceptedNames, or spec.names if there are none.
Result<CustomDefinition> ReadDefinition(const nlohmann::json& definition);

/// Parses one or more definitions from YAML (possibly several documents) or JSON: objects, arrays of objects, or a
/// *List with items. kInvalidConfig if there are none or one is invalid.
Result<std::vector<nlohmann::json>> ReadDefinitionTexts(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_DEFINITION_H_
