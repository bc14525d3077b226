#ifndef KINFORMER_BENCH_ALLOCATION_COUNT_H_
#define KINFORMER_BENCH_ALLOCATION_COUNT_H_

#include <cstddef>

namespace kinformer::bench {

/// Bytes allocated by operator new and not yet freed, process-wide. Linking this file replaces operator new.
std::size_t LiveBytes();
/// The maximum of LiveBytes since the last ResetPeakBytes.
std::size_t PeakBytes();
void ResetPeakBytes();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_ALLOCATION_COUNT_H_
