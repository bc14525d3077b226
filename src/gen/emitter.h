#ifndef KINFORMER_SRC_GEN_EMITTER_H_
#define KINFORMER_SRC_GEN_EMITTER_H_

// In:     packages
// Out:    a header and a source, in the format of <kinformer/api/type.h>
// Thread: any; pure

#include <string>
#include <vector>

#include "src/gen/model.h"

namespace kinformer::gen {

struct EmitOptions {
  /// Around the namespaces of all packages: "shop::api". May be empty.
  std::string enclosing_namespace{};
  /// The file's name without extension.
  std::string file_name{};
  /// In the first line: "CustomResourceDefinitions".
  std::string origin{};
};

/// "cert_manager_io_v1".
std::string FileNameOf(const PackageName& package);

std::string EmitHeader(const std::vector<Package>& packages, const EmitOptions& options);
std::string EmitSource(const std::vector<Package>& packages, const EmitOptions& options);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_EMITTER_H_
