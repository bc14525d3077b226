#include <kinformer/config/config.h>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "src/base/file_reader.h"
#include "src/base/text.h"
#include "src/config/kubeconfig.h"
#include "src/config/pem.h"
#include "src/config/server_url.h"
#include "src/config/text.h"
#include "src/meta/error_text.h"

namespace kinformer {
namespace {

using internal::FileKinds;
using internal::Kubeconfig;

std::string Environment(const LoadOptions& options, const std::string& name) {
  if (options.environment) return options.environment(name).value_or("");
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

std::string HomeDirectory(const LoadOptions& options) {
  if (!options.home_directory.empty()) return options.home_directory;
  if (std::string home = Environment(options, "HOME"); !home.empty()) return home;
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_dir == nullptr ? std::string() : std::string(found->pw_dir);
}

std::vector<std::string> SplitPaths(const std::string& list) {
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    std::string path = list.substr(begin, end - begin);
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    begin = end + 1;
  }
  return paths;
}

std::string DirectoryOf(const std::string& path) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  return absolute.parent_path().lexically_normal().string();
}

Result<Kubeconfig> ReadKubeconfig(const std::string& path) {
  auto text = internal::ReadFile(path, internal::kMaxKubeconfigBytes, FileKinds::kAlsoPipes);
  if (!text) {
    Error error = Annotate(std::move(text).error(), path);
    error.code = ErrorCode::kInvalidConfig;
    return error;
  }
  return internal::ParseKubeconfig(*text, path, DirectoryOf(path));
}

bool IsInClusterPossible(const LoadOptions& options) {
  std::error_code ignored;
  return !Environment(options, "KUBERNETES_SERVICE_HOST").empty() &&
         !Environment(options, "KUBERNETES_SERVICE_PORT").empty() &&
         std::filesystem::is_regular_file(options.service_account_directory + "/token", ignored);
}

Error InvalidConfig(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

}  // namespace

Result<Config> Config::Load(const LoadOptions& options) {
  if (!options.kubeconfig.empty()) {
    auto kubeconfig = ReadKubeconfig(options.kubeconfig);
    if (!kubeconfig) {
      Error error = std::move(kubeconfig).error();
      error.reason.clear();  // to callers, a reason comes from a server
      return error;
    }
    return internal::ResolveKubeconfig(*kubeconfig, options.context);
  }

  std::vector<std::string> paths = SplitPaths(Environment(options, "KUBECONFIG"));
  if (paths.empty()) {
    if (const std::string home = HomeDirectory(options); !home.empty()) paths.push_back(home + "/.kube/config");
  }
  Kubeconfig merged;
  for (const std::string& path : paths) {
    auto kubeconfig = ReadKubeconfig(path);
    if (kubeconfig) {
      MergeKubeconfig(merged, *std::move(kubeconfig));
    } else if (!internal::IsFileNotFound(kubeconfig.error())) {
      return std::move(kubeconfig).error();
    }
  }

  // Without a selected context, kubeconfig files do not say where to connect; inside a pod, use the service account.
  const bool chosen = !options.context.empty() || !merged.current_context.empty();
  if (!chosen && IsInClusterPossible(options)) return InCluster(options);
  if (!merged.sources.empty()) return internal::ResolveKubeconfig(merged, options.context);
  std::string message = "no configuration found: ";
  message +=
      paths.empty() ? "no home directory" : internal::Joined(paths, ", ") + (paths.size() == 1 ? " does" : " do");
  message += paths.empty() ? "" : " not exist";
  if (!options.context.empty()) message += " (wanted: context " + internal::Quoted(options.context) + ")";
  return InvalidConfig(message + "; set KUBECONFIG, or run inside of a cluster");
}

Result<Config> Config::FromKubeconfigText(std::string_view text, const std::string& base_dir,
                                          const std::string& context) {
  auto kubeconfig = internal::ParseKubeconfig(text, "kubeconfig", base_dir);
  if (!kubeconfig) return std::move(kubeconfig).error();
  return internal::ResolveKubeconfig(*kubeconfig, context);
}

Result<Config> Config::InCluster(const LoadOptions& options) {
  const std::string host = Environment(options, "KUBERNETES_SERVICE_HOST");
  const std::string port = Environment(options, "KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = "not inside of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"};
  }
  Config config;
  config.cluster_origin = "service account";
  config.user_origin = "service account";
  const bool is_ipv6 = host.find(':') != std::string::npos && host.front() != '[';
  config.server = "https://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
  config.token_file = options.service_account_directory + "/token";

  // A pod may have no ca.crt if the server's certificate comes from a public CA.
  const std::string ca_file = options.service_account_directory + "/ca.crt";
  std::error_code ignored;
  if (std::filesystem::exists(ca_file, ignored)) config.ca_file = ca_file;

  std::string namespace_name = Environment(options, "POD_NAMESPACE");
  if (namespace_name.empty()) {
    const auto content = internal::ReadFile(options.service_account_directory + "/namespace", 4096);
    if (content) namespace_name = internal::Trim(*content);
  }
  if (!namespace_name.empty()) config.namespace_name = std::move(namespace_name);

  if (const auto problem = internal::FindProblem(config)) return internal::ToError(config, *problem);
  if (const auto problem = internal::FindFileProblem(config)) return internal::ToError(config, *problem);
  return config;
}

Result<void> Config::Validate() const {
  if (const auto problem = internal::FindProblem(*this)) return internal::ToError(*this, *problem);
  return {};
}

}  // namespace kinformer
