#ifndef KINFORMER_SRC_CLIENT_EXEC_PLUGIN_H_
#define KINFORMER_SRC_CLIENT_EXEC_PLUGIN_H_

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/client/config.h>

namespace kinformer::internal {

struct ExecCredential {
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  /// The earlier of what the plugin said and the certificate's own end; nullopt: good until refused.
  std::optional<std::chrono::system_clock::time_point> expiry;
};

/// The value of KUBERNETES_EXEC_INFO. `ca_pem` is the CA in use now.
std::string MakeExecInfo(const Config& config, std::string_view ca_pem);

/// Reads what a plugin wrote to standard output. Errors quote nothing of it.
Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version);

/// Runs the plugin of `config.exec`, which must be set, and waits for it. Errors name the entry and the command, and
/// where it failed, the end of what it said on standard error, made free of secrets.
Result<ExecCredential> RunExecPlugin(const Config& config, std::string_view ca_pem, const Clock& clock,
                                     const std::stop_token& stop);

/// RFC 3339: "2026-01-02T03:04:05Z", with a fraction or an offset.
std::optional<std::chrono::system_clock::time_point> ParseTimestamp(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_EXEC_PLUGIN_H_
