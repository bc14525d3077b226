#ifndef KINFORMER_SRC_CONFIG_EXEC_PLUGIN_H_
#define KINFORMER_SRC_CONFIG_EXEC_PLUGIN_H_

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/config/config.h>

namespace kinformer::internal {

struct ExecCredential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  /// The earlier of the plugin's expiry and the certificate's notAfter. nullopt: valid until refused.
  std::optional<std::chrono::system_clock::time_point> expiry;
};

/// The value of KUBERNETES_EXEC_INFO. `ca_pem` is the CA currently in use.
std::string MakeExecInfo(const Config& config, std::string_view ca_pem);

/// Parses a plugin's standard output. Errors quote none of its credentials.
Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version);

/// Runs the plugin of `config.exec`, which must be set, and waits for it. Errors name the kubeconfig entry and the
/// command; if the plugin failed, they include the end of its standard error with secrets redacted.
Result<ExecCredential> RunExecPlugin(const Config& config, std::string_view ca_pem, const Clock& clock,
                                     const std::stop_token& stop);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_EXEC_PLUGIN_H_
