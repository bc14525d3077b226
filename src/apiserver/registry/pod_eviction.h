#ifndef KINFORMER_SRC_APISERVER_REGISTRY_POD_EVICTION_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_POD_EVICTION_H_

// In:     a pod to evict, and the disruption budgets of its namespace
// Out:    the pod deleted and its budget charged, or an error
// Thread: calls block; owns no thread
// Next:   ResourceStore

#include <stop_token>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

/// Checks that the body is an Eviction of the pod in the URL.
Result<void> CheckEviction(const nlohmann::json& eviction, const std::string& namespace_name, const std::string& name);

/// The budget with one more disruption recorded in its status. 429 if it allows none or its controller has not observed
/// the latest spec; 403 if its status is invalid.
Result<nlohmann::json> Disrupted(nlohmann::json budget, std::string_view pod, Timestamp now);

/// Deletes a pod if the PodDisruptionBudget that selects it allows that. Pods that are pending, finished or being
/// deleted need no budget. A budget's status is set by the disruption controller, which does not run here.
Result<void> Evict(const ResourceStore& pods, const ResourceStore& budgets, const std::string& namespace_name,
                   const std::string& name, const DeleteParameters& parameters, Timestamp now,
                   const std::stop_token& stop);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_POD_EVICTION_H_
