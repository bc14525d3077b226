#ifndef KINFORMER_SRC_APISERVER_SERVER_ACCESS_H_
#define KINFORMER_SRC_APISERVER_SERVER_ACCESS_H_

// In:     the server's options
// Out:    who may do what: the authorizer, the check of writes, the reviews, the audit log
// Thread: any; immutable once made
// Next:   ApiHandler

#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/result.h>

#include "src/apiserver/access/authenticator.h"
#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/access/rbac_authorizer.h"
#include "src/apiserver/audit/audit_log.h"
#include "src/apiserver/endpoints/object_verbs.h"
#include "src/apiserver/endpoints/resource_table.h"

namespace kinformer::apiserver {

class ServerAccess {
 public:
  /// Fails with kInvalidConfig for contradictory options, bad RBAC objects, or an audit file that cannot be opened.
  /// `resources` must outlive the result.
  static Result<ServerAccess> Prepare(const ApiServerOptions& options, const ResourceTable& resources);

  /// Creates the initial RBAC objects. Existing ones are left unchanged.
  Result<void> Seed(const ResourceTable& resources) const;
  Authorizer MakeAuthorizer() const;
  /// Prevents privilege escalation: users can grant only rights that they hold. Unset without RBAC.
  WriteCheck MakeWriteCheck() const;
  void InstallReviews(const Authenticator& authenticator, ResourceTable& resources) const;

  /// Null: no audit log.
  const std::shared_ptr<AuditLog>& audit() const { return audit_; }

 private:
  /// Null without RBAC: all authenticated users may do everything, or `authorize_` decides.
  std::shared_ptr<RbacAuthorizer> rbac_;
  std::shared_ptr<const std::vector<nlohmann::json>> rbac_objects_;
  decltype(ApiServerOptions::authorize) authorize_;
  std::shared_ptr<AuditLog> audit_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SERVER_ACCESS_H_
