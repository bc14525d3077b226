#ifndef KINFORMER_SRC_GEN_SHARE_H_
#define KINFORMER_SRC_GEN_SHARE_H_

#include "src/gen/model.h"

namespace kinformer::gen {

/// Replaces equal structs by one, under the shortest of their names; the others become aliases of it. Equal are structs
/// whose members have the same names, types, facts and descriptions, down to the leaves, which is what one Go type
/// becomes wherever it is inlined. Kinds are never shared. Precondition: the structs do not refer to themselves.
void ShareEqualStructs(Package& package);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_SHARE_H_
