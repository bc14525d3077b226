#ifndef KINFORMER_SRC_CLIENT_SERVER_URL_H_
#define KINFORMER_SRC_CLIENT_SERVER_URL_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

struct UrlParts {
  std::string scheme;  ///< In lower case.
  bool has_user_info = false;
  std::string host;  ///< Without the brackets of an IPv6 address.
  int port = 0;      ///< 0 if none is given.
  std::string path;  ///< With its leading '/'; without query and fragment.
};

/// The errors quote nothing, because a URL may hold a password.
Result<UrlParts> ParseUrl(std::string_view url);

/// https:// or http://, no user info. Returns it without query, fragment and trailing slashes.
Result<std::string> NormalizeServerUrl(std::string_view url);
Result<void> CheckProxyUrl(std::string_view url);
bool IsHttps(std::string_view server);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_SERVER_URL_H_
