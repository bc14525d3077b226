#ifndef KINFORMER_SRC_APISERVER_REGISTRY_POD_EVICTION_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_POD_EVICTION_H_

// In:     a pod that shall go, and the budgets of its namespace
// Out:    the pod deleted and its budget one smaller, or why not
// Thread: calls block their caller; nothing of its own
// Next:   ResourceStore

#include <stop_token>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/resource_store.h"

namespace kinformer::apiserver {

/// Whether it is an Eviction of the pod that the URL names.
Result<void> CheckEviction(const nlohmann::json& eviction, const std::string& namespace_name, const std::string& name);

/// The budget after one pod more is gone, for its status to be updated so. 429 where it allows none, or does not know
/// of its newest spec yet; 403 where its status cannot be.
Result<nlohmann::json> Disrupted(nlohmann::json budget, std::string_view pod, Timestamp now);

/// Deletes a pod if the PodDisruptionBudget that selects it allows that; pods that do no work are not asked about.
/// What budgets allow is for their controller to say, in their status: none runs here.
Result<void> Evict(const ResourceStore& pods, const ResourceStore& budgets, const std::string& namespace_name,
                   const std::string& name, const DeleteParameters& parameters, Timestamp now,
                   const std::stop_token& stop);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_POD_EVICTION_H_
