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
    "A Kubernetes API server with its objects in memory, or in an etcd. It serves TLS on loopback and prints its URL\n"
    "and the kubeconfig to reach it with.\n"
    "\n"
    "  --port N            listen there; default: a free port\n"
    "  --bind A            on this address of the machine; default 127.0.0.1\n"
    "  --kubeconfig-out F  write the kubeconfig there, readable by you alone; default: kinformer.kubeconfig in the\n"
    "                      current folder\n"
    "  --tls-dir D         keep certificates there (ca.crt, ca.key, server.crt, server.key), and use those that are;\n"
    "                      default: new ones at each start\n"
    "  --token T           the administrator's token; default: a random one\n"
    "  --client-ca F       accept client certificates of these CAs: CN is the user, O are the groups\n"
    "  --rbac F            only what rules allow: those of this file (Roles, ClusterRoles and their bindings, as YAML\n"
    "                      or JSON), and those that every cluster begins with; default: whoever is known may do all\n"
    "  --audit-log F       append a line of JSON there for each request: who, what, when, and the answer's status\n"
    "  --etcd URL,URL...   keep the objects in this etcd; certificates of https URLs are verified\n"
    "  --etcd-cafile F     the CAs to trust for the etcd (PEM); default: the system's\n"
    "  --etcd-certfile F   the client certificate to present to the etcd (PEM)\n"
    "  --etcd-keyfile F    its private key (PEM)\n"
    "  --crd F             serve the kinds of the CustomResourceDefinitions in this file (YAML or JSON) from the "
    "start\n"
    "  --simulate-pods N   nodes, and N pods that run, restart, finish, are evicted and made anew\n"
    "  --simulate-rate R   so many of such things a second; default: a tenth of N\n"
    "  --fault SPEC        something that goes wrong: verb:resource[:nth=N][:after=K]=fault[,arg], for example\n"
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
         if (!port) return Wrong("--port: \"" + value + "\" is no port (0 to 65535)");
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
         if (!pods || *pods > kMaxPods) return Wrong("--simulate-pods: \"" + value + "\" is no number up to 1000000");
         line.simulate_pods = *pods;
         return {};
       }},
      {"--simulate-rate",
       [](const std::string& value, CommandLine& line) -> Result<void> {
         const auto rate = ParseNumber<double>(value);
         if (!rate || !(*rate >= 0) || *rate > 1e6) {
           return Wrong("--simulate-rate: \"" + value + "\" is no number of steps a second");
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
