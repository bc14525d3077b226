#ifndef KINFORMER_SRC_CLIENT_REQUEST_TARGET_H_
#define KINFORMER_SRC_CLIENT_REQUEST_TARGET_H_

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/client/resource_client.h>

namespace kinformer::internal {

/// Encodes everything except RFC 3986 unreserved characters.
std::string PercentEncode(std::string_view text);

/// Path and query of a request, percent-encoded.
class RequestTarget {
 public:
  explicit RequestTarget(std::string path) : text_(std::move(path)) {}

  /// No-op if `value` is empty.
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

/// "/api/v1/namespaces/default/pods/web-0/log". An empty name means the collection, an empty namespace all namespaces.
/// kInvalidArgument for names that cannot be a path segment, or if a single object's namespace is missing.
Result<std::string> ResourcePath(const Resource& resource, const ObjectAddress& address);

/// The resource a request target (path and query) refers to; nullopt if it is not a resource path.
std::optional<GroupVersionResource> ResourceOf(std::string_view target);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_REQUEST_TARGET_H_
