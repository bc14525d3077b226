#ifndef KINFORMER_SRC_APISERVER_CRD_CUSTOM_DEFINITION_H_
#define KINFORMER_SRC_APISERVER_CRD_CUSTOM_DEFINITION_H_

// In:     a CustomResourceDefinition that has been taken
// Out:    the kinds that it defines, one for each version
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
  /// The versions that are served, the preferred one first.
  std::vector<ServedKind> served{};
  /// The version in which objects are stored; served or not.
  ServedKind stored{};
};

/// With the names that status.acceptedNames grants, or spec.names where there are none.
Result<CustomDefinition> ReadDefinition(const nlohmann::json& definition);

/// One or more definitions from a text, YAML (of several documents) or JSON: objects, arrays of them, or an object of a
/// kind *List with items. The error says what is wrong with it.
Result<std::vector<nlohmann::json>> ReadDefinitionTexts(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CUSTOM_DEFINITION_H_
