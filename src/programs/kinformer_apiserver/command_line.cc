#include "src/programs/kinformer_apiserver/command_line.h"

#include <charconv>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace kinformer::apiserver {

const char kUsage[] =
    "usage: kinformer-apiserver [--port N] [--bind A] [--kubeconfig-out F] [--tls-dir D] [--token T]\n"
    "                           [--client-ca F] [--rbac F] [--audit-log F] [--crd F]... [--etcd URL,URL...]\n"
    "                           [--etcd-cafile F] [--etcd-certfile F --etcd-keyfile F]\n"
    "                           [--simulate-pods N] [--simulate-rate R] [--fault SPEC]...\n";

const char kHelp[] =
    "\n"
    "A Kubernetes API server that stores its objects in memory or in etcd. It serves TLS on loopback, and prints its "
    "URL\n"
    "and the path of a kubeconfig for it.\n"
    "\n"
    "  --port N            port to listen on; default: a free port\n"
    "  --bind A            address to listen on; default: 127.0.0.1\n"
    "  --kubeconfig-out F  where to write the kubeconfig, readable only by you; default: kinformer.kubeconfig in the\n"
    "                      current directory\n"
    "  --tls-dir D         directory of ca.crt, ca.key, server.crt and server.key: existing files are used, missing "
    "ones\n"
    "                      are created; default: new certificates at each start\n"
    "  --token T           the administrator's bearer token; default: a random one\n"
    "  --client-ca F       accept client certificates signed by these CAs (CN: user, O: groups)\n"
    "  --rbac F            enforce RBAC, with the Roles, ClusterRoles and bindings of this file (YAML or JSON) in\n"
    "                      addition to Kubernetes' default roles; default: authenticated users may do everything\n"
    "  --audit-log F       append one line of JSON per request: user, verb, object, time, response code\n"
    "  --etcd URL,URL...   store the objects in this etcd; certificates of https URLs are verified\n"
    "  --etcd-cafile F     CAs to trust for etcd (PEM); default: the system's\n"
    "  --etcd-certfile F   client certificate for etcd (PEM)\n"
    "  --etcd-keyfile F    its private key (PEM)\n"
    "  --crd F             install the CustomResourceDefinitions of this file (YAML or JSON) at start-up\n"
    "  --simulate-pods N   simulate nodes, and N pods that start, restart, complete, are evicted and are replaced\n"
    "  --simulate-rate R   simulated changes per second; default: N / 10\n"
    "  --fault SPEC        inject a fault: verb:resource[:nth=N][:after=K]=fault[,arg], for example\n"
    "                      watch:pods:nth=2:after=5=reset; see docs/faults.md\n"
    "  --version           print the version and exit\n"
    "  --help              print this text and exit\n";

namespace {

constexpr std::size_t kMaxPods = 1'000'000;

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(what)}; }

template <typename Number>
std::optional<Number> ParseNumber(const std::string& text) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = text.find(',', begin);
    if (const std::string part = text.substr(begin, comma - begin); !part.empty()) parts.push_back(part);
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

using Setter = std::function<Result<void>(const std::string& value, CommandLine& line)>;

const std::map<std::string, Setter, std::less<>>& Setters() {
  static const std::map<std::string, Setter, std::less<>> setters = {
      {"--port",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         const auto port = ParseNumber<std::uint16_t>(value);
         if (!port) return Wrong("--port: \"" + value + "\" is not a port (0 to 65535)");
         line.server.port = *port;
         return {};
       }},
      {"--bind",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.server.bind_address = value;
         return {};
       }},
      {"--kubeconfig-out",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.kubeconfig_out = value;
         return {};
       }},
      {"--tls-dir",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.server.tls_directory = value;
         return {};
       }},
      {"--token",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.server.token = Secret(value);
         return {};
       }},
      {"--client-ca",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.client_ca_file = value;
         return {};
       }},
      {"--rbac",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.rbac_file = value;
         return {};
       }},
      {"--audit-log",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.server.audit_file = value;
         return {};
       }},
      {"--etcd",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.server.etcd_endpoints = SplitAtCommas(value);
         if (line.server.etcd_endpoints.empty()) return Wrong("--etcd: no URL in \"" + value + "\"");
         return {};
       }},
      {"--etcd-cafile",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.etcd_ca_file = value;
         return {};
       }},
      {"--etcd-certfile",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.etcd_certificate_file = value;
         return {};
       }},
      {"--etcd-keyfile",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.etcd_key_file = value;
         return {};
       }},
      {"--simulate-pods",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         const auto pods = ParseNumber<std::size_t>(value);
         if (!pods || *pods > kMaxPods)
           return Wrong("--simulate-pods: \"" + value + "\" is not a number up to 1000000");
         line.simulate_pods = *pods;
         return {};
       }},
      {"--simulate-rate",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         const auto rate = ParseNumber<double>(value);
         if (!rate || !(*rate >= 0) || *rate > 1e6) {
           return Wrong("--simulate-rate: \"" + value + "\" is not a number of changes per second");
         }
         line.simulate_rate = *rate;
         return {};
       }},
      {"--crd",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.crd_files.push_back(value);
         return {};
       }},
      {"--fault",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         line.faults.push_back(value);
         return {};
       }},
  };
  return setters;
}

}  // namespace

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words) {
  CommandLine line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string option = words[i];
    if (option == "-h" || option == "--help") {
      line.help = true;
      return line;
    }
    if (option == "--version") {
      line.version = true;
      return line;
    }
    std::optional<std::string> value;
    if (const std::size_t equals = option.find('='); option.starts_with("--") && equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    const auto setter = Setters().find(option);
    if (setter == Setters().end()) return Wrong("unknown argument " + words[i]);
    if (!value && ++i < words.size()) value = words[i];
    if (!value || value->empty()) return Wrong(option + " needs a value");
    if (auto set = setter->second(*value, line); !set) return std::move(set).error();
  }
  if (line.simulate_rate && line.simulate_pods == 0) return Wrong("--simulate-rate needs --simulate-pods");
  if (line.etcd_certificate_file.empty() != line.etcd_key_file.empty()) {
    return Wrong(line.etcd_key_file.empty() ? "--etcd-certfile needs --etcd-keyfile"
                                            : "--etcd-keyfile needs --etcd-certfile");
  }
  if (line.server.etcd_endpoints.empty()) {
    if (!line.etcd_ca_file.empty()) return Wrong("--etcd-cafile needs --etcd");
    if (!line.etcd_certificate_file.empty()) return Wrong("--etcd-certfile needs --etcd");
  }
  return line;
}

}  // namespace kinformer::apiserver
