#ifndef KINFORMER_SRC_PROGRAMS_KINFORMER_APISERVER_COMMAND_LINE_H_
#define KINFORMER_SRC_PROGRAMS_KINFORMER_APISERVER_COMMAND_LINE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct CommandLine {
  ApiServerOptions server{};
  std::string kubeconfig_out{};
  /// A file of PEM, read by ReadFiles.
  std::string client_ca_file{};
  /// A file of RBAC objects.
  std::string rbac_file{};
  /// Files of CustomResourceDefinitions, read by main.
  std::vector<std::string> crd_files{};
  std::size_t simulate_pods = 0;
  /// Nullopt: a tenth of the pods a second.
  std::optional<double> simulate_rate{};
  std::vector<std::string> faults{};
  bool help = false;
};

extern const char kUsage[];
extern const char kHelp[];

/// kInvalidArgument says what is wrong with the words.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_PROGRAMS_KINFORMER_APISERVER_COMMAND_LINE_H_
