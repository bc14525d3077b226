#include "src/config/credentials.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "src/base/base64.h"
#include "src/base/mutex.h"
#include "src/base/owned_thread.h"
#include "src/config/credential_sources.h"
#include "src/config/exec_plugin.h"
#include "src/config/kubeconfig.h"
#include "src/config/text.h"

namespace kinformer::internal {
namespace {

Error Stopped() { return {.code = ErrorCode::kCancelled, .message = "stopped while waiting for credentials"}; }

/// Everything credentials come from. Used by one reload at a time.
struct Sources {
  Sources(const Config& config, const CredentialsOptions& options, const Logger& logger)
      : token(config, options, logger),
        key_pair(config, options, logger),
        ca(config, options, logger),
        uses_exec(config.exec.has_value() && !HasAuthBesidesExec(config)),
        uses_files(!config.token_file.empty() || !config.ca_file.empty() || !config.client_certificate_file.empty() ||
                   !config.client_key_file.empty()),
        exec_log(logger, "exec credential") {}

  TokenSource token;
  KeyPairSource key_pair;
  CaSource ca;
  const bool uses_exec;
  const bool uses_files;
  std::optional<ExecCredential> exec;
  RotationLog exec_log;
  TlsMaterialPtr tls;

  /// A snapshot of the sources; its generation is not set.
  CredentialsSnapshot Assemble(const Config& config) {
    CredentialsSnapshot out;
    TlsMaterial material{.ca_pem = ca.pem(),
                         .client_certificate_pem = exec ? exec->certificate_pem : key_pair.certificate(),
                         .client_key_pem = Secret(exec ? exec->key_pem : key_pair.key()),
                         .server_name = config.tls_server_name,
                         .insecure_skip_tls_verify = config.insecure_skip_tls_verify};
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

}  // namespace

/// One reload, shared with its waiters. Guarded by the Core's mutex, except for the constant members.
struct CredentialsReload {
  bool forced = false;     ///< Constant.
  bool runs_exec = false;  ///< Constant.
  TimePoint started{};     ///< Constant.
  bool done = false;
  std::optional<Error> error;
  std::vector<std::weak_ptr<ReadyCallback>> waiters;
};

/// Shared by the Credentials and its thread, which may outlive it.
class Credentials::Core : public std::enable_shared_from_this<Core> {
 public:
  using Reload = CredentialsReload;
  using Waiters = std::vector<std::weak_ptr<ReadyCallback>>;

  Core(Config config, std::shared_ptr<const Clock> clock, Logger logger, const CredentialsOptions& options)
      : config_(std::move(config)),
        clock_(std::move(clock)),
        logger_(std::move(logger)),
        options_(options),
        sources_(config_, options_, logger_) {}

  void Stop() { thread_.Stop(); }

  std::optional<Result<Snapshot>> TryCurrent(CredentialsWait& wait, const std::stop_token& stop)
      KINFORMER_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (;;) {
      if (wait.reload_ != nullptr) {
        if (!wait.reload_->done) return std::nullopt;
        const std::shared_ptr<Reload> waited = std::exchange(wait.reload_, nullptr);
        if (!IsExpired()) return *snapshot_;
        if (waited->error) return *waited->error;
        // A plugin may return expired credentials; running it again at once would not help.
        if (waited->runs_exec) return *snapshot_;
      }
      const bool due = clock_->Now() >= next_poll_;
      if (!IsExpired() && (!due || flight_ != nullptr)) return *snapshot_;
      if (stop.stop_requested()) return Stopped();
      wait.reload_ = flight_ != nullptr ? flight_ : Begin(/*forced=*/false);
    }
  }

  std::optional<Result<bool>> TryRefresh(const Snapshot& seen, CredentialsWait& wait, const std::stop_token& stop)
      KINFORMER_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (;;) {
      if (wait.reload_ != nullptr) {
        if (!wait.reload_->done) return std::nullopt;
        const std::shared_ptr<Reload> waited = std::exchange(wait.reload_, nullptr);
        if (waited->forced && waited->error && seen.generation == generation_) return *waited->error;
      }
      if (seen.generation != generation_) return CompareWith(seen);
      if (stop.stop_requested()) return Stopped();
      wait.reload_ = flight_ != nullptr ? flight_ : Begin(/*forced=*/true);
    }
  }

  /// Blocks until the reload of `wait` is done, a stop is requested or the deadline passes.
  Result<void> Await(const CredentialsWait& wait, const std::stop_token& stop, TimePoint deadline)
      KINFORMER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (changed_.Wait(lock, *clock_, deadline, stop, [&] { return wait.reload_->done; })) return {};
    if (stop.stop_requested()) return Stopped();
    Error error{.code = ErrorCode::kDeadlineExceeded, .message = "timed out waiting for credentials"};
    if (wait.reload_->runs_exec) error.message += ": exec plugin \"" + config_.exec->command + "\" is still running";
    return error;
  }

  void NotifyWhenReady(CredentialsWait& wait, std::function<void()> ready) KINFORMER_EXCLUDES(mutex_) {
    if (wait.ready_ == nullptr) wait.ready_ = std::make_shared<ReadyCallback>();
    const std::shared_ptr<ReadyCallback> callback = wait.ready_;
    callback->Set(std::move(ready));
    {
      const MutexLock lock(mutex_);
      if (wait.reload_ != nullptr && !wait.reload_->done) {
        Waiters& waiters = wait.reload_->waiters;
        std::erase_if(waiters, [&](const auto& waiter) { return waiter.expired() || waiter.lock() == callback; });
        waiters.push_back(callback);
        return;
      }
    }
    callback->Call();
  }

 private:
  struct Outcome {
    std::optional<Error> error{};
    /// Also set on an error, if there were credentials before.
    std::optional<Snapshot> snapshot{};
    TimePoint next_poll{};
    std::optional<std::chrono::system_clock::time_point> expiry{};
  };

  bool IsExpired() const KINFORMER_REQUIRES(mutex_) { return !snapshot_ || (expiry_ && clock_->WallNow() >= *expiry_); }

  Result<bool> CompareWith(const Snapshot& seen) const KINFORMER_REQUIRES(mutex_) {
    const bool changed = snapshot_ && (snapshot_->headers != seen.headers || snapshot_->tls != seen.tls);
    if (!changed && last_refresh_error_) return *last_refresh_error_;
    return changed;
  }

  /// Registers a reload as in flight, runs it without the lock, and publishes the outcome. A reload that reads no file
  /// and runs no plugin happens inline; all others on the thread. Releases the lock in between.
  std::shared_ptr<Reload> Begin(bool forced) KINFORMER_REQUIRES(mutex_) {
    const auto reload = std::make_shared<Reload>();
    reload->forced = forced;
    reload->runs_exec = sources_.uses_exec && (forced || IsExpired());
    reload->started = clock_->Now();
    flight_ = reload;
    if (reload->runs_exec || sources_.uses_files) {
      queued_ = reload;
      if (std::optional<Error> failed = EnsureThread()) {
        queued_ = nullptr;
        Finish(*reload, {.error = std::move(failed)});
      } else {
        changed_.NotifyAll();
      }
    } else {
      mutex_.Unlock();
      Outcome outcome = Load(*reload, {});
      mutex_.Lock();
      Finish(*reload, std::move(outcome));
    }
    return reload;
  }

  std::optional<Error> EnsureThread() KINFORMER_REQUIRES(mutex_) {
    if (thread_.started()) return std::nullopt;
    try {
      thread_.Start([self = shared_from_this()](const std::stop_token& stop) { self->Run(stop); });
      return std::nullopt;
    } catch (const std::system_error& e) {
      return Error{.code = ErrorCode::kInternal,
                   .message = std::string("cannot start a thread to load the credentials: ") + e.what()};
    }
  }

  void Run(const std::stop_token& stop) KINFORMER_EXCLUDES(mutex_) {
    pthread_setname_np(pthread_self(), "kinformer-creds");
    MutexLock lock(mutex_);
    const auto has_work = [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return queued_ != nullptr; };
    while (changed_.Wait(lock, stop, has_work)) {
      const std::shared_ptr<Reload> reload = std::exchange(queued_, nullptr);
      mutex_.Unlock();
      Outcome outcome = Load(*reload, stop);
      mutex_.Lock();
      Finish(*reload, std::move(outcome));
    }
  }

  Outcome Load(const Reload& reload, const std::stop_token& stop) KINFORMER_EXCLUDES(mutex_) {
    try {
      return LoadFrom(sources_, reload, stop);
    } catch (const std::exception& e) {
      return {.error = Error{.code = ErrorCode::kInternal,
                             .message = std::string("loading the credentials failed: ") + e.what()}};
    }
  }

  Outcome LoadFrom(Sources& sources, const Reload& reload, const std::stop_token& stop) const {
    Outcome outcome;
    std::optional<Error>& error = outcome.error;
    const auto keep_first = [&error](Result<void> result) {
      if (!result && !error) error = std::move(result).error();
    };
    keep_first(sources.ca.Reload(reload.started, reload.forced));
    keep_first(sources.token.Reload(reload.started, reload.forced));
    keep_first(sources.key_pair.Reload(*clock_, reload.forced));
    if (reload.runs_exec && !error) {
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

  /// Releases the lock while calling the waiters.
  void Finish(Reload& reload, Outcome outcome) KINFORMER_REQUIRES(mutex_) {
    reload.error = outcome.error;
    reload.done = true;
    flight_ = nullptr;
    if (outcome.snapshot) {
      Snapshot& fresh = *outcome.snapshot;
      const bool changed = !snapshot_ || snapshot_->headers != fresh.headers || snapshot_->tls != fresh.tls;
      // Increase it even if nothing changed: a caller refused with the same credentials need not ask again.
      if (changed || reload.forced || reload.runs_exec) ++generation_;
      fresh.generation = generation_;
      snapshot_ = std::move(fresh);
      next_poll_ = outcome.next_poll;
      expiry_ = outcome.expiry;
      if (reload.forced) {
        last_refresh_error_ = std::move(outcome.error);
      } else if (changed) {
        last_refresh_error_.reset();
      }
    }
    const Waiters waiters = std::move(reload.waiters);
    mutex_.Unlock();
    changed_.NotifyAll();
    for (const std::weak_ptr<ReadyCallback>& waiter : waiters) {
      if (const std::shared_ptr<ReadyCallback> callback = waiter.lock()) callback->Call();
    }
    mutex_.Lock();
  }

  const Config config_;
  const std::shared_ptr<const Clock> clock_;
  const Logger logger_;
  const CredentialsOptions options_;

  /// Used only by the reload in flight; handed over under the mutex.
  Sources sources_;

  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<Reload> flight_ KINFORMER_GUARDED_BY(mutex_);  ///< The reload in flight.
  std::shared_ptr<Reload> queued_ KINFORMER_GUARDED_BY(mutex_);  ///< Equal to flight_ until the thread takes it.
  std::optional<Snapshot> snapshot_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t generation_ KINFORMER_GUARDED_BY(mutex_) = 0;
  TimePoint next_poll_ KINFORMER_GUARDED_BY(mutex_){};
  std::optional<std::chrono::system_clock::time_point> expiry_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> last_refresh_error_ KINFORMER_GUARDED_BY(mutex_);

  /// Started under the mutex, stopped by the owner.
  OwnedThread thread_;
};

Result<std::unique_ptr<Credentials>> Credentials::Create(Config config, std::shared_ptr<const Clock> clock,
                                                         Logger logger, const CredentialsOptions& options) {
  if (auto valid = config.Validate(); !valid) return std::move(valid).error();
  if (config.exec && HasAuthBesidesExec(config)) {
    logger.Info("client", "the exec plugin is not used, because other credentials are configured",
                {{"user", config.user_origin}});
  }
  return std::unique_ptr<Credentials>(
      new Credentials(std::make_shared<Core>(std::move(config), std::move(clock), std::move(logger), options)));
}

Credentials::Credentials(std::shared_ptr<Core> core) : core_(std::move(core)) {}

Credentials::~Credentials() { core_->Stop(); }

Result<Credentials::Snapshot> Credentials::Current(const std::stop_token& stop, TimePoint deadline) {
  CredentialsWait wait;
  for (;;) {
    if (std::optional<Result<Snapshot>> current = core_->TryCurrent(wait, stop)) return *std::move(current);
    if (Result<void> there = core_->Await(wait, stop, deadline); !there) return std::move(there).error();
  }
}

std::optional<Result<Credentials::Snapshot>> Credentials::TryCurrent(CredentialsWait& wait) {
  return core_->TryCurrent(wait, {});
}

Result<bool> Credentials::Refresh(const Snapshot& seen, const std::stop_token& stop, TimePoint deadline) {
  CredentialsWait wait;
  for (;;) {
    if (std::optional<Result<bool>> changed = core_->TryRefresh(seen, wait, stop)) return *std::move(changed);
    if (Result<void> there = core_->Await(wait, stop, deadline); !there) return std::move(there).error();
  }
}

std::optional<Result<bool>> Credentials::TryRefresh(const Snapshot& seen, CredentialsWait& wait) {
  return core_->TryRefresh(seen, wait, {});
}

void Credentials::NotifyWhenReady(CredentialsWait& wait, std::function<void()> ready) {
  const std::shared_ptr<Core> core = core_;  // `ready` may destroy this
  core->NotifyWhenReady(wait, std::move(ready));
}

}  // namespace kinformer::internal
