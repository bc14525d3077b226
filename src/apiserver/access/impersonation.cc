#include "src/apiserver/access/impersonation.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/access/url_query.h"
#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kExtraPrefix = "Impersonate-Extra-";
constexpr const char* kAuthenticationGroup = "authentication.k8s.io";

/// The right that is required to impersonate one attribute.
RequestInfo WishFor(std::string group, std::string resource, std::string namespace_name, std::string name,
                    std::string subresource = {}) {
  RequestInfo wish;
  wish.is_resource_request = true;
  wish.verb = "impersonate";
  wish.version = "v1";
  wish.group = std::move(group);
  wish.resource = std::move(resource);
  wish.namespace_name = std::move(namespace_name);
  wish.name = std::move(name);
  wish.subresource = std::move(subresource);
  return wish;
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && internal::EqualsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

/// Header names are case-insensitive, so keys are lower-cased; other characters are percent-encoded.
std::string ExtraKey(std::string_view header) {
  const std::string key = internal::Lower(std::string(header.substr(kExtraPrefix.size())));
  return PercentDecode(key, false).value_or(key);
}

void AddGroup(UserInfo& user, std::string_view group) {
  if (!user.InGroup(group)) user.groups.emplace_back(group);
}

std::string QuotedTexts(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "\"" : ", \"") + text + "\"";
  return all;
}

/// kube-apiserver's message.
Error WithoutUser(const UserInfo& user) {
  std::string groups = "(nil)";
  if (!user.groups.empty()) groups = "{" + QuotedTexts(user.groups) + "}";
  std::string extra = "(nil)";
  if (!user.extra.empty()) {
    extra.clear();
    for (const auto& [key, values] : user.extra) {
      extra += (extra.empty() ? "{\"" : ", \"") + key + "\":[]string{" + QuotedTexts(values) + "}";
    }
    extra += "}";
  }
  return {.code = ErrorCode::kServer,
          .message = "requested &user.DefaultInfo{Name:\"\", UID:\"" + user.uid + "\", Groups:[]string" + groups +
                     ", Extra:map[string][]string" + extra + "} without impersonating a user name",
          .http_status = 400,
          .reason = "BadRequest"};
}

}  // namespace

std::optional<ServiceAccountName> SplitServiceAccount(std::string_view user) {
  if (!user.starts_with(kServiceAccountPrefix)) return std::nullopt;
  user.remove_prefix(kServiceAccountPrefix.size());
  const std::size_t colon = user.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == user.size()) return std::nullopt;
  if (user.find(':', colon + 1) != std::string_view::npos) return std::nullopt;
  return ServiceAccountName{std::string(user.substr(0, colon)), std::string(user.substr(colon + 1))};
}

Result<std::optional<UserInfo>> Impersonate(const UserInfo& sender, const HttpRequest& request,
                                            const Authorizer& authorizer) {
  UserInfo user;
  std::vector<RequestInfo> wishes;
  std::optional<ServiceAccountName> account;
  if (const std::string* name = request.FindHeader("Impersonate-User"); name != nullptr && !name->empty()) {
    user.name = *name;
    account = SplitServiceAccount(*name);
    wishes.push_back(account ? WishFor("", "serviceaccounts", account->namespace_name, account->name)
                             : WishFor("", "users", "", *name));
  }
  for (const HttpHeader& header : request.headers) {
    if (internal::EqualsIgnoringCase(header.name, "Impersonate-Group")) {
      user.groups.push_back(header.value);
      wishes.push_back(WishFor("", "groups", "", header.value));
    } else if (StartsWithIgnoringCase(header.name, kExtraPrefix)) {
      const std::string key = ExtraKey(header.name);
      user.extra[key].push_back(header.value);
      wishes.push_back(WishFor(kAuthenticationGroup, "userextras", "", header.value, key));
    }
  }
  if (const std::string* uid = request.FindHeader("Impersonate-Uid"); uid != nullptr && !uid->empty()) {
    user.uid = *uid;
    wishes.push_back(WishFor(kAuthenticationGroup, "uids", "", *uid));
  }
  if (wishes.empty()) return std::optional<UserInfo>();
  if (user.name.empty()) return WithoutUser(user);
  for (const RequestInfo& wish : wishes) {
    const AccessDecision decision = authorizer(sender, wish);
    if (!decision.allowed) return ForbiddenError(sender, wish, decision.reason);
  }
  if (account && user.groups.empty()) {
    user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + account->namespace_name};
  }
  if (user.name == kAnonymousUser) {
    AddGroup(user, kUnauthenticatedGroup);
  } else if (!user.InGroup(kUnauthenticatedGroup)) {
    AddGroup(user, kAuthenticatedGroup);
  }
  return std::optional<UserInfo>(std::move(user));
}

}  // namespace kinformer::apiserver
