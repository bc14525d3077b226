#ifndef KINFORMER_SRC_APISERVER_ACCESS_AUTHENTICATOR_H_
#define KINFORMER_SRC_APISERVER_ACCESS_AUTHENTICATOR_H_

// In:     a request
// Out:    the user that sent it
// Thread: any; immutable
// Next:   Authorizer

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>

#include "src/apiserver/access/user_info.h"
#include "src/http/http_request.h"

namespace kinformer::apiserver {

/// 401.
Error UnauthorizedError();

struct StaticToken {
  std::string token{};
  UserInfo user{};
};

/// Identifies users by client certificate (CN and O) and by bearer token.
///
/// @par Thread Safety
/// Immutable; any thread.
class Authenticator {
 public:
  /// Stores digests only, not the tokens.
  explicit Authenticator(const std::vector<StaticToken>& tokens);

  /// The user, including the group system:authenticated. Failures are 401 without any reason, as with kube-apiserver.
  Result<UserInfo> Authenticate(const HttpRequest& request) const;
  /// The user of a token; nullopt if it is unknown.
  std::optional<UserInfo> AuthenticateToken(std::string_view token) const;
  /// Whether the request has any credentials. With invalid credentials it is rejected, not anonymous.
  static bool HasCredentials(const HttpRequest& request);

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Known {
    Digest digest{};
    UserInfo user{};
  };
  static Digest DigestOf(std::string_view token);

  std::vector<Known> known_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_AUTHENTICATOR_H_
