#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_RULES_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_RULES_H_

// In:     CustomResourceDefinitions as clients write them
// Out:    what a server adds to them, and what it would not take
// Thread: any; pure
// Next:   the ResourceStore of that kind

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/meta/time.h>

#include "src/apiserver/registry/served_kind.h"
#include "src/apiserver/schema/field_error.h"

namespace kinformer::apiserver {

/// Keeps a definition until the last of its objects has gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/// CustomResourceDefinitionKind(), with the rules below.
ServedKind DefinitionKind();

/// Names that follow from others, the conversion, and the storage version among status.storedVersions.
void CompleteDefinition(nlohmann::json& definition, const nlohmann::json* old);
/// In a server's words. Beyond a real server's rules, what would have to be run by somebody (rules in CEL, conversion
/// by a webhook) is refused: nobody here would.
std::vector<FieldError> CheckDefinition(const nlohmann::json& definition, const nlohmann::json* old);
/// The finalizer, and a condition that says what will happen.
void MarkDefinitionDeleted(nlohmann::json& definition, Timestamp now);

/// Sets a condition of `status`; its time only where its status changes.
void SetCondition(nlohmann::json& status, std::string_view type, bool is_true, std::string_view reason,
                  std::string_view message, Timestamp now);
bool IsConditionTrue(const nlohmann::json& definition, std::string_view type);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_RULES_H_
