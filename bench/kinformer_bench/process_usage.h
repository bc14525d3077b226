#ifndef KINFORMER_BENCH_KINFORMER_BENCH_PROCESS_USAGE_H_
#define KINFORMER_BENCH_KINFORMER_BENCH_PROCESS_USAGE_H_

#include <cstddef>

namespace kinformer::bench {

/// Processor time of this process so far, user and system.
double CpuSeconds();

/// Megabytes are 10^6 bytes.
double ResidentMegabytes();
double PeakResidentMegabytes();
/// Peaks count from here. False where the kernel does not let us.
bool ResetPeak();

std::size_t Threads();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_BENCH_PROCESS_USAGE_H_
