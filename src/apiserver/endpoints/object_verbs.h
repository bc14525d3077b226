#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_OBJECT_VERBS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_OBJECT_VERBS_H_

// In:     a routed request for an object or a collection, except list and watch
// Out:    its response
// Thread: any; may block on the storage
// Next:   ResourceStore

#include <functional>
#include <memory>
#include <utility>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

#include "src/apiserver/access/authorizer.h"
#include "src/apiserver/endpoints/api_call.h"
#include "src/apiserver/endpoints/reply.h"
#include "src/apiserver/endpoints/resource_table.h"

namespace kinformer::apiserver {

/// Admission check before an object is stored; see WriteParameters::admit. Unset: everything is admitted.
using WriteCheck = std::function<Result<void>(const UserInfo& user, const RequestInfo& request, const Object* before,
                                              const Object& after)>;

struct ObjectVerbsOptions {
  std::shared_ptr<const ResourceTable> resources{};
  Authorizer authorizer{};
  WriteCheck write_check{};
  std::shared_ptr<const Clock> clock{};
};

/// Get and the writes. An error with `suspension.wait` set in the call means: try again after that wait.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ObjectVerbs {
 public:
  explicit ObjectVerbs(ObjectVerbsOptions options) : options_(std::move(options)) {}

  Result<Reply> Get(ApiCall& call) const;
  Result<Reply> Create(const ApiCall& call) const;
  Result<Reply> Update(const ApiCall& call) const;
  Result<Reply> Patch(const ApiCall& call) const;
  Result<Reply> Delete(const ApiCall& call) const;
  Result<Reply> DeleteCollection(ApiCall& call) const;
  /// Create of a kind that is never stored.
  Result<Reply> CreateOnly(const ApiCall& call) const;

 private:
  Result<Reply> Evict(const ApiCall& call) const;
  /// Sets the field manager and the admission check. `call` must outlive the parameters.
  void SetWriter(const ApiCall& call, WriteParameters& parameters) const;

  const ObjectVerbsOptions options_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_OBJECT_VERBS_H_
