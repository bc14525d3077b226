#ifndef KINFORMER_BENCH_KINFORMER_BENCH_PROCESS_USAGE_H_
#define KINFORMER_BENCH_KINFORMER_BENCH_PROCESS_USAGE_H_

#include <cstddef>

namespace kinformer::bench {

/// CPU time of this process so far, user and system.
double CpuSeconds();

/// Megabytes are 10^6 bytes.
double ResidentMegabytes();
double PeakResidentMegabytes();
/// Restarts peak measurement. False if the kernel does not support it.
bool ResetPeak();

std::size_t Threads();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_BENCH_PROCESS_USAGE_H_
