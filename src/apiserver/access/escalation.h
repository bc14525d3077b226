#ifndef KINFORMER_SRC_APISERVER_ACCESS_ESCALATION_H_
#define KINFORMER_SRC_APISERVER_ACCESS_ESCALATION_H_

// In:     a role or binding that a user wants to write
// Out:    whether it grants rights that the user does not hold
// Thread: any; pure
// Next:   ResourceStore, before it stores one

#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>

#include "src/apiserver/access/rbac_policy.h"
#include "src/apiserver/access/request_info.h"

namespace kinformer::apiserver {

/// Whether requests for this resource go through CheckEscalation.
bool GrantsRights(const RequestInfo& request);

/// 403 if `after` grants rights that the user does not hold, unless the user is in system:masters, or may `escalate`
/// that role or `bind` the binding's role. `before`: null for a creation.
Result<void> CheckEscalation(const RbacPolicy& policy, const UserInfo& user, const RequestInfo& request,
                             const Object* before, const Object& after);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_ESCALATION_H_
