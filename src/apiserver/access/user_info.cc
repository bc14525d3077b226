#include "src/apiserver/access/user_info.h"

#include <algorithm>

namespace kinformer::apiserver {

bool UserInfo::InGroup(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

UserInfo Anonymous() { return {.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}}; }

}  // namespace kinformer::apiserver
