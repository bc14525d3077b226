#ifndef KINFORMER_SRC_SCHEMA_BUILT_IN_DEFAULTS_H_
#define KINFORMER_SRC_SCHEMA_BUILT_IN_DEFAULTS_H_

// In:     a definition from OpenAPI
// Out:    the same definition with the defaults that a server applies, which OpenAPI does not contain
// Thread: any; pure
// Next:   ApplyDefaults

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Defaults belong to the definition, so they apply wherever it is used: to the PodSpec of a pod and of a template.
void AddBuiltInDefaults(Schema& definition);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_BUILT_IN_DEFAULTS_H_
