// kinformer-load: load test for API servers, kinformer's or others. See command_line.cc.

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/config/config.h>

#include "bench/kinformer_load/benchmarks.h"
#include "bench/kinformer_load/command_line.h"
#include "bench/kinformer_load/target.h"

namespace ki = kinformer;
using ki::bench::LoadMode;

namespace {

constexpr int kWrongUsage = 2;

/// Raises the file descriptor limit to the hard limit: each watcher needs one.
void AllowManyFiles() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

ki::Result<void> Run(const ki::bench::LoadCommandLine& line) {
  if (line.mode == LoadMode::kServe) return ki::bench::RunPlainServer(line);
  const auto config = ki::Config::Load({.kubeconfig = line.kubeconfig});
  if (!config) return config.error();
  const auto target = ki::bench::MakeTarget(*config, line.token_file);
  if (!target) return target.error();
  if (line.mode == LoadMode::kList) return ki::bench::RunListLoad(*target, line);
  return ki::bench::RunWatchLoad(*target, line);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = ki::bench::ParseLoadCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!line) {
    std::cerr << "kinformer-load: " << line.error().message << "\n" << ki::bench::kLoadUsage;
    return kWrongUsage;
  }
  if (line->mode == LoadMode::kHelp) {
    std::cout << ki::bench::kLoadUsage;
    return 0;
  }
  ::signal(SIGPIPE, SIG_IGN);
  AllowManyFiles();
  if (const auto done = Run(*line); !done) {
    std::cerr << "kinformer-load: " << ki::ToString(done.error()) << "\n";
    return 1;
  }
  return 0;
}
