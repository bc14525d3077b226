#ifndef KINFORMER_BENCH_KINFORMER_LOAD_BENCHMARKS_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_BENCHMARKS_H_

#include <kinformer/base/result.h>

#include "bench/kinformer_load/command_line.h"
#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

/// Measures event throughput to many watchers. Prints one line.
Result<void> RunWatchLoad(const Target& target, const LoadCommandLine& line);
/// Measures how fast a long list is read. Prints one line.
Result<void> RunListLoad(const Target& target, const LoadCommandLine& line);
/// Returns on SIGINT or SIGTERM.
Result<void> RunPlainServer(const LoadCommandLine& line);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_BENCHMARKS_H_
