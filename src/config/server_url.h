#ifndef KINFORMER_SRC_CONFIG_SERVER_URL_H_
#define KINFORMER_SRC_CONFIG_SERVER_URL_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// Requires https:// or http:// and no user info. Returns the URL without query, fragment and trailing slashes. The
/// error does not quote the URL: it may contain a password.
Result<std::string> NormalizeServerUrl(std::string_view url);
/// Precondition: `server` was returned by NormalizeServerUrl.
bool IsHttps(std::string_view server);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_SERVER_URL_H_
