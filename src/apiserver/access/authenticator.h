#ifndef KINFORMER_SRC_APISERVER_ACCESS_AUTHENTICATOR_H_
#define KINFORMER_SRC_APISERVER_ACCESS_AUTHENTICATOR_H_

// In:     a request
// Out:    who sent it
// Thread: any; constant
// Next:   Authorizer

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/base/result.h>

#include "src/apiserver/access/user_info.h"
#include "src/apiserver/http/http_request.h"

namespace kinformer::apiserver {

struct StaticToken {
  std::string token{};
  UserInfo user{};
};

/// Knows users by client certificate (CN and O) and by bearer token.
///
/// @par Thread Safety
/// Constant; any thread.
class Authenticator {
 public:
  /// Keeps no token, only digests.
  explicit Authenticator(const std::vector<StaticToken>& tokens);

  /// With the group system:authenticated. 401, which tells nothing of what was wrong, as a real server does.
  Result<UserInfo> Authenticate(const HttpRequest& request) const;
  /// Whom a token stands for; nullopt: nobody.
  std::optional<UserInfo> AuthenticateToken(std::string_view token) const;
  /// Whether the sender says who he is at all. Who does so wrongly is not anonymous.
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
