#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_RULES_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_RULES_H_

// In:     CustomResourceDefinitions as sent by clients
// Out:    server-managed fields, and validation errors
// Thread: any; pure
// Next:   the ResourceStore of that kind

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/meta/time.h>

#include "src/apiserver/registry/served_kind.h"
#include "src/schema/field_error.h"

namespace kinformer::apiserver {

/// Keeps a definition until its last object is gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/// CustomResourceDefinitionKind(), with the rules below.
ServedKind DefinitionKind();

/// Sets derived names, the default conversion, and adds the storage version to status.storedVersions.
void CompleteDefinition(nlohmann::json& definition, const nlohmann::json* old);
/// Validates a definition, in a server's wording. Stricter than a real server: rejects CEL rules and webhook
/// conversion, which this server cannot execute.
std::vector<FieldError> CheckDefinition(const nlohmann::json& definition, const nlohmann::json* old);
/// Adds the finalizer and the Terminating condition.
void MarkDefinitionDeleted(nlohmann::json& definition, Timestamp now);

/// Sets a condition of `status`. lastTransitionTime changes only if the condition's status does.
void SetCondition(nlohmann::json& status, std::string_view type, bool is_true, std::string_view reason,
                  std::string_view message, Timestamp now);
bool IsConditionTrue(const nlohmann::json& definition, std::string_view type);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_RULES_H_
