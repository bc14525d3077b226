#include "src/apiserver/access/impersonation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/access/url_query.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kExtraPrefix = "Impersonate-Extra-";
constexpr const char* kAuthenticationGroup = "authentication.k8s.io";

/// One thing that the sender wants to be: what he must be allowed, and how a real server prints it.
struct Wish {
  RequestInfo info{};
  std::string text{};
};

Wish WishFor(std::string_view kind, std::string group, std::string resource, std::string namespace_name,
             std::string name, std::string subresource = {}) {
  Wish wish;
  wish.text = "{" + std::string(kind) + " " + namespace_name + " " + name + "    " + subresource + "}";
  wish.info.is_resource_request = true;
  wish.info.verb = "impersonate";
  wish.info.version = "v1";
  wish.info.group = std::move(group);
  wish.info.resource = std::move(resource);
  wish.info.namespace_name = std::move(namespace_name);
  wish.info.name = std::move(name);
  wish.info.subresource = std::move(subresource);
  return wish;
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

/// Header names come in any case, and keys of extras are in lower case; percent-encoding carries the rest.
std::string ExtraKey(std::string_view header) {
  std::string key(header.substr(kExtraPrefix.size()));
  std::transform(key.begin(), key.end(), key.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return PercentDecode(key, false).value_or(key);
}

void AddGroup(UserInfo& user, std::string_view group) {
  if (!user.InGroup(group)) user.groups.emplace_back(group);
}

Error WithoutUser(const std::vector<Wish>& wishes) {
  std::string all;
  for (const Wish& wish : wishes) all += (all.empty() ? "" : " ") + wish.text;
  return {.code = ErrorCode::kServer,
          .message = "requested [" + all + "] without impersonating a user",
          .http_status = 500,
          .reason = "InternalError"};
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
  std::vector<Wish> wishes;
  std::optional<ServiceAccountName> account;
  if (const std::string* name = request.FindHeader("Impersonate-User"); name != nullptr && !name->empty()) {
    user.name = *name;
    account = SplitServiceAccount(*name);
    wishes.push_back(account ? WishFor("ServiceAccount", "", "serviceaccounts", account->namespace_name, account->name)
                             : WishFor("User", "", "users", "", *name));
  }
  for (const HttpHeader& header : request.headers) {
    if (EqualsIgnoringCase(header.name, "Impersonate-Group")) {
      user.groups.push_back(header.value);
      wishes.push_back(WishFor("Group", "", "groups", "", header.value));
    } else if (StartsWithIgnoringCase(header.name, kExtraPrefix)) {
      const std::string key = ExtraKey(header.name);
      user.extra[key].push_back(header.value);
      wishes.push_back(WishFor("UserExtra", kAuthenticationGroup, "userextras", "", header.value, key));
    }
  }
  if (const std::string* uid = request.FindHeader("Impersonate-Uid"); uid != nullptr && !uid->empty()) {
    user.uid = *uid;
    wishes.push_back(WishFor("UID", kAuthenticationGroup, "uids", "", *uid));
  }
  if (wishes.empty()) return std::optional<UserInfo>();
  if (user.name.empty()) return WithoutUser(wishes);
  for (const Wish& wish : wishes) {
    const AccessDecision decision = authorizer(sender, wish.info);
    if (!decision.allowed) return ForbiddenError(sender, wish.info, decision.reason);
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
