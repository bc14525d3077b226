#ifndef KINFORMER_BENCH_KINFORMER_LOAD_SERVER_CPU_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_SERVER_CPU_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::bench {

/// CPU time these processes have used so far, user and system.
Result<double> CpuSecondsOf(const std::vector<pid_t>& pids);

/// Measures the server's CPU time from Begin on.
class ServerCpu {
 public:
  /// Fails if one of the processes does not exist.
  static Result<ServerCpu> Begin(const std::vector<pid_t>& pids);
  /// Seconds, as in "1.23"; "-" if no processes were given.
  Result<std::string> Used() const;

 private:
  ServerCpu(std::vector<pid_t> pids, double before) : pids_(std::move(pids)), before_(before) {}
  std::vector<pid_t> pids_;
  double before_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_SERVER_CPU_H_
