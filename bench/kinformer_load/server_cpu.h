#ifndef KINFORMER_BENCH_KINFORMER_LOAD_SERVER_CPU_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_SERVER_CPU_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::bench {

/// Processor time that these processes have used so far, user and system.
Result<double> CpuSecondsOf(const std::vector<pid_t>& pids);

/// What a server uses from here on.
class ServerCpu {
 public:
  /// The error is one of the pids': no such process.
  static Result<ServerCpu> Begin(const std::vector<pid_t>& pids);
  /// "1.234"; "-" where nobody said which processes these are.
  Result<std::string> Used() const;

 private:
  ServerCpu(std::vector<pid_t> pids, double before) : pids_(std::move(pids)), before_(before) {}
  std::vector<pid_t> pids_;
  double before_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_SERVER_CPU_H_
