#ifndef KINFORMER_SRC_APISERVER_REVIEWS_REVIEW_JSON_H_
#define KINFORMER_SRC_APISERVER_REVIEWS_REVIEW_JSON_H_

// In:     the bodies of reviews
// Out:    what they ask, or 400 and 422; users as JSON
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

/// Empty where there is none, or it is no text.
std::string TextAt(const nlohmann::json& body, const std::string& pointer);
std::vector<std::string> TextsAt(const nlohmann::json& body, const std::string& pointer);
bool Contains(const std::vector<std::string>& texts, std::string_view text);

/// 422. A real server does not name the kind there.
Error InvalidReview(const ServedKind& kind, ErrorCause cause);

/// Reviews have no metadata of their own: it may have a namespace where the kind does, the URL's. Sets `metadata`.
Result<void> CheckMetadata(const ServedKind& kind, nlohmann::json& body, const std::string& namespace_name);
/// spec.resourceAttributes or spec.nonResourceAttributes, of which there must be one.
Result<RequestInfo> ReadAttributes(const ServedKind& kind, const nlohmann::json& body);
/// spec.user, groups, uid and extra.
Result<UserInfo> ReadSubject(const ServedKind& kind, const nlohmann::json& body);

/// username, uid, groups, extra: those that there are.
nlohmann::json UserJson(const UserInfo& user);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REVIEWS_REVIEW_JSON_H_
