#ifndef KINFORMER_SRC_APISERVER_REGISTRY_KIND_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_KIND_RULES_H_

// In:     an object of a built-in kind, with defaults applied
// Out:    validation errors, and the fields that the server adds on create
// Thread: any; pure
// Next:   built_in_kinds, strategy

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/registry/served_kind.h"
#include "src/schema/field_error.h"

namespace kinformer::apiserver {

/// The kind's own validation, beyond types: required, mutually exclusive and immutable fields. `old`: the previous
/// version; null on create. Precondition: all fields have their schema's types (Decode).
std::vector<FieldError> CheckKind(const ServedKind& kind, const nlohmann::json& object, const nlohmann::json* old);

/// Validates the counters of an object written through `/status`.
std::vector<FieldError> CheckStatus(const ServedKind& kind, const nlohmann::json& object, const nlohmann::json* old);

/// Validates a PodSpec at `path` ("spec", "spec.template.spec"). `restart_policies`: those allowed; empty: all.
void CheckPodSpec(const nlohmann::json& spec, const std::string& path, const std::vector<std::string>& restart_policies,
                  std::vector<FieldError>& errors);

// The validation of each kind, for ObjectRules::check.
void CheckPod(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckService(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckConfigMap(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckSecret(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckClaim(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckVolume(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckEvent(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckNewEvent(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckLease(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckRole(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckBinding(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckIngress(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckBudget(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckAutoscaler(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckStorageClass(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckPriorityClass(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckEndpointSlice(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);

// The same, of the workload kinds.
void CheckDeployment(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckReplicaSet(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckStatefulSet(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckDaemonSet(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckReplicationController(const nlohmann::json& object, const nlohmann::json* old,
                                std::vector<FieldError>& errors);
void CheckJob(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckCronJob(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckPodTemplate(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);

// The validation of the counters in each status, for ObjectRules::check_status.
void CheckDeploymentStatus(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckReplicaSetStatus(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckReplicationControllerStatus(const nlohmann::json& object, const nlohmann::json* old,
                                      std::vector<FieldError>& errors);
void CheckStatefulSetStatus(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckDaemonSetStatus(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckBudgetStatus(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckAutoscalerStatus(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);

// For ObjectRules::complete_new.
/// A selector that matches this job's pods only. A job without labels gets those of its template.
void CompleteJob(nlohmann::json& job);
/// Templates always have metadata, even if empty.
void CompleteCronJob(nlohmann::json& cron_job);
/// Claim templates are complete claims.
void CompleteClaims(nlohmann::json& set);
void CompleteEndpointSlice(nlohmann::json& slice);
void CompleteEvent(nlohmann::json& event);

/// The quality of service class, from the containers' resources.
std::string QosClass(const nlohmann::json& pod);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_KIND_RULES_H_
