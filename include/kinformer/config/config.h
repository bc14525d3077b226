#ifndef KINFORMER_CONFIG_CONFIG_H_
#define KINFORMER_CONFIG_CONFIG_H_

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/base/secret.h>

namespace kinformer {

/// An exec plugin: a program that provides credentials (client.authentication.k8s.io/v1 or v1beta1).
struct ExecConfig {
  /// A bare name is looked up in PATH. The program is run directly, never through a shell.
  std::string command = {};
  std::vector<std::string> args = {};
  /// Added to this process's environment.
  std::vector<std::pair<std::string, Secret>> env = {};
  std::string api_version = "client.authentication.k8s.io/v1";
  /// Shown if the command is not found.
  std::string install_hint = {};
  /// Whether to tell the program which cluster the credentials are for.
  bool provide_cluster_info = false;
  /// JSON for `spec.cluster.config`: the cluster's extension "client.authentication.k8s.io/exec". May be empty.
  Secret cluster_config = {};
  std::chrono::milliseconds timeout = std::chrono::seconds(60);

  bool operator==(const ExecConfig&) const = default;
};

/// Act as another user, if the server allows it. The other fields require `user`.
struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool operator==(const Impersonation&) const = default;
};

/// Where to look for a configuration. The defaults are kubectl's.
struct LoadOptions {
  /// Use only this file, which must exist.
  std::string kubeconfig = {};
  /// Overrides the file's current-context.
  std::string context = {};
  /// Looks up an environment variable. Default: in the process's environment.
  std::function<std::optional<std::string>(const std::string& name)> environment = {};
  /// Default: $HOME, else the user database.
  std::string home_directory = {};
  /// Where a pod's token, ca.crt and namespace are mounted.
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// An API server and how to connect to it: from a kubeconfig context, from a pod's service account, or filled in by
/// hand. A plain value, passed to Client::Create.
///
/// If both data and file are set, the data is used. Files are read again while the client runs, so that rotated files
/// take effect without a restart.
struct Config {
  /// "https://host:port/optional/prefix".
  std::string server = {};
  /// The default for objects that are written without a namespace; see Client::DefaultNamespace.
  std::string namespace_name = "default";

  /// The CAs to trust, as PEM. If both are empty, the system's CAs; otherwise only these.
  std::string ca_data = {};
  std::string ca_file = {};
  /// Skip verification of the server's certificate. An error together with a CA.
  bool insecure_skip_tls_verify = false;
  /// The name to expect in the server's certificate, if it differs from the URL's host.
  std::string tls_server_name = {};

  /// The client certificate and its private key, as PEM.
  std::string client_certificate_data = {};
  std::string client_certificate_file = {};
  Secret client_key_data = {};
  std::string client_key_file = {};

  Secret token = {};
  /// Takes precedence over `token` while the file can be read.
  std::string token_file = {};

  /// Basic authentication. An error together with a token.
  std::string username = {};
  Secret password = {};

  /// Used only if there is no token, no certificate and no username.
  std::optional<ExecConfig> exec = {};

  Impersonation impersonate = {};

  /// http://, https:// or socks5://. A Secret, because it may contain a password.
  Secret proxy_url = {};
  /// Never request compressed responses. Overrides ClientOptions::compression.
  bool disable_compression = false;
  /// Replaces the default User-Agent.
  std::string user_agent = {};

  /// The names selected in the kubeconfig; otherwise empty.
  std::string context_name = {};
  std::string cluster_name = {};
  std::string user_name = {};
  /// Where the settings came from, for error messages: `/home/x/.kube/config: users[1] "dev"`.
  std::string cluster_origin = {};
  std::string user_origin = {};

  bool operator==(const Config&) const = default;

  /// Finds the configuration as kubectl does: `options.kubeconfig`; else the files of $KUBECONFIG, merged, skipping
  /// missing ones; else ~/.kube/config. If these contain no configuration, the pod's service account.
  ///
  /// Errors (kInvalidConfig) name the file, the entry and the field.
  static Result<Config> Load(const LoadOptions& options = {});

  /// Parses a kubeconfig. Relative paths are resolved against `base_dir`. Empty `context`: the current-context.
  static Result<Config> FromKubeconfigText(std::string_view text, const std::string& base_dir = "",
                                           const std::string& context = "");

  /// The service account of the pod that this process runs in. kFailedPrecondition outside of a cluster.
  static Result<Config> InCluster(const LoadOptions& options = {});

  /// Checks that the fields are consistent; reads no file. Called by the factories above and by Client::Create.
  Result<void> Validate() const;
};

}  // namespace kinformer

#endif  // KINFORMER_CONFIG_CONFIG_H_
