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
#include <kinformer/client/config.h>
#include <kinformer/client/discovery.h>
#include <kinformer/client/log_stream.h>
#include <kinformer/client/options.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/typed_client.h>
#include <kinformer/transport/transport.h>

namespace kinformer {

namespace internal {
struct ClientAccess;
}

struct ClientOptions {
  Logger logger{};
  std::shared_ptr<const Clock> clock = Clock::System();
  /// Instead of the one made from the Config: to record, to fake, to tunnel. Credentials are then still sent.
  std::shared_ptr<Transport> transport{};
  /// Requests a second, and how many may come at once before that counts. Zero: no limit of ours; the server has its
  /// own (API priority and fairness), and says when to wait.
  double qps = 0;
  int burst = 10;
  /// How often a request is sent again where the server says when (429 or 5xx with Retry-After), or where the
  /// connection broke under a GET.
  int max_retries = 10;
  /// Ask for gzip. Costs the server CPU; worth it across slow links only.
  bool compression = false;
  /// A larger answer to a single-object call is an error.
  std::size_t max_response_bytes = 64U << 20U;
};

/// An answer to Client::Raw.
struct RawResponse {
  ResponseHead head{};
  std::string body{};
};

/// A connection to one API server: the way in for everything else. Cheap to copy; copies share one I/O thread, which
/// ends with the last of them (and of the streams and informers made from them).
///
///     auto config = ki::Config::Load();
///     auto client = ki::Client::Create(*config);
///     auto pods = client->For<ki::core::v1::Pod>().List({.namespace_name = "default"});
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Client {
 public:
  /// Starts the I/O thread; connects to nothing yet. kInvalidConfig says what is wrong with the Config.
  static Result<Client> Create(const Config& config, const ClientOptions& options = {});

  /// The verbs of a typed view's kind.
  template <ObjectView T>
  TypedClient<T> For() const {
    return TypedClient<T>(Dynamic(Resource::Of(T::kInfo)));
  }
  /// The verbs of a resource that is known only at run time.
  ResourceClient Dynamic(Resource resource) const;
  /// The same, by kind: asks the server what its resource is.
  Result<ResourceClient> DynamicFor(const GroupVersionKind& gvk, const std::stop_token& stop = {}) const;

  /// `stop` counts for the opening; LogStream::NextLine takes its own.
  Result<LogStream> Logs(std::string_view namespace_name, std::string_view pod, const LogOptions& options = {},
                         const std::stop_token& stop = {}) const;
  /// Any request, with credentials, retries and errors as everywhere else.
  Result<RawResponse> Raw(Request request, const std::stop_token& stop = {}) const;

  Discovery GetDiscovery() const;
  /// One for all copies of this client.
  const KindMapper& Mapper() const;
  const std::string& DefaultNamespace() const;

 private:
  friend struct internal::ClientAccess;
  struct Impl;
  explicit Client(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CLIENT_H_
