#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_VERSIONS_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_VERSIONS_H_

// In:     CustomResourceDefinitions as stored by kube-apiserver
// Out:    the same in apiextensions.k8s.io/v1
// Thread: any; pure
// Next:   the storage of that kind

#include <nlohmann/json_fwd.hpp>

namespace kinformer::apiserver {

/// Converts from apiextensions.k8s.io/v1beta1, which kube-apiserver no longer serves but still stores definitions in:
/// there, settings common to all versions are stated once, and some names differ. Other versions are left unchanged.
void ConvertStoredDefinition(nlohmann::json& definition);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_VERSIONS_H_
