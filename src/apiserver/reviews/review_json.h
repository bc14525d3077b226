#ifndef KINFORMER_SRC_APISERVER_REVIEWS_REVIEW_JSON_H_
#define KINFORMER_SRC_APISERVER_REVIEWS_REVIEW_JSON_H_

// In:     the bodies of reviews
// Out:    the request to authorize, or 400 or 422; users as JSON
// Thread: any; pure
// Next:   the reviews

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/access/user_info.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Empty if absent or not a string.
std::string TextAt(const nlohmann::json& body, const std::string& pointer);
std::vector<std::string> TextsAt(const nlohmann::json& body, const std::string& pointer);
bool Contains(const std::vector<std::string>& texts, std::string_view text);

/// 422 without the kind's name, as in a real server.
Error InvalidReview(const ServedKind& kind, ErrorCause cause);

/// Reviews must have no metadata, except the URL's namespace for a namespaced kind. Sets `metadata`.
Result<void> CheckMetadata(const ServedKind& kind, nlohmann::json& body, const std::string& namespace_name);
/// Reads spec.resourceAttributes or spec.nonResourceAttributes, exactly one of which must be set.
Result<RequestInfo> ReadAttributes(const ServedKind& kind, const nlohmann::json& body);
/// Reads spec.user, groups, uid and extra. Requires a user or a group.
Result<UserInfo> ReadSubject(const ServedKind& kind, const nlohmann::json& body);

/// username, and uid, groups and extra if not empty.
nlohmann::json UserJson(const UserInfo& user);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REVIEWS_REVIEW_JSON_H_
