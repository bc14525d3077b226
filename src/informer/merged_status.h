#ifndef KINFORMER_SRC_INFORMER_MERGED_STATUS_H_
#define KINFORMER_SRC_INFORMER_MERGED_STATUS_H_

#include <vector>

#include <kinformer/informer/informer_options.h>

#include "src/reflector/reflector_state.h"

namespace kinformer::internal {

/// The sources of one informer, reported as one: the most urgent state, the sums of the counts, the latest activity,
/// and as `last_error` why a source is down. Pure.
InformerStatus MergedStatus(const std::vector<ReflectorStatus>& sources);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_INFORMER_MERGED_STATUS_H_
