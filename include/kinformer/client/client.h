#ifndef KINFORMER_CLIENT_CLIENT_H_
#define KINFORMER_CLIENT_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/client/discovery.h>
#include <kinformer/client/log_stream.h>
#include <kinformer/client/options.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/typed_client.h>
#include <kinformer/config/config.h>
#include <kinformer/transport/transport.h>

namespace kinformer {

namespace internal {
struct ClientAccess;
}

struct ClientOptions {
  Logger logger{};
  std::shared_ptr<const Clock> clock = Clock::System();
  /// Replaces the transport made from the Config: to record, fake or tunnel requests. They still carry credentials.
  std::shared_ptr<Transport> transport{};
  /// Token bucket: sustained requests per second, and burst. `qps` zero: no client-side limit; the server has its own
  /// (API priority and fairness) and tells the client when to wait.
  double qps = 0;
  int burst = 10;
  /// How often a request is retried: after a 429 or 5xx with Retry-After, or after a GET's connection broke.
  int max_retries = 10;
  /// Request gzip-compressed responses. Costs the server CPU; worthwhile only over slow links.
  bool compression = false;
  /// kTooLarge for a larger response. Does not apply to lists, watches and logs.
  std::size_t max_response_bytes = 64U << 20U;
};

/// The response to Client::Raw.
struct RawResponse {
  ResponseHead head{};
  std::string body{};
};

/// A client of one API server, from which everything else is made. Cheap to copy: copies share one I/O thread, which
/// ends with the last copy, stream or informer made from them.
///
///     KI_TRY_ASSIGN(const ki::Config config, ki::Config::Load());
///     KI_TRY_ASSIGN(const ki::Client client, ki::Client::Create(config));
///     KI_TRY_ASSIGN(const auto pods, client.For<ki::core::v1::Pod>().List({.namespace_name = "default"}));
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Client {
 public:
  // Copyable but not movable, so that a client is never empty.
  Client(const Client&) noexcept = default;
  Client& operator=(const Client&) noexcept = default;

  /// Starts the I/O thread without connecting. kInvalidConfig says what is wrong with the Config.
  static Result<Client> Create(const Config& config, const ClientOptions& options = {});

  /// A client for a typed view's kind.
  template <FullView T>
  TypedClient<T> For() const {
    return TypedClient<T>(Dynamic(Resource::Of(T::kInfo)));
  }
  /// A client for a resource that is known only at run time.
  ResourceClient Dynamic(Resource resource) const;
  /// The same by kind: asks the server for the kind's resource.
  Result<ResourceClient> DynamicFor(const GroupVersionKind& gvk, const std::stop_token& stop = {}) const;

  /// Opens a pod's log. `stop` applies to the opening only; LogStream::NextLine takes its own.
  Result<LogStream> Logs(const NamespacedName& pod, const LogOptions& options = {},
                         const std::stop_token& stop = {}) const;
  /// Sends any request, with the usual credentials, retries and errors.
  Result<RawResponse> Raw(Request request, const std::stop_token& stop = {}) const;

  Discovery GetDiscovery() const;
  /// Shared by all copies of this client.
  const KindMapper& Mapper() const&;
  KindMapper Mapper() const&& { return Mapper(); }
  const std::string& DefaultNamespace() const&;
  const std::string& DefaultNamespace() const&& = delete;

 private:
  friend struct internal::ClientAccess;
  struct Impl;
  explicit Client(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CLIENT_H_
