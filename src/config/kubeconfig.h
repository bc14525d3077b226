#ifndef KINFORMER_SRC_CONFIG_KUBECONFIG_H_
#define KINFORMER_SRC_CONFIG_KUBECONFIG_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/config/config.h>

namespace kinformer::internal {

struct KubeconfigCluster {
  std::string name;
  std::string origin;  ///< `FILE: clusters[0] "name"`
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string ca_file;
  std::string ca_data;
  Secret proxy_url;
  bool disable_compression = false;
  Secret exec_config;  ///< JSON
};

struct KubeconfigUser {
  std::string name;
  std::string origin;
  std::string client_certificate_file;
  std::string client_certificate_data;
  std::string client_key_file;
  Secret client_key_data;
  Secret token;
  std::string token_file;
  Impersonation impersonate;
  std::string username;
  Secret password;
  std::optional<std::string> auth_provider;  ///< Its name.
  std::optional<ExecConfig> exec;
  std::string interactive_mode;
};

struct KubeconfigContext {
  std::string name;
  std::string origin;
  std::string cluster;
  std::string user;
  std::string namespace_name;
};

/// The contents of one or several files, before a context is selected. Paths are already resolved.
struct Kubeconfig {
  std::vector<std::string> sources;
  std::vector<KubeconfigCluster> clusters;
  std::vector<KubeconfigUser> users;
  std::vector<KubeconfigContext> contexts;
  std::string current_context;

  bool IsEmpty() const { return clusters.empty() && users.empty() && contexts.empty() && current_context.empty(); }
};

/// Parses strictly: a wrong type or bad base64 anywhere is an error, whichever context is used. Unknown fields are
/// ignored. `source` names the text in errors. Reads no files.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& source, const std::string& base_dir);

/// Adds entries of `later` that `into` does not have. The first entry of a name wins as a whole, and so does the first
/// non-empty current-context.
void MergeKubeconfig(Kubeconfig& into, Kubeconfig later);

/// The configuration of `context`, or of the current context if empty. Validates everything that belongs to it,
/// including that its files can be read.
Result<Config> ResolveKubeconfig(const Kubeconfig& kubeconfig, const std::string& context);

/// A problem with a configuration, and the part it is in.
struct ConfigProblem {
  enum class Part { kCluster, kUser } part = Part::kCluster;
  std::string field;  ///< As named in the kubeconfig.
  std::string message;
};
std::optional<ConfigProblem> FindProblem(const Config& config);

/// Reads the files named by the configuration and checks their contents.
std::optional<ConfigProblem> FindFileProblem(const Config& config);

Error ToError(const Config& config, const ConfigProblem& problem);

/// Whether other credentials are configured; the exec plugin is then not used.
bool HasAuthBesidesExec(const Config& config);

inline constexpr std::size_t kMaxKubeconfigBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxCredentialFileBytes = std::size_t{4} << 20;

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_KUBECONFIG_H_
