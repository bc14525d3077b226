#ifndef KINFORMER_SRC_APISERVER_REVIEWS_CREATE_ONLY_RESOURCE_H_
#define KINFORMER_SRC_APISERVER_REVIEWS_CREATE_ONLY_RESOURCE_H_

// In:     an object that a client creates to ask something
// Out:    the object with its answer; nothing is stored
// Thread: any
// Next:   ResourceTable, beside those that are stored

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
  /// `body` is a JSON object of that kind, in the URL's namespace. What it throws of nlohmann's is a 400.
  virtual Result<nlohmann::json> Create(const UserInfo& user, const std::string& namespace_name,
                                        nlohmann::json body) const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REVIEWS_CREATE_ONLY_RESOURCE_H_
