#ifndef KINFORMER_BENCH_KINFORMER_LOAD_BENCHMARKS_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_BENCHMARKS_H_

#include <kinformer/base/result.h>

#include "bench/kinformer_load/command_line.h"
#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

/// How many events a second reach many watchers. Prints its line.
Result<void> RunWatchLoad(const Target& target, const LoadCommandLine& line);
/// How fast a long list is read. Prints its line.
Result<void> RunListLoad(const Target& target, const LoadCommandLine& line);
/// Returns when the process is asked to end.
Result<void> RunPlainServer(const LoadCommandLine& line);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_BENCHMARKS_H_
