#ifndef KINFORMER_SRC_CLIENT_REQUEST_TARGET_H_
#define KINFORMER_SRC_CLIENT_REQUEST_TARGET_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>

namespace kinformer::internal {

/// RFC 3986, everything but unreserved characters.
std::string PercentEncode(std::string_view text);

/// Path and query of a request, percent-encoded.
class RequestTarget {
 public:
  explicit RequestTarget(std::string path) : text_(std::move(path)) {}

  /// Adds nothing for an empty value.
  RequestTarget& Add(std::string_view key, std::string_view value);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

struct ObjectAddress {
  std::string_view namespace_name{};
  std::string_view name{};
  std::string_view subresource{};
};

/// "/api/v1/namespaces/default/pods/web-0/log". An empty name is the collection, an empty namespace all of them.
/// kInvalidArgument for names that cannot be a path segment, or a namespace that is missing for a single object.
Result<std::string> ResourcePath(const Resource& resource, const ObjectAddress& address);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_REQUEST_TARGET_H_
