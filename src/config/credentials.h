#ifndef KINFORMER_SRC_CONFIG_CREDENTIALS_H_
#define KINFORMER_SRC_CONFIG_CREDENTIALS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/config/config.h>
#include <kinformer/transport/tls_material.h>
#include <kinformer/transport/transport.h>

#include "src/base/ready_callback.h"

namespace kinformer::internal {

/// How often files are checked. A check happens only when a request asks for credentials and the interval has passed.
struct CredentialsOptions {
  Duration token_interval = std::chrono::seconds(50);
  Duration certificate_interval = std::chrono::minutes(5);
  Duration ca_interval = std::chrono::minutes(5);
  /// Applies after an unusable rotation: the other half of a key pair may still be missing.
  Duration retry_interval = std::chrono::seconds(10);
};

struct CredentialsSnapshot {
  /// Authorization and Impersonate-*.
  std::vector<Header> headers;
  /// The pointer changes only if the content changes. Never null.
  TlsMaterialPtr tls;
  /// Increases when the content changes, and with every forced reload and plugin run.
  std::uint64_t generation = 0;
};

class Credentials;
struct CredentialsReload;

/// One caller's wait for a reload of the credentials. Destroying it cancels the wait.
///
/// @par Thread Safety
/// One caller at a time.
class CredentialsWait {
 public:
  CredentialsWait() = default;
  ~CredentialsWait() { Cancel(); }
  CredentialsWait(const CredentialsWait&) = delete;
  CredentialsWait& operator=(const CredentialsWait&) = delete;

  bool waiting() const { return reload_ != nullptr; }
  /// After this, the function given to Credentials::NotifyWhenReady is not running and will not be called.
  void Cancel() {
    if (ready_ != nullptr) ready_->Set(nullptr);
  }

 private:
  friend class Credentials;
  std::shared_ptr<CredentialsReload> reload_;
  std::shared_ptr<ReadyCallback> ready_;
};

/// The current credentials and trusted certificate authorities.
///
/// In: a Config; token, certificate and CA files; the exec plugin. Out: request headers and TlsMaterial.
/// Thread: files are read and the plugin runs on a dedicated thread, started on first use. Next: the REST client and
/// the transport.
///
/// Rotated credentials are picked up without a restart. A rotation that cannot be used (unreadable, empty, mismatched
/// key pair, plugin failed) keeps the old credentials and is logged once.
///
/// One reload runs at a time. Callers that can use the current credentials do not wait; the others share the reload's
/// outcome. A reload continues after its waiters have left, so that later callers find the result.
///
/// The destructor kills a running plugin with its process group and joins the thread. It cannot interrupt a file read
/// on an unresponsive file system.
///
/// @par Thread Safety
/// All functions may be called from any thread. No lock is held while a file is read, the plugin runs or a caller's
/// function is called.
class Credentials {
 public:
  using Snapshot = CredentialsSnapshot;

  /// Checks that the configuration is consistent; reads no files.
  static Result<std::unique_ptr<Credentials>> Create(Config config, std::shared_ptr<const Clock> clock, Logger logger,
                                                     const CredentialsOptions& options = {});
  /// May run on the credentials thread, inside a function given to NotifyWhenReady.
  ~Credentials();
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  /// The credentials for the next request. Usually cached; waits if files must be read or the plugin must run.
  Result<Snapshot> Current(const std::stop_token& stop, TimePoint deadline = Clock::kNever);
  /// Non-blocking form: nullopt if not available yet. Call it again with the same `wait` once NotifyWhenReady has
  /// fired.
  std::optional<Result<Snapshot>> TryCurrent(CredentialsWait& wait);

  /// To be called after the server refused `seen` (a 401 or a failed TLS handshake). Reloads everything, unless that
  /// has already happened since `seen` was returned, so that any number of refusals cause one reload. Returns whether
  /// the credentials now differ from `seen`; an error if they do not because the reload failed.
  Result<bool> Refresh(const Snapshot& seen, const std::stop_token& stop, TimePoint deadline = Clock::kNever);
  /// Non-blocking form, like TryCurrent.
  std::optional<Result<bool>> TryRefresh(const Snapshot& seen, CredentialsWait& wait);

  /// Calls `ready` once when the reload that `wait` waits for is done; at once if it already is. `ready` may run on the
  /// credentials thread and may destroy this object. Replaces an earlier `ready`, like ResponseStream::NotifyWhenReady.
  void NotifyWhenReady(CredentialsWait& wait, std::function<void()> ready);

 private:
  class Core;
  explicit Credentials(std::shared_ptr<Core> core);

  const std::shared_ptr<Core> core_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_CREDENTIALS_H_
