#include "src/client/credentials.h"
#include "src/base/base64.h"

#include <algorithm>
#include <utility>

#include "src/client/credential_sources.h"
#include "src/client/kubeconfig.h"
#include "src/client/text.h"

namespace kinformer::internal {
namespace {

Error Stopped() { return {.code = ErrorCode::kCancelled, .message = "stopped while waiting for credentials"}; }

}  // namespace

struct Credentials::Sources {
  Sources(const Config& config, const CredentialsOptions& options, const Logger& logger)
      : token(config, options, logger),
        key_pair(config, options, logger),
        ca(config, options, logger),
        uses_exec(config.exec.has_value() && !HasAuthBesidesExec(config)),
        exec_log(logger, "exec credential") {}

  TokenSource token;
  KeyPairSource key_pair;
  CaSource ca;
  const bool uses_exec;
  std::optional<ExecCredential> exec;
  RotationLog exec_log;
  TlsMaterialPtr tls;

  /// What the sources say now; its generation is not set.
  Snapshot Assemble(const Config& config) {
    Snapshot out;
    TlsMaterial material{.ca_pem = ca.pem(),
                         .client_cert_pem = exec ? exec->certificate_pem : key_pair.certificate(),
                         .client_key_pem = exec ? exec->key_pem : key_pair.key(),
                         .insecure_skip_verify = config.insecure_skip_tls_verify,
                         .server_name = config.tls_server_name};
    if (!tls || *tls != material) tls = std::make_shared<const TlsMaterial>(std::move(material));
    out.tls = tls;
    const std::string& bearer = exec ? exec->token : token.token();
    if (!bearer.empty()) {
      out.headers.emplace_back("Authorization", "Bearer " + bearer);
    } else if (!config.username.empty()) {
      out.headers.emplace_back("Authorization",
                               "Basic " + EncodeBase64(config.username + ":" + config.password.Reveal()));
    }
    for (Header& header : ImpersonationHeaders(config.impersonate)) out.headers.push_back(std::move(header));
    return out;
  }
};

/// One reload, seen by the thread that does it and by those that wait for it.
struct Credentials::Flight {
  bool forced = false;
  bool runs_exec = false;
  TimePoint started;
  bool done = false;
  std::optional<Error> error;
};

struct Credentials::Outcome {
  std::optional<Error> error;
  /// Also beside an error, if there were credentials before.
  std::optional<Snapshot> snapshot;
  TimePoint next_poll;
  std::optional<std::chrono::system_clock::time_point> expiry;
};

Result<std::unique_ptr<Credentials>> Credentials::Create(Config config, std::shared_ptr<const Clock> clock,
                                                         Logger logger, const CredentialsOptions& options) {
  if (auto valid = config.Validate(); !valid) return std::move(valid).error();
  if (config.exec && HasAuthBesidesExec(config)) {
    logger.Info("client", "the exec plugin is not used, because other credentials are configured",
                {{"user", config.user_origin}});
  }
  return std::unique_ptr<Credentials>(new Credentials(std::move(config), std::move(clock), std::move(logger), options));
}

Credentials::Credentials(Config config, std::shared_ptr<const Clock> clock, Logger logger,
                         const CredentialsOptions& options)
    : config_(std::move(config)),
      clock_(std::move(clock)),
      logger_(std::move(logger)),
      options_(options),
      sources_(std::make_unique<Sources>(config_, options_, logger_)) {}

Credentials::~Credentials() = default;

bool Credentials::IsExpired() const { return !snapshot_ || (expiry_ && clock_->WallNow() >= *expiry_); }

Result<Credentials::Snapshot> Credentials::Current(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  for (;;) {
    const bool expired = IsExpired();
    const bool due = clock_->Now() >= next_poll_;
    if (!expired && (!due || flight_)) return *snapshot_;
    if (stop.stop_requested()) return Stopped();

    std::shared_ptr<Flight> flight = flight_;
    if (!flight) {
      flight = Start(/*forced=*/false);
      lock.Unlock();
      Outcome outcome = Load(*flight, stop);
      lock.Lock();
      Finish(*flight, std::move(outcome));
    } else if (!Await(lock, flight, stop)) {
      return Stopped();
    } else if (flight->error && flight->error->code == ErrorCode::kCancelled) {
      continue;  // Its thread was stopped; we were not.
    }
    // A plugin may hand out what has expired already; running it again at once would not help.
    if (flight->error) {
      if (!IsExpired()) return *snapshot_;
      return *flight->error;
    }
    if (!IsExpired() || flight->runs_exec) return *snapshot_;
  }
}

Result<bool> Credentials::Refresh(const Snapshot& seen, const std::stop_token& stop) {
  MutexLock lock(mutex_);
  for (;;) {
    if (seen.generation != generation_) return CompareWith(seen);
    if (stop.stop_requested()) return Stopped();
    if (const std::shared_ptr<Flight> flight = flight_) {
      if (!Await(lock, flight, stop)) return Stopped();
      continue;
    }
    const std::shared_ptr<Flight> flight = Start(/*forced=*/true);
    lock.Unlock();
    Outcome outcome = Load(*flight, stop);
    lock.Lock();
    Finish(*flight, std::move(outcome));
    if (flight->error && flight->error->code == ErrorCode::kCancelled) return *flight->error;
    return CompareWith(seen);
  }
}

Result<bool> Credentials::CompareWith(const Snapshot& seen) const {
  const bool changed = snapshot_ && (snapshot_->headers != seen.headers || snapshot_->tls != seen.tls);
  if (!changed && last_refresh_error_) return *last_refresh_error_;
  return changed;
}

bool Credentials::Await(MutexLock& lock, const std::shared_ptr<Flight>& flight, const std::stop_token& stop) {
  return changed_.Wait(lock, stop, [&] { return flight->done; });
}

std::shared_ptr<Credentials::Flight> Credentials::Start(bool forced) {
  flight_ = std::make_shared<Flight>();
  flight_->forced = forced;
  flight_->runs_exec = sources_->uses_exec && (forced || IsExpired());
  flight_->started = clock_->Now();
  return flight_;
}

Credentials::Outcome Credentials::Load(const Flight& flight, const std::stop_token& stop) {
  Sources& sources = *sources_;
  Outcome outcome;
  std::optional<Error>& error = outcome.error;
  const auto keep_first = [&error](Result<void> result) {
    if (!result && !error) error = std::move(result).error();
  };
  keep_first(sources.ca.Reload(flight.started, flight.forced));
  keep_first(sources.token.Reload(flight.started, flight.forced));
  keep_first(sources.key_pair.Reload(*clock_, flight.forced));
  if (flight.runs_exec && !error) {
    auto credential = RunExecPlugin(config_, sources.ca.pem(), *clock_, stop);
    if (credential) {
      const bool changed = sources.exec && (sources.exec->token != credential->token ||
                                            sources.exec->certificate_pem != credential->certificate_pem);
      sources.exec_log.Succeeded(changed);
      sources.exec = *std::move(credential);
    } else {
      error = std::move(credential).error();
      if (sources.exec && error->code != ErrorCode::kCancelled) sources.exec_log.Failed(error->message);
    }
  }
  if (!error || (sources.tls && error->code != ErrorCode::kCancelled)) outcome.snapshot = sources.Assemble(config_);
  outcome.next_poll = std::min({sources.ca.next_check(), sources.token.next_check(), sources.key_pair.next_check()});
  if (sources.exec) outcome.expiry = sources.exec->expiry;
  return outcome;
}

void Credentials::Finish(Flight& flight, Outcome outcome) {
  flight.error = outcome.error;
  flight.done = true;
  flight_ = nullptr;
  if (outcome.snapshot) {
    Snapshot& fresh = *outcome.snapshot;
    const bool changed = !snapshot_ || snapshot_->headers != fresh.headers || snapshot_->tls != fresh.tls;
    // Also where nothing has changed: who was refused with the same credentials need not ask again.
    if (changed || flight.forced || flight.runs_exec) ++generation_;
    fresh.generation = generation_;
    snapshot_ = std::move(fresh);
    next_poll_ = outcome.next_poll;
    expiry_ = outcome.expiry;
    if (flight.forced) {
      last_refresh_error_ = std::move(outcome.error);
    } else if (changed) {
      last_refresh_error_.reset();
    }
  }
  changed_.NotifyAll();
}

}  // namespace kinformer::internal
