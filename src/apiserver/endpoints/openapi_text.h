#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_OPENAPI_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_OPENAPI_TEXT_H_

// In:     the served kinds
// Out:    the responses of /openapi/v3 and the documents that it lists
// Thread: any
// Next:   ApiHandler

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/apiserver/registry/served_kind.h"
#include "src/base/mutex.h"

namespace kinformer::apiserver {

struct OpenApiText {
  std::string text{};
  /// Hash of the text, in hexadecimal.
  std::string hash{};
};

/// The document of one group and version: paths with their operations, and the kinds' schemas.
OpenApiText OpenApiDocument(const std::string& group, const std::string& version, const std::vector<ServedKind>& kinds);
/// The index of the documents. `documents`: by path ("api/v1", "apis/apps/v1").
OpenApiText OpenApiIndex(const std::map<std::string, OpenApiText>& documents);

struct OpenApiTexts {
  OpenApiText index{};
  std::map<std::string, OpenApiText> documents{};
};

/// Builds the documents on first use, and again whenever the kinds change.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class OpenApiCache {
 public:
  std::shared_ptr<const OpenApiTexts> For(const std::vector<ServedKind>& kinds);

 private:
  /// Identifies the kinds: the resource, and the schema of a custom kind.
  using Key = std::vector<std::pair<GroupVersionResource, KindSchemaPtr>>;

  Mutex mutex_;
  Key key_ KINFORMER_GUARDED_BY(mutex_);
  std::shared_ptr<const OpenApiTexts> texts_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_OPENAPI_TEXT_H_
