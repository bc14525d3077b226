#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_DISCOVERY_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_DISCOVERY_H_

// In:     requests for what the server serves
// Out:    the responses of /version, /api, /apis and their children, /openapi/v3 and its documents
// Thread: any
// Next:   ApiHandler

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "src/apiserver/endpoints/api_call.h"
#include "src/apiserver/endpoints/openapi_text.h"
#include "src/apiserver/endpoints/reply.h"
#include "src/apiserver/endpoints/resource_table.h"

namespace kinformer::apiserver {

/// @par Thread Safety
/// All functions may be called from any thread.
class Discovery {
 public:
  explicit Discovery(std::shared_ptr<const ResourceTable> resources) : resources_(std::move(resources)) {}

  /// Nullopt: not a path of discovery. A path that exists is 405 for verbs other than get and head.
  std::optional<Reply> Find(const ApiCall& call);
  /// The 404 of an unknown path. For a group that it knows, a real server responds differently to an unknown version.
  Reply NotFound(const std::string& path) const;

 private:
  /// The JSON text at a path.
  std::optional<std::string> TextAt(const ApiCall& call) const;
  Reply OpenApi(const ApiCall& call);
  Reply Aggregated(const ApiCall& call) const;

  const std::shared_ptr<const ResourceTable> resources_;
  OpenApiCache openapi_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_DISCOVERY_H_
