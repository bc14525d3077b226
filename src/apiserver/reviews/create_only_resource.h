#ifndef KINFORMER_SRC_APISERVER_REVIEWS_CREATE_ONLY_RESOURCE_H_
#define KINFORMER_SRC_APISERVER_REVIEWS_CREATE_ONLY_RESOURCE_H_

// In:     an object that a client creates as a query
// Out:    the object with the answer; nothing is stored
// Thread: any
// Next:   ResourceTable, alongside stored resources

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/apiserver/access/user_info.h"
#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// A resource whose only verb is create.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class CreateOnlyResource {
 public:
  virtual ~CreateOnlyResource() = default;

  virtual const ServedKind& kind() const = 0;
  /// `body`: a JSON object, from a request in `namespace_name`, not yet validated. Malformed input is a 400.
  virtual Result<nlohmann::json> Create(const UserInfo& user, const std::string& namespace_name,
                                        nlohmann::json body) const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REVIEWS_CREATE_ONLY_RESOURCE_H_
