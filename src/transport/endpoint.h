#ifndef KINFORMER_SRC_TRANSPORT_ENDPOINT_H_
#define KINFORMER_SRC_TRANSPORT_ENDPOINT_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// The parsed address of an API server.
struct Endpoint {
  std::string scheme{};  ///< "https" or "http"
  std::string host{};    ///< As in a URL: IPv6 addresses in brackets.
  std::string port{};    ///< Always set.
  std::string prefix{};  ///< "" or "/k8s/clusters/c-1", without a trailing slash.

  /// kInvalidConfig unless it is an http or https URL with a host and without user, query and fragment.
  static Result<Endpoint> Parse(std::string_view url);

  /// "host:port", as in a Host header.
  std::string Authority() const { return host + ":" + port; }
  bool IsTls() const { return scheme == "https"; }
  /// True for localhost and loopback addresses, for which proxies from the environment are never used.
  bool IsLoopback() const;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_ENDPOINT_H_
