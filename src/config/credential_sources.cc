#include "src/config/credential_sources.h"

#include <utility>

#include "src/base/file_reader.h"
#include "src/base/text.h"
#include "src/config/kubeconfig.h"
#include "src/config/text.h"

namespace kinformer::internal {
namespace {

constexpr std::string_view kComponent = "client";

Error CredentialError(std::string message) {
  return {.code = ErrorCode::kInvalidConfig, .message = std::move(message)};
}

Error About(const Config& config, ConfigProblem::Part part, std::string field, const Error& error) {
  return ToError(config, {part, std::move(field), error.message});
}

Result<std::string> ReadToken(const std::string& path) {
  auto content = ReadFile(path, kMaxCredentialFileBytes);
  if (!content) return CredentialError(path + ": " + content.error().message);
  const std::string_view token = Trim(*content);
  if (token.empty()) return CredentialError(path + ": is empty");
  if (!IsHeaderValue(token)) return CredentialError(path + ": contains a control character");
  return std::string(token);
}

Result<std::string> DataOrFile(const std::string& data, const std::string& file, const char* field) {
  if (!data.empty()) return data;
  auto content = ReadFile(file, kMaxCredentialFileBytes);
  if (!content) return CredentialError(std::string(field) + ": " + file + ": " + content.error().message);
  return content;
}

bool IsHeaderNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && std::string_view("!#$&'*+-.^_`|~").find(c) != std::string_view::npos);
}

std::string EscapeHeaderName(std::string_view name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    if (IsHeaderNameCharacter(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

}  // namespace

void RotationLog::Failed(const std::string& message) {
  if (message == last_failure_) return;
  last_failure_ = message;
  logger_.Warning(kComponent, "cannot use the rotated " + what_ + "; keeping the previous one", {{"error", message}});
}

void RotationLog::Succeeded(bool changed) {
  if (changed || !last_failure_.empty()) {
    logger_.Info(kComponent, changed ? "rotated: " + what_ : "usable again: " + what_);
  }
  last_failure_.clear();
}

TokenSource::TokenSource(const Config& config, const CredentialsOptions& options, const Logger& logger)
    : config_(config), options_(options), log_(logger, "token"), token_(config.token.Reveal()) {}

Result<void> TokenSource::Reload(TimePoint now, bool forced) {
  if (config_.token_file.empty()) {
    next_check_ = Clock::kNever;
    return {};
  }
  if (!forced && now < next_check_) return {};
  auto token = ReadToken(config_.token_file);
  if (!token) {
    if (token_.empty()) return About(config_, ConfigProblem::Part::kUser, "tokenFile", token.error());
    log_.Failed(token.error().message);
    next_check_ = SaturatingAdd(now, options_.retry_interval);
    return {};
  }
  log_.Succeeded(from_file_ && *token != token_);
  token_ = *std::move(token);
  from_file_ = true;
  next_check_ = SaturatingAdd(now, options_.token_interval);
  return {};
}

KeyPairSource::KeyPairSource(const Config& config, const CredentialsOptions& options, const Logger& logger)
    : config_(config), options_(options), logger_(logger), log_(logger, "client certificate") {}

Result<void> KeyPairSource::Reload(const Clock& clock, bool forced) {
  const bool has_certificate = !config_.client_certificate_data.empty() || !config_.client_certificate_file.empty();
  const bool all_data = !config_.client_certificate_data.empty() && !config_.client_key_data.empty();
  const TimePoint now = clock.Now();
  if (!has_certificate || (all_data && !certificate_.empty())) {
    next_check_ = Clock::kNever;
    return {};
  }
  if (!forced && now < next_check_) return {};
  const bool first = certificate_.empty();
  auto changed = Load(clock);
  if (!changed.ok()) {
    if (first) return About(config_, ConfigProblem::Part::kUser, "client-certificate", changed.error());
    log_.Failed(changed.error().message);
    next_check_ = SaturatingAdd(now, options_.retry_interval);
    return {};
  }
  log_.Succeeded(*changed && !first);
  next_check_ = all_data ? Clock::kNever : SaturatingAdd(now, options_.certificate_interval);
  return {};
}

Result<bool> KeyPairSource::Load(const Clock& clock) {
  auto certificate = DataOrFile(config_.client_certificate_data, config_.client_certificate_file, "client-certificate");
  if (!certificate) return std::move(certificate).error();
  auto key = DataOrFile(config_.client_key_data.Reveal(), config_.client_key_file, "client-key");
  if (!key) return std::move(key).error();
  if (*certificate == certificate_ && *key == key_) return false;
  const auto not_after = CheckKeyPair(*certificate, *key);
  if (!not_after) return not_after.error();
  if (*not_after <= clock.WallNow()) {
    if (!certificate_.empty() && not_after_ > clock.WallNow()) return CredentialError("the certificate: has expired");
    logger_.Warning(kComponent, "the client certificate has expired", {{"user", config_.user_origin}});
  }
  certificate_ = *std::move(certificate);
  key_ = *std::move(key);
  not_after_ = *not_after;
  return true;
}

CaSource::CaSource(const Config& config, const CredentialsOptions& options, const Logger& logger)
    : config_(config), options_(options), log_(logger, "certificate authority"), pem_(config.ca_data) {}

Result<void> CaSource::Reload(TimePoint now, bool forced) {
  if (!config_.ca_data.empty() || config_.ca_file.empty()) {
    next_check_ = Clock::kNever;
    return {};
  }
  if (!forced && now < next_check_) return {};
  auto content = ReadFile(config_.ca_file, kMaxCredentialFileBytes);
  const auto checked = content ? CheckCertificates(*content) : Result<void>(content.error());
  if (!checked) {
    const Error error = CredentialError(config_.ca_file + ": " + checked.error().message);
    if (pem_.empty()) return About(config_, ConfigProblem::Part::kCluster, "certificate-authority", error);
    log_.Failed(error.message);
    next_check_ = SaturatingAdd(now, options_.retry_interval);
    return {};
  }
  log_.Succeeded(!pem_.empty() && *content != pem_);
  pem_ = *std::move(content);
  next_check_ = SaturatingAdd(now, options_.ca_interval);
  return {};
}

std::vector<Header> ImpersonationHeaders(const Impersonation& impersonate) {
  std::vector<Header> headers;
  if (impersonate.user.empty()) return headers;
  headers.emplace_back("Impersonate-User", impersonate.user);
  if (!impersonate.uid.empty()) headers.emplace_back("Impersonate-Uid", impersonate.uid);
  for (const std::string& group : impersonate.groups) headers.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : impersonate.extra) {
    for (const std::string& value : values) headers.emplace_back("Impersonate-Extra-" + EscapeHeaderName(key), value);
  }
  return headers;
}

}  // namespace kinformer::internal
