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
  /// PEM file, read by main.
  std::string client_ca_file{};
  /// PEM files for etcd, read by main.
  std::string etcd_ca_file{};
  std::string etcd_certificate_file{};
  std::string etcd_key_file{};
  /// File of RBAC objects, read by main.
  std::string rbac_file{};
  /// Files of CustomResourceDefinitions, read by main.
  std::vector<std::string> crd_files{};
  std::size_t simulate_pods = 0;
  /// Simulation steps per second. nullopt: a tenth of simulate_pods.
  std::optional<double> simulate_rate{};
  std::vector<std::string> faults{};
  bool help = false;
  bool version = false;
};

extern const char kUsage[];
extern const char kHelp[];

/// kInvalidArgument describes the invalid argument.
Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_PROGRAMS_KINFORMER_APISERVER_COMMAND_LINE_H_
