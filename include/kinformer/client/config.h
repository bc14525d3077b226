#ifndef KINFORMER_CLIENT_CONFIG_H_
#define KINFORMER_CLIENT_CONFIG_H_

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer {

/// Text that must not be shown: it has no operator<<, and reading it takes an explicit Reveal().
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  const std::string& Reveal() const noexcept { return value_; }
  bool empty() const noexcept { return value_.empty(); }

  bool operator==(const Secret&) const = default;

 private:
  std::string value_;
};

/// A program that hands out credentials (client.authentication.k8s.io/v1 or v1beta1).
struct ExecConfig {
  /// A bare name is looked up in PATH. It is run directly, never through a shell.
  std::string command = {};
  std::vector<std::string> args = {};
  /// Added to this process's environment.
  std::vector<std::pair<std::string, Secret>> env = {};
  std::string api_version = "client.authentication.k8s.io/v1";
  /// Shown when the command cannot be found.
  std::string install_hint = {};
  /// Whether the program is told which cluster the credentials are for.
  bool provide_cluster_info = false;
  /// JSON for `spec.cluster.config`: the cluster's extension "client.authentication.k8s.io/exec". May be empty.
  Secret cluster_config = {};
  std::chrono::milliseconds timeout = std::chrono::seconds(60);

  bool operator==(const ExecConfig&) const = default;
};

/// Act as somebody else, if the server allows it. Everything but `user` needs `user`.
struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool operator==(const Impersonation&) const = default;
};

/// Where to look for a configuration. The defaults are kubectl's.
struct LoadOptions {
  /// This file and no other; it must exist.
  std::string kubeconfig = {};
  /// Instead of the file's current-context.
  std::string context = {};
  /// Default: the process's environment.
  std::function<std::optional<std::string>(const std::string& name)> environment = {};
  /// Default: $HOME, else the user database.
  std::string home_directory = {};
  /// Where a pod finds its token, ca.crt and namespace.
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// One API server and how to speak to it: a kubeconfig with a context chosen, or a pod's service account, or made by
/// hand. A plain value; Client::Create takes it.
///
/// Where both data and file are set, the data counts. Files are read again while the client runs, so what rotates on
/// disk is used without a restart.
struct Config {
  /// "https://host:port/optional/prefix".
  std::string server = {};
  /// For callers who name none.
  std::string namespace_name = "default";

  /// Whom to trust, as PEM. If both are empty, the system's roots; if one is set, that alone.
  std::string ca_data = {};
  std::string ca_file = {};
  /// Verify nothing. Not together with a CA.
  bool insecure_skip_tls_verify = false;
  /// The name in the server's certificate where it differs from the URL's host.
  std::string tls_server_name = {};

  /// PEM.
  std::string client_certificate_data = {};
  std::string client_certificate_file = {};
  Secret client_key_data = {};
  std::string client_key_file = {};

  Secret token = {};
  /// Its content is preferred to `token` as long as it can be read.
  std::string token_file = {};

  /// Basic authentication; not together with a token.
  std::string username = {};
  Secret password = {};

  /// Used only if there is no token, no certificate and no username.
  std::optional<ExecConfig> exec = {};

  Impersonation impersonate = {};

  /// http://, https:// or socks5://. A secret because it may hold a password.
  Secret proxy_url = {};
  /// Never ask for compressed answers.
  bool disable_compression = false;
  /// Replaces the default User-Agent.
  std::string user_agent = {};

  /// The names that were chosen in the kubeconfig; empty otherwise.
  std::string context_name = {};
  std::string cluster_name = {};
  std::string user_name = {};
  /// Where the parts came from, for error messages: `/home/x/.kube/config: users[1] "dev"`.
  std::string cluster_origin = {};
  std::string user_origin = {};

  bool operator==(const Config&) const = default;

  /// Finds the configuration as kubectl does: `options.kubeconfig`; else the files of $KUBECONFIG, merged, skipping
  /// those that do not exist; else ~/.kube/config; and where none of these says anything, the pod's service account.
  ///
  /// Errors (kInvalidConfig) name the file, the entry and the field.
  static Result<Config> Load(const LoadOptions& options = {});

  /// A kubeconfig in memory. Relative paths in it count from `base_dir`.
  static Result<Config> FromKubeconfigText(std::string_view text, const std::string& base_dir = "",
                                           const std::string& context = "");

  /// The service account of the pod that this process runs in. kFailedPrecondition outside of a cluster.
  static Result<Config> InCluster(const LoadOptions& options = {});

  /// Whether the fields fit together; looks at no file. The factories above and Client::Create call it.
  Result<void> Validate() const;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CONFIG_H_
