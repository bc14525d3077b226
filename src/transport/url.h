#ifndef KINFORMER_SRC_TRANSPORT_URL_H_
#define KINFORMER_SRC_TRANSPORT_URL_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// A URL, taken apart by libcurl: what it will connect to is what was checked.
struct UrlParts {
  std::string scheme{};  ///< In lower case.
  bool has_user_info = false;
  std::string host{};  ///< As in a URL: IPv6 addresses in brackets.
  std::string port{};  ///< "" if none is given.
  std::string path{};  ///< With its leading '/', without '/'s at the end.
  bool has_query = false;
  bool has_fragment = false;
};

/// kInvalidConfig for what is no absolute URL with a host. The error quotes nothing, because a URL may hold a password.
Result<UrlParts> ParseUrl(std::string_view url);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_URL_H_
