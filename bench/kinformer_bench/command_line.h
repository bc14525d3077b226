#ifndef KINFORMER_BENCH_KINFORMER_BENCH_COMMAND_LINE_H_
#define KINFORMER_BENCH_KINFORMER_BENCH_COMMAND_LINE_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::bench {

enum class Mode { kHelp, kInformer, kRelist, kIdle };

struct CommandLine {
  Mode mode = Mode::kHelp;
  std::string server{};
  std::string kubeconfig{};
  std::string resource = "pods";
  std::size_t events = 0;
  std::size_t handlers = 1;
  bool paged = false;
  bool keep_managed_fields = false;
  std::size_t informers = 100;
  std::chrono::seconds seconds{10};
  /// Time limit of each step.
  std::chrono::seconds timeout{120};
};

extern const char kUsage[];

/// kInvalidArgument describes the invalid argument.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words);

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_BENCH_COMMAND_LINE_H_
