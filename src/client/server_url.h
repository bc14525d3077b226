#ifndef KINFORMER_SRC_CLIENT_SERVER_URL_H_
#define KINFORMER_SRC_CLIENT_SERVER_URL_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

// Of all of these, the errors quote nothing: a URL may hold a password.

/// https:// or http://, no user info. Returns it without query, fragment and trailing slashes.
Result<std::string> NormalizeServerUrl(std::string_view url);
Result<void> CheckProxyUrl(std::string_view url);
/// Of a URL as NormalizeServerUrl returns it.
bool IsHttps(std::string_view server);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_SERVER_URL_H_
