#ifndef KINFORMER_BENCH_KINFORMER_BENCH_BENCHMARKS_H_
#define KINFORMER_BENCH_KINFORMER_BENCH_BENCHMARKS_H_

#include <kinformer/base/result.h>
#include <kinformer/client/client.h>

#include "bench/kinformer_bench/command_line.h"

namespace kinformer::bench {

// Each prints its results; an error explains why there are none.

Result<void> RunInformer(const Client& client, const CommandLine& line);
Result<void> RunRelist(const Client& client, const CommandLine& line);
Result<void> RunIdle(const Client& client, const CommandLine& line);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_BENCH_BENCHMARKS_H_
