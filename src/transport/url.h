#ifndef KINFORMER_SRC_TRANSPORT_URL_H_
#define KINFORMER_SRC_TRANSPORT_URL_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// A URL, parsed by libcurl, so that what was checked is what it will connect to.
struct UrlParts {
  std::string scheme{};  ///< In lower case.
  bool has_user_info = false;
  std::string host{};  ///< As in a URL: IPv6 addresses in brackets.
  std::string port{};  ///< "" if none is given.
  std::string path{};  ///< Empty, or with its leading '/' and without trailing ones.
  bool has_query = false;
  bool has_fragment = false;
};

/// kInvalidConfig unless it is an absolute URL with a host. The error quotes nothing, because a URL may contain a
/// password.
Result<UrlParts> ParseUrl(std::string_view url);

/// kInvalidConfig unless libcurl can use it as a proxy: an http, https, socks5 or socks5h URL. It may contain a user
/// and password; the error quotes nothing.
Result<void> CheckProxyUrl(std::string_view url);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_URL_H_
