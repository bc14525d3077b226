#ifndef KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_DEFAULTS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_DEFAULTS_H_

// In:     a definition as OpenAPI has it
// Out:    the same with the defaults that servers set in it, which OpenAPI does not tell
// Thread: any; pure
// Next:   ApplyDefaults

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// They belong to the definition, so that they hold wherever it occurs: a PodSpec of a pod and of a template.
void AddBuiltInDefaults(Schema& definition);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_DEFAULTS_H_
