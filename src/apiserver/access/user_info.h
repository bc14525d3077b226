#ifndef KINFORMER_SRC_APISERVER_ACCESS_USER_INFO_H_
#define KINFORMER_SRC_APISERVER_ACCESS_USER_INFO_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
/// Its members may do everything, regardless of any rules.
inline constexpr std::string_view kMastersGroup = "system:masters";
/// User names of service accounts: "system:serviceaccount:NAMESPACE:NAME".
inline constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

/// The user that sent a request.
struct UserInfo {
  std::string name{};
  std::vector<std::string> groups{};
  std::string uid{};
  std::map<std::string, std::vector<std::string>> extra{};

  bool InGroup(std::string_view group) const;
  bool operator==(const UserInfo&) const = default;
};

/// The user of requests without credentials.
UserInfo Anonymous();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_USER_INFO_H_
