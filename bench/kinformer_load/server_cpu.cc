#include "bench/kinformer_load/server_cpu.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <utility>

namespace kinformer::bench {

Result<double> CpuSecondsOf(const std::vector<pid_t>& pids) {
  double ticks = 0;
  for (const pid_t pid : pids) {
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);
    // The program's name is in parentheses and may contain anything.
    const std::size_t name_end = line.rfind(')');
    unsigned long user = 0;
    unsigned long system = 0;
    if (name_end == std::string::npos ||
        std::sscanf(line.c_str() + name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                    &system) != 2) {
      return Error{.code = ErrorCode::kFailedPrecondition, .message = "there is no process " + std::to_string(pid)};
    }
    ticks += static_cast<double>(user + system);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Result<ServerCpu> ServerCpu::Begin(const std::vector<pid_t>& pids) {
  const auto before = CpuSecondsOf(pids);
  if (!before) return before.error();
  return ServerCpu(pids, *before);
}

Result<std::string> ServerCpu::Used() const {
  if (pids_.empty()) return std::string("-");
  const auto now = CpuSecondsOf(pids_);
  if (!now) return now.error();
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", *now - before_);
  return std::string(text);
}

}  // namespace kinformer::bench
