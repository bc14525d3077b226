#include "src/apiserver/server_access.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/access/bootstrap_rbac.h"
#include "src/apiserver/access/escalation.h"
#include "src/apiserver/rbac_setup.h"
#include "src/apiserver/reviews/reviews.h"

namespace kinformer::apiserver {
namespace {

Authorizer AuthorizerOf(const std::function<AccessAnswer(const AccessRequest&)>& authorize) {
  if (!authorize) return AllowAuthenticated();
  return [authorize](const UserInfo& user, const RequestInfo& info) -> AccessDecision {
    if (user.InGroup(kUnauthenticatedGroup)) return {.allowed = IsPublic(info), .reason = {}};
    const AccessAnswer answer = authorize({.user = user.name,
                                           .groups = user.groups,
                                           .verb = info.verb,
                                           .group = info.group,
                                           .resource = info.resource,
                                           .subresource = info.subresource,
                                           .namespace_name = info.namespace_name,
                                           .name = info.name,
                                           .path = info.path});
    return {.allowed = answer.allowed, .reason = answer.reason};
  };
}

/// The rules of a user that may do everything.
UserRules AllRules() {
  return {.rules = {{.verbs = {"*"}, .api_groups = {"*"}, .resources = {"*"}},
                    {.verbs = {"*"}, .non_resource_urls = {"*"}}},
          .error = {}};
}

Result<std::shared_ptr<AuditLog>> OpenAudit(const ApiServerOptions& options) {
  if (options.audit_file.empty()) {
    if (!options.audit) return std::shared_ptr<AuditLog>();
    return std::make_shared<AuditLog>(options.audit, options.logger);
  }
  if (options.audit) {
    return Error{.code = ErrorCode::kInvalidConfig, .message = "audit and audit_file cannot both be given"};
  }
  return AuditLog::OpenFile(options.audit_file, options.logger);
}

}  // namespace

Result<ServerAccess> ServerAccess::Prepare(const ApiServerOptions& options, const ResourceTable& resources) {
  ServerAccess access;
  access.authorize_ = options.authorize;
  if (options.rbac || !options.rbac_objects.empty()) {
    if (options.authorize) {
      return Error{.code = ErrorCode::kInvalidConfig, .message = "options rbac and authorize are mutually exclusive"};
    }
    Result<std::vector<nlohmann::json>> objects = ReadRbacObjects(options.rbac_objects);
    if (!objects) return std::move(objects).error();
    std::vector<nlohmann::json> all = BootstrapRbacObjects();
    std::move(objects->begin(), objects->end(), std::back_inserter(all));
    access.rbac_objects_ = std::make_shared<const std::vector<nlohmann::json>>(std::move(all));
    access.rbac_ = std::make_shared<RbacAuthorizer>(ListerOf(resources));
  }
  Result<std::shared_ptr<AuditLog>> audit = OpenAudit(options);
  if (!audit) return std::move(audit).error();
  access.audit_ = *std::move(audit);
  return access;
}

Result<void> ServerAccess::Seed(const ResourceTable& resources) const {
  if (rbac_objects_ == nullptr) return {};
  return CreateRbacObjects(resources, *rbac_objects_);
}

Authorizer ServerAccess::MakeAuthorizer() const {
  if (rbac_ == nullptr) return AuthorizerOf(authorize_);
  return [rbac = rbac_](const UserInfo& user, const RequestInfo& request) { return rbac->Check(user, request); };
}

WriteCheck ServerAccess::MakeWriteCheck() const {
  if (rbac_ == nullptr) return {};
  return [rbac = rbac_](const UserInfo& user, const RequestInfo& request, const Object* before,
                        const Object& after) -> Result<void> {
    if (!GrantsRights(request)) return {};
    const Result<std::shared_ptr<const RbacPolicy>> policy = rbac->Policy();
    if (!policy) return policy.error();
    return CheckEscalation(**policy, user, request, before, after);
  };
}

void ServerAccess::InstallReviews(const Authenticator& authenticator, ResourceTable& resources) const {
  ReviewOptions reviews{.authorizer = MakeAuthorizer()};
  reviews.authenticate = [authenticator](std::string_view token) { return authenticator.AuthenticateToken(token); };
  if (rbac_ != nullptr) {
    reviews.rules = [rbac = rbac_](const UserInfo& user, const std::string& namespace_name) -> UserRules {
      const Result<std::shared_ptr<const RbacPolicy>> policy = rbac->Policy();
      if (!policy) return {.rules = {}, .error = policy.error().message};
      return (*policy)->RulesFor(user, namespace_name);
    };
  } else if (!authorize_) {
    reviews.rules = [](const UserInfo&, const std::string&) { return AllRules(); };
  }
  for (auto& review : MakeReviews(reviews)) resources.Install(std::move(review));
}

}  // namespace kinformer::apiserver
