// kinformer-bench: the cost of informers, measured through the public API only. See command_line.cc.

#include <iostream>
#include <string>
#include <vector>

#include <kinformer/kinformer.h>

#include "bench/kinformer_bench/benchmarks.h"
#include "bench/kinformer_bench/command_line.h"

namespace ki = kinformer;
using ki::bench::Mode;

namespace {

constexpr int kWrongUsage = 2;

ki::Result<ki::Config> LoadConfig(const ki::bench::CommandLine& line) {
  if (!line.kubeconfig.empty()) return ki::Config::Load({.kubeconfig = line.kubeconfig});
  ki::Config config;
  config.server = line.server;
  return config;
}

ki::Result<void> Run(const ki::bench::CommandLine& line) {
  const auto config = LoadConfig(line);
  if (!config) return config.error();
  const auto client = ki::Client::Create(*config);
  if (!client) return client.error();
  if (line.mode == Mode::kRelist) return ki::bench::RunRelist(*client, line);
  if (line.mode == Mode::kIdle) return ki::bench::RunIdle(*client, line);
  return ki::bench::RunInformer(*client, line);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = ki::bench::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
  if (!line) {
    std::cerr << "kinformer-bench: " << line.error().message << "\n" << ki::bench::kUsage;
    return kWrongUsage;
  }
  if (line->mode == Mode::kHelp) {
    std::cout << ki::bench::kUsage;
    return 0;
  }
  if (const auto done = Run(*line); !done) {
    std::cerr << "kinformer-bench: " << ki::ToString(done.error()) << "\n";
    return 1;
  }
  return 0;
}
