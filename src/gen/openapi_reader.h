#ifndef KINFORMER_SRC_GEN_OPENAPI_READER_H_
#define KINFORMER_SRC_GEN_OPENAPI_READER_H_

// In:     OpenAPI documents of an API server, version 2 or 3
// Out:    a package for each group and version, in order
// Thread: any; pure

#include <vector>

#include <kinformer/base/result.h>

#include "src/gen/input.h"
#include "src/gen/model.h"

namespace kinformer::gen {

struct OpenApiReadOptions {
  /// Only these, and what they refer to; empty: all. A group is named as in apiVersion or as its namespace: core/v1.
  std::vector<PackageName> only{};
  /// ObjectMeta, OwnerReference and ManagedFieldsEntry are the library's. False for generating the library's.
  bool library_meta = true;
};

/// Packages are named after definitions: io.k8s.api.rbac.v1.Role is in rbac/v1, io.cert-manager.v1.Issuer in
/// cert-manager.io/v1. Descriptions are left out. Fails on texts that are no YAML or JSON, on documents without
/// definitions, and on names that are no identifiers.
Result<std::vector<Package>> ReadOpenApi(const std::vector<Input>& inputs, const OpenApiReadOptions& options,
                                         std::vector<Note>& notes);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_OPENAPI_READER_H_
