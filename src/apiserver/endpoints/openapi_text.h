#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_OPENAPI_TEXT_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_OPENAPI_TEXT_H_

// In:     the kinds that are served
// Out:    what /openapi/v3 and the documents that it names answer
// Thread: any
// Next:   ApiHandler

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/mutex.h>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

struct OpenApiText {
  std::string text{};
  /// Of the text, in hexadecimal digits: the same as long as the text is.
  std::string hash{};
};

/// One group and version: paths with their operations, and the structure of the kinds.
OpenApiText OpenApiDocument(const std::string& group, const std::string& version, const std::vector<ServedKind>& kinds);
/// Where to find the documents; `documents` by path ("api/v1", "apis/apps/v1").
OpenApiText OpenApiIndex(const std::map<std::string, OpenApiText>& documents);

struct OpenApiTexts {
  OpenApiText index{};
  std::map<std::string, OpenApiText> documents{};
};

/// Makes them when they are asked for, and again when there are other kinds.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class OpenApiCache {
 public:
  std::shared_ptr<const OpenApiTexts> For(const std::vector<ServedKind>& kinds);

 private:
  /// By what a document is known to be the same: the kind, and its schema where a user defined it.
  using Key = std::vector<std::pair<GroupVersionResource, KindSchemaPtr>>;

  Mutex mutex_;
  Key key_ KINFORMER_GUARDED_BY(mutex_);
  std::shared_ptr<const OpenApiTexts> texts_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_OPENAPI_TEXT_H_
