#ifndef KINFORMER_BENCH_KINFORMER_LOAD_COMMAND_LINE_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_COMMAND_LINE_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::bench {

enum class LoadMode { kHelp, kWatch, kList, kServe };

struct LoadCommandLine {
  LoadMode mode = LoadMode::kHelp;
  std::string kubeconfig{};
  /// configmaps or pods.
  std::string resource = "configmaps";
  std::size_t watchers = 1000;
  std::size_t creations = 2000;
  /// Concurrent requests.
  std::size_t writers = 16;
  std::size_t object_bytes = 1024;
  /// Size of the list, and how often it is read.
  std::size_t objects = 20'000;
  std::size_t reads = 5;
  /// Processes whose CPU time counts as the server's. Empty: not reported.
  std::vector<pid_t> server_pids{};
  /// Idle timeout.
  std::chrono::seconds timeout{60};
  /// Do not delete the created objects, for a server that is discarded anyway.
  bool keep = false;
  /// For a server without TLS.
  std::string token_file{};
  std::string kubeconfig_out{};
  std::string token_out{};
};

extern const char kLoadUsage[];

/// kInvalidArgument describes the invalid argument.
Result<LoadCommandLine> ParseLoadCommandLine(const std::vector<std::string>& words);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_COMMAND_LINE_H_
