#include "src/config/exec_plugin.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include <kinformer/meta/time.h>

#include "src/base/base64.h"
#include "src/base/text.h"
#include "src/codec/json_fields.h"
#include "src/config/pem.h"
#include "src/config/process.h"
#include "src/config/text.h"
#include "src/meta/error_text.h"

extern char** environ;

namespace kinformer::internal {
namespace {

using nlohmann::json;

constexpr std::size_t kShownStderr = 400;
constexpr std::size_t kShownHint = 1000;

Error PluginError(std::string message) { return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)}; }

/// This process's environment, overridden by the configured entries.
std::vector<std::string> MakeEnvironment(const ExecConfig& exec, std::string exec_info) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (const char* const equals = std::strchr(*entry, '='); equals != nullptr) {
      merged[std::string(*entry, static_cast<std::size_t>(equals - *entry))] = equals + 1;
    }
  }
  for (const auto& [name, value] : exec.env) merged[name] = value.Reveal();
  merged["KUBERNETES_EXEC_INFO"] = std::move(exec_info);
  std::vector<std::string> out;
  out.reserve(merged.size());
  for (const auto& [name, value] : merged) out.emplace_back(name).append("=").append(value);
  return out;
}

bool SoundsSecret(std::string name) {
  name = Lower(std::move(name));
  const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  return has("token") || has("secret") || has("password") || has("key") || has("credential");
}

/// Secrets passed to the plugin, which it might repeat in an error message.
std::vector<std::string> SecretsOf(const Config& config) {
  const ExecConfig& exec = *config.exec;
  std::vector<std::string> secrets;
  for (const auto& [name, value] : exec.env) secrets.push_back(value.Reveal());
  for (std::size_t i = 0; i < exec.args.size(); ++i) {
    const std::string& arg = exec.args[i];
    const std::size_t equals = arg.find('=');
    if (equals != std::string::npos && SoundsSecret(arg.substr(0, equals))) {
      secrets.push_back(arg.substr(equals + 1));
    } else if (i > 0) {
      const std::string& flag = exec.args[i - 1];
      const bool takes_next = flag.rfind('-', 0) == 0 && flag.find('=') == std::string::npos;
      if (takes_next && SoundsSecret(flag)) secrets.push_back(arg);
    }
  }
  secrets.push_back(config.proxy_url.Reveal());
  secrets.push_back(exec.cluster_config.Reveal());
  return secrets;
}

std::string WithStderr(const std::string& message, const ProcessResult& result, const Config& config) {
  const std::string said =
      OneLine(Redact(OneLine(result.err, result.err.size(), Keep::kEnd), SecretsOf(config)), kShownStderr, Keep::kEnd);
  return said.empty() ? message : message + ": " + said;
}

/// A string member, or empty if it is absent or null.
Result<std::string> StringMember(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return PluginError("its output: status." + std::string(name) + ": expected a string");
  return found->get<std::string>();
}

Result<ExecCredential> Run(const Config& config, std::string_view ca_pem, const Clock& clock,
                           const std::stop_token& stop) {
  const ExecConfig& exec = *config.exec;
  std::string path = exec.command;
  if (path.find('/') == std::string::npos) {
    const char* const path_list = std::getenv("PATH");
    path = FindInPath(exec.command, path_list == nullptr ? "" : path_list).value_or("");
  }
  std::string missing = path.empty() ? "not found in PATH" : ::access(path.c_str(), F_OK) != 0 ? "not found" : "";
  if (!missing.empty()) {
    const std::string hint = OneLine(exec.install_hint, kShownHint, Keep::kBeginning);
    return PluginError(missing + (hint.empty() ? "" : "; " + hint));
  }

  ProcessSpec spec;
  spec.path = path;
  spec.argv = {exec.command};
  spec.argv.insert(spec.argv.end(), exec.args.begin(), exec.args.end());
  spec.environment = MakeEnvironment(exec, MakeExecInfo(config, ca_pem));
  spec.timeout = exec.timeout;
  auto result = RunProcess(spec, clock, stop);
  if (!result) {
    Error error = std::move(result).error();
    if (error.code == ErrorCode::kUnreachable) return PluginError("cannot be run: " + error.message);
    return error;
  }
  if (result->signal != 0) {
    return PluginError(WithStderr("ended by signal " + std::to_string(result->signal), *result, config));
  }
  if (result->exit_code != 0) {
    return PluginError(WithStderr("failed with exit code " + std::to_string(result->exit_code), *result, config));
  }
  return ParseExecCredential(result->out, exec.api_version);
}

}  // namespace

std::string MakeExecInfo(const Config& config, std::string_view ca_pem) {
  json spec = {{"interactive", false}};
  if (config.exec->provide_cluster_info) {
    json cluster = {{"server", config.server}};
    if (!config.tls_server_name.empty()) cluster["tls-server-name"] = config.tls_server_name;
    if (config.insecure_skip_tls_verify) cluster["insecure-skip-tls-verify"] = true;
    if (!ca_pem.empty()) cluster["certificate-authority-data"] = EncodeBase64(ca_pem);
    if (!config.proxy_url.empty()) cluster["proxy-url"] = config.proxy_url.Reveal();
    if (config.disable_compression) cluster["disable-compression"] = true;
    json extension = json::parse(config.exec->cluster_config.Reveal(), nullptr, /*allow_exceptions=*/false);
    cluster["config"] = extension.is_discarded() ? json(nullptr) : std::move(extension);
    spec["cluster"] = std::move(cluster);
  }
  const json info = {{"apiVersion", config.exec->api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<ExecCredential> ParseExecCredential(std::string_view output, std::string_view api_version) {
  // No parser messages: they quote the last token read, which may be the credential.
  constexpr int kMaxDepth = 32;
  const auto bounded = [](int depth, json::parse_event_t, json&) {
    if (depth > kMaxDepth) throw PluginError("its output: nested too deeply");
    return true;
  };
  json document;
  try {
    document = json::parse(output, bounded);
  } catch (const json::parse_error& error) {
    return PluginError("its output is not valid JSON (at byte " + std::to_string(error.byte) + ")");
  } catch (const json::exception&) {
    return PluginError("its output is not valid JSON");
  } catch (const Error& error) {
    return error;
  }
  if (!document.is_object()) return PluginError("its output is not a JSON object");
  if (const std::string kind = TextOf(document, "kind"); kind != "ExecCredential") {
    return PluginError("its output: kind: expected ExecCredential, found " +
                       Quoted(OneLine(kind, 60, Keep::kBeginning)));
  }
  if (const std::string version = TextOf(document, "apiVersion"); version != api_version) {
    return PluginError("its output: apiVersion: configured is " + std::string(api_version) + ", the plugin returned " +
                       Quoted(OneLine(version, 60, Keep::kBeginning)));
  }
  const auto status = document.find("status");
  if (status == document.end() || !status->is_object()) return PluginError("its output has no status");

  ExecCredential credential;
  auto token = StringMember(*status, "token");
  if (!token) return std::move(token).error();
  auto certificate = StringMember(*status, "clientCertificateData");
  if (!certificate) return std::move(certificate).error();
  auto key = StringMember(*status, "clientKeyData");
  if (!key) return std::move(key).error();
  auto expiry = StringMember(*status, "expirationTimestamp");
  if (!expiry) return std::move(expiry).error();
  credential.token = *std::move(token);
  credential.certificate_pem = *std::move(certificate);
  credential.key_pem = *std::move(key);

  if (credential.token.empty() && credential.certificate_pem.empty() && credential.key_pem.empty()) {
    return PluginError("its output has neither a token nor a certificate and key");
  }
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return PluginError(credential.key_pem.empty() ? "its output has a certificate without a key"
                                                  : "its output has a key without a certificate");
  }
  if (!IsHeaderValue(credential.token)) {
    return PluginError("its output: status.token: contains a line break or another control character");
  }
  if (!expiry->empty()) {
    credential.expiry = ParseTimestamp(*expiry);
    if (!credential.expiry) return PluginError("its output: status.expirationTimestamp: not an RFC 3339 time");
  }
  if (!credential.certificate_pem.empty()) {
    const auto not_after = CheckKeyPair(credential.certificate_pem, credential.key_pem);
    if (!not_after) return Annotate(not_after.error(), "its output");
    credential.expiry = std::min(credential.expiry.value_or(*not_after), *not_after);
  }
  return credential;
}

Result<ExecCredential> RunExecPlugin(const Config& config, std::string_view ca_pem, const Clock& clock,
                                     const std::stop_token& stop) {
  auto credential = Run(config, ca_pem, clock, stop);
  if (credential) return credential;
  std::string context = config.user_origin.empty() ? "" : config.user_origin + ": ";
  context += "exec plugin " + Quoted(config.exec->command);
  return Annotate(std::move(credential).error(), context);
}

}  // namespace kinformer::internal
