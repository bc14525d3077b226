#ifndef KINFORMER_BENCH_ALLOCATION_COUNT_H_
#define KINFORMER_BENCH_ALLOCATION_COUNT_H_

#include <cstddef>

namespace kinformer::bench {

/// Bytes that operator new has given out and not got back, in the whole process. Linking this in replaces it.
std::size_t LiveBytes();
/// The most that LiveBytes has been since the last ResetPeakBytes.
std::size_t PeakBytes();
void ResetPeakBytes();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_ALLOCATION_COUNT_H_
