#ifndef KINFORMER_SRC_GEN_GENERATE_H_
#define KINFORMER_SRC_GEN_GENERATE_H_

// In:     the texts of CustomResourceDefinitions or OpenAPI documents
// Out:    the texts of headers and sources
// Thread: any; pure

#include <string>
#include <vector>

#include <kinformer/base/result.h>

#include "src/gen/input.h"
#include "src/gen/model.h"

namespace kinformer::gen {

struct GenerateOptions {
  /// Around the namespaces of groups and versions.
  std::string enclosing_namespace{};
  /// The groups and versions to generate; empty: all.
  std::vector<PackageName> only{};
  /// The name of one pair of files for all groups and versions; empty: a pair for each.
  std::string single_file{};
  /// Equal structs become one.
  bool share = true;
  /// Kinds get a function Crd().
  bool embed_crd = false;
};

struct File {
  std::string name{};
  std::string text{};
};

struct Generated {
  /// Sorted by name.
  std::vector<File> files{};
  /// What could not be mapped; sorted.
  std::vector<Note> notes{};
};

/// The same bytes for any order of `inputs`. Fails if an input is invalid, if one of `only` is in no input, and if two
/// groups have the same namespace.
Result<Generated> GenerateFromCrds(const std::vector<Input>& inputs, const GenerateOptions& options);

/// Likewise from OpenAPI documents, where `single_file`, `share` and `embed_crd` have no meaning: definitions are
/// shared already. Also generates what those of `only` refer to.
Result<Generated> GenerateFromOpenApi(const std::vector<Input>& inputs, const GenerateOptions& options);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_GENERATE_H_
