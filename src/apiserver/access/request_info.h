#ifndef KINFORMER_SRC_APISERVER_ACCESS_REQUEST_INFO_H_
#define KINFORMER_SRC_APISERVER_ACCESS_REQUEST_INFO_H_

// In:     the method and target of a request
// Out:    its verb, resource, namespace and name
// Thread: any; pure
// Next:   authorization, the endpoints' routes, fault injection

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/apiserver/access/url_query.h"

namespace kinformer::apiserver {

/// A request in Kubernetes terms, like k8s.io/apiserver's RequestInfo.
struct RequestInfo {
  /// Below /api/VERSION or /apis/GROUP/VERSION, and not discovery.
  bool is_resource_request = false;
  /// Decoded, without a trailing '/'.
  std::string path{};
  /// get, list, watch, create, update, patch, delete, deletecollection; for non-resource requests the method in lower
  /// case.
  std::string verb{};
  std::string group{};
  std::string version{};
  /// For the resource `namespaces` itself: same as `name`.
  std::string namespace_name{};
  std::string resource{};
  std::string subresource{};
  std::string name{};
  /// /api/v1/watch/...: the deprecated path of a watch.
  bool legacy_watch = false;
  /// The path continues after the subresource; no resource here has that.
  bool has_more = false;
  UrlQuery query{};

  /// The single object that the request is about, for rules with resourceNames. For a list or watch, the NAME of a
  /// field selector metadata.name=NAME.
  std::string NameForAccess() const;
  bool IsReadOnly() const { return verb == "get" || verb == "list" || verb == "watch" || verb == "head"; }
};

/// 400 if the path or query is not properly encoded, or a path segment is invalid (".", "..", or contains a '/').
/// `path` and `query` are still percent-encoded.
Result<RequestInfo> ParseRequestInfo(std::string_view method, std::string_view path, std::string_view query);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_REQUEST_INFO_H_
