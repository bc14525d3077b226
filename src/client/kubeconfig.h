#ifndef KINFORMER_SRC_CLIENT_KUBECONFIG_H_
#define KINFORMER_SRC_CLIENT_KUBECONFIG_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/client/config.h>

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

/// What one or several files say, before a context is chosen. Paths are resolved already.
struct Kubeconfig {
  std::vector<std::string> sources;
  std::vector<KubeconfigCluster> clusters;
  std::vector<KubeconfigUser> users;
  std::vector<KubeconfigContext> contexts;
  std::string current_context;

  bool SaysNothing() const { return clusters.empty() && users.empty() && contexts.empty() && current_context.empty(); }
};

/// Reads the text strictly: a wrong type or bad base64 anywhere in it is an error, whichever context is used; fields
/// that we do not know are skipped. `source` is what errors call it. Looks at no file.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& source, const std::string& base_dir);

/// Adds what `later` has and `into` has not: the first entry of a name counts as a whole, the first current-context
/// that is set counts.
void MergeKubeconfig(Kubeconfig& into, Kubeconfig later);

/// The configuration of `context`, or of the current context if that is empty. Checks what belongs to it, including
/// that its files can be read.
Result<Config> ResolveKubeconfig(const Kubeconfig& kubeconfig, const std::string& context);

/// What is wrong with a configuration, and in which part.
struct ConfigProblem {
  enum class Part { kCluster, kUser } part = Part::kCluster;
  std::string field;  ///< As the kubeconfig calls it.
  std::string message;
};
std::optional<ConfigProblem> FindProblem(const Config& config);

/// Reads the files that the configuration names, and checks what is in them.
std::optional<ConfigProblem> FindFileProblem(const Config& config);

Error ToError(const Config& config, const ConfigProblem& problem);

/// Whether requests authenticate with something other than the exec plugin, which is then not used.
bool HasAuthBesidesExec(const Config& config);

inline constexpr std::size_t kMaxKubeconfigBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxCredentialFileBytes = std::size_t{4} << 20;

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_KUBECONFIG_H_
