#ifndef KINFORMER_EXAMPLES_POD_WATCHER_COMMAND_LINE_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_COMMAND_LINE_H_

#include <chrono>
#include <string>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/client/selection.h>
#include <kinformer/config/config.h>

enum class Output { kDefault, kWide, kName, kJson };

struct CommandLine {
  kinformer::LoadOptions config{};
  kinformer::Selection selection{};
  bool all_namespaces = false;
  Output output = Output::kDefault;
  bool once = false;
  /// Print a summary line to stderr at exit.
  bool summary = false;
  bool help = false;
  /// How long the first list may take.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

extern const char kUsage[];
extern const char kHelp[];

/// kInvalidArgument describes the invalid argument.
kinformer::Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_COMMAND_LINE_H_
