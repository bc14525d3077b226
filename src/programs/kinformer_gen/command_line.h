#ifndef KINFORMER_SRC_PROGRAMS_KINFORMER_GEN_COMMAND_LINE_H_
#define KINFORMER_SRC_PROGRAMS_KINFORMER_GEN_COMMAND_LINE_H_

#include <string>
#include <vector>

#include <kinformer/base/result.h>

#include "src/gen/generate.h"

namespace kinformer::gen {

struct CommandLine {
  /// Files and folders.
  std::vector<std::string> crds{};
  /// Instead of `crds`.
  std::vector<std::string> openapi{};
  std::string out{};
  GenerateOptions options{};
  /// Write nothing, compare.
  bool check = false;
  bool help = false;
  bool version = false;
};

extern const char kUsage[];
extern const char kHelp[];

/// kInvalidArgument describes the invalid argument.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_PROGRAMS_KINFORMER_GEN_COMMAND_LINE_H_
