#ifndef KINFORMER_SRC_TRANSPORT_ENDPOINT_H_
#define KINFORMER_SRC_TRANSPORT_ENDPOINT_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// The address of an API server, taken apart.
struct Endpoint {
  std::string scheme{};  ///< "https" or "http"
  std::string host{};    ///< As in a URL: IPv6 addresses in brackets.
  std::string port{};    ///< Always set.
  std::string prefix{};  ///< "" or "/k8s/clusters/c-1", without a slash at the end.

  /// kInvalidConfig for anything but http and https URLs with a host, or with user, query or fragment.
  static Result<Endpoint> Parse(std::string_view url);

  /// "host:port", as in a Host header.
  std::string Authority() const { return host + ":" + port; }
  bool IsTls() const { return scheme == "https"; }
  /// localhost or a loopback address, for which proxies from the environment are never asked.
  bool IsLoopback() const;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_ENDPOINT_H_
