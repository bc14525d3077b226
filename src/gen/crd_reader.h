#ifndef KINFORMER_SRC_GEN_CRD_READER_H_
#define KINFORMER_SRC_GEN_CRD_READER_H_

// In:     texts of CustomResourceDefinitions, YAML or JSON
// Out:    a package for each group and version, in order
// Thread: any; pure

#include <vector>

#include <kinformer/base/result.h>

#include "src/gen/input.h"
#include "src/gen/model.h"

namespace kinformer::gen {

struct CrdReadOptions {
  bool embed_crd = false;
};

/// Other documents than CustomResourceDefinitions are left out. Fails on texts that are no YAML, on definitions without
/// a valid group, kind, plural or version, on two that define the same kind differently, and if there are none.
Result<std::vector<Package>> ReadCrds(const std::vector<Input>& inputs, const CrdReadOptions& options,
                                      std::vector<Note>& notes);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_CRD_READER_H_
