#ifndef KINFORMER_SRC_CONFIG_CREDENTIAL_SOURCES_H_
#define KINFORMER_SRC_CONFIG_CREDENTIAL_SOURCES_H_

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/config/config.h>

#include "src/config/credentials.h"
#include "src/config/pem.h"

namespace kinformer::internal {

/// Logs a repeated failure only once, and logs the recovery.
class RotationLog {
 public:
  RotationLog(Logger logger, std::string what) : logger_(std::move(logger)), what_(std::move(what)) {}

  void Failed(const std::string& message);
  void Succeeded(bool changed);

 private:
  const Logger logger_;
  const std::string what_;
  std::string last_failure_;
};

/// The bearer token: from the file if one is configured, otherwise the configured one.
class TokenSource {
 public:
  TokenSource(const Config& config, const CredentialsOptions& options, const Logger& logger);

  /// Fails only if a token file is configured, cannot be read, and there is no other token to use.
  Result<void> Reload(TimePoint now, bool forced);
  const std::string& token() const { return token_; }
  TimePoint next_check() const { return next_check_; }

 private:
  const Config& config_;
  const CredentialsOptions& options_;
  RotationLog log_;
  std::string token_;
  bool from_file_ = false;
  TimePoint next_check_ = TimePoint::min();
};

/// The client's certificate and key, from data or files.
class KeyPairSource {
 public:
  KeyPairSource(const Config& config, const CredentialsOptions& options, const Logger& logger);

  Result<void> Reload(const Clock& clock, bool forced);
  const std::string& certificate() const { return certificate_; }
  const std::string& key() const { return key_; }
  TimePoint next_check() const { return next_check_; }

 private:
  Result<bool> Load(const Clock& clock);

  const Config& config_;
  const CredentialsOptions& options_;
  const Logger logger_;
  RotationLog log_;
  std::string certificate_;
  std::string key_;
  WallTime not_after_{};
  TimePoint next_check_ = TimePoint::min();
};

/// The CA bundle, from data or a file.
class CaSource {
 public:
  CaSource(const Config& config, const CredentialsOptions& options, const Logger& logger);

  Result<void> Reload(TimePoint now, bool forced);
  const std::string& pem() const { return pem_; }
  TimePoint next_check() const { return next_check_; }

 private:
  const Config& config_;
  const CredentialsOptions& options_;
  RotationLog log_;
  std::string pem_;
  TimePoint next_check_ = TimePoint::min();
};

/// Request headers for an impersonation. Keys of `extra` are percent-encoded where they contain characters a header
/// name cannot hold.
std::vector<Header> ImpersonationHeaders(const Impersonation& impersonate);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_CREDENTIAL_SOURCES_H_
