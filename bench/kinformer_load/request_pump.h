#ifndef KINFORMER_BENCH_KINFORMER_LOAD_REQUEST_PUMP_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_REQUEST_PUMP_H_

// In:     requests, by number
// Out:    the first error
// Thread: the caller's; one for all connections
// Next:   the benchmarks

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

#include <kinformer/base/result.h>

#include "bench/kinformer_load/target.h"

namespace kinformer::bench {

struct RequestPumpOptions {
  std::size_t connections = 16;
  std::size_t requests = 0;
  /// Idle timeout over all connections.
  std::chrono::seconds timeout{60};
};

/// Sends requests 0 to N-1 in order, one at a time on each of several connections. Fails unless all responses are 2xx.
Result<void> PumpRequests(const Target& target, const RequestPumpOptions& options,
                          const std::function<std::string(std::size_t number)>& request,
                          const std::stop_token& stop = {});

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_REQUEST_PUMP_H_
