#ifndef KINFORMER_SRC_CLIENT_CREDENTIALS_H_
#define KINFORMER_SRC_CLIENT_CREDENTIALS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>
#include <kinformer/client/config.h>
#include <kinformer/transport/transport.h>

#include "src/client/exec_plugin.h"
#include "src/transport/tls_material.h"

namespace kinformer::internal {

/// How often the files are looked at. Lazily, when somebody asks for credentials; there is no thread.
struct CredentialsOptions {
  Duration token_interval = std::chrono::seconds(50);
  Duration certificate_interval = std::chrono::minutes(5);
  Duration ca_interval = std::chrono::minutes(5);
  /// After a rotation that could not be used: the other half of a pair may be on its way.
  Duration retry_interval = std::chrono::seconds(10);
};

struct CredentialsSnapshot {
  /// Authorization and Impersonate-*.
  std::vector<Header> headers;
  /// Another pointer only where the content is another; never null.
  TlsMaterialPtr tls;
  /// Grows with every reload.
  std::uint64_t generation = 0;
};

/// Who we are and whom we trust, at this moment.
///
/// In: a Config; token, certificate and CA files; the exec plugin. Out: request headers and TlsMaterial.
/// Thread: any; work is done on the thread of the caller who finds it due, one at a time. Next: the REST client and the
/// transport.
///
/// What rotates is picked up without a restart. A rotation that cannot be used (unreadable, empty, not a pair, plugin
/// failed) leaves the old credentials in place and is logged once.
///
/// @par Thread Safety
/// All functions may be called from any thread. No lock is held while a file is read or the plugin runs: callers who
/// can go on with what they have do so, the others wait for that one run and share its outcome.
class Credentials {
 public:
  using Snapshot = CredentialsSnapshot;

  /// Checks that the configuration is consistent; reads nothing.
  static Result<std::unique_ptr<Credentials>> Create(Config config, std::shared_ptr<const Clock> clock, Logger logger,
                                                     const CredentialsOptions& options = {});
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  /// What the next request is to be sent with. Usually cached; reads files or runs the plugin when that is due.
  Result<Snapshot> Current(const std::stop_token& stop) KINFORMER_EXCLUDES(mutex_);

  /// After the server refused `seen` (a 401, or a failed TLS handshake): reads and runs everything again, unless that
  /// has happened since `seen` was handed out, so that any number of refusals cause one run. Returns whether the
  /// credentials are others than `seen` now; an error if they are not because the reload failed.
  Result<bool> Refresh(const Snapshot& seen, const std::stop_token& stop) KINFORMER_EXCLUDES(mutex_);

 private:
  struct Sources;
  struct Flight;
  struct Outcome;

  Credentials(Config config, std::shared_ptr<const Clock> clock, Logger logger, const CredentialsOptions& options);

  bool IsExpired() const KINFORMER_REQUIRES(mutex_);
  /// A reload has three steps: say that it is under way, do it without the lock, tell the outcome.
  std::shared_ptr<Flight> Start(bool forced) KINFORMER_REQUIRES(mutex_);
  Outcome Load(const Flight& flight, const std::stop_token& stop) KINFORMER_EXCLUDES(mutex_);
  void Finish(Flight& flight, Outcome outcome) KINFORMER_REQUIRES(mutex_);
  /// False if stopped.
  bool Await(MutexLock& lock, const std::shared_ptr<Flight>& flight, const std::stop_token& stop)
      KINFORMER_REQUIRES(mutex_);
  Result<bool> CompareWith(const Snapshot& seen) const KINFORMER_REQUIRES(mutex_);

  const Config config_;
  const std::shared_ptr<const Clock> clock_;
  const Logger logger_;
  const CredentialsOptions options_;

  /// Used by the thread that reloads, and by no other meanwhile; handed on under the mutex.
  const std::unique_ptr<Sources> sources_;

  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<Flight> flight_ KINFORMER_GUARDED_BY(mutex_);  ///< The reload under way.
  std::optional<Snapshot> snapshot_ KINFORMER_GUARDED_BY(mutex_);
  std::uint64_t generation_ KINFORMER_GUARDED_BY(mutex_) = 0;
  TimePoint next_poll_ KINFORMER_GUARDED_BY(mutex_){};
  std::optional<std::chrono::system_clock::time_point> expiry_ KINFORMER_GUARDED_BY(mutex_);
  std::optional<Error> last_refresh_error_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_CREDENTIALS_H_
