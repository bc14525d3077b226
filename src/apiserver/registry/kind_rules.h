#ifndef KINFORMER_SRC_APISERVER_REGISTRY_KIND_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_KIND_RULES_H_

// In:     an object of a built-in kind, complete with its defaults
// Out:    what a server would not take, and what it adds of its own
// Thread: any; pure
// Next:   strategy

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/registry/served_kind.h"
#include "src/apiserver/schema/field_error.h"

namespace kinformer::apiserver {

/// Beyond types: what must be there, what excludes each other, what cannot be changed. `old`: what the object was;
/// null: it is new. All fields are of their types (Decode).
std::vector<FieldError> CheckKind(const ServedKind& kind, const nlohmann::json& object, const nlohmann::json* old);

/// Of what is written through `/status`: whether its numbers can be.
std::vector<FieldError> CheckStatus(const ServedKind& kind, const nlohmann::json& object, const nlohmann::json* old);

/// What a new object gets that depends on what the server gave it: a job's selector, by its uid.
void CompleteNew(const ServedKind& kind, nlohmann::json& object);

/// Of a PodSpec at `path` ("spec", "spec.template.spec"). `restart_policies`: those that may be; empty: all.
void CheckPodSpec(const nlohmann::json& spec, const std::string& path, const std::vector<std::string>& restart_policies,
                  std::vector<FieldError>& errors);

/// Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController, Job, CronJob, PodTemplate.
void CheckDeployment(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckReplicaSet(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckStatefulSet(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckDaemonSet(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckReplicationController(const nlohmann::json& object, const nlohmann::json* old,
                                std::vector<FieldError>& errors);
void CheckJob(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckCronJob(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);
void CheckPodTemplate(const nlohmann::json& object, const nlohmann::json* old, std::vector<FieldError>& errors);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_KIND_RULES_H_
