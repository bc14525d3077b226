#ifndef KINFORMER_SRC_APISERVER_ACCESS_REQUEST_INFO_H_
#define KINFORMER_SRC_APISERVER_ACCESS_REQUEST_INFO_H_

// In:     the method and target of a request
// Out:    what it is about: verb, resource, namespace, name
// Thread: any; pure
// Next:   authorization, the endpoints' routes, fault injection

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/apiserver/access/url_query.h"

namespace kinformer::apiserver {

/// A request as Kubernetes talks of it: k8s.io/apiserver's RequestInfo.
struct RequestInfo {
  /// Below /api/VERSION or /apis/GROUP/VERSION, and more than discovery.
  bool is_resource_request = false;
  /// Decoded, without '/' at its end.
  std::string path{};
  /// get, list, watch, create, update, patch, delete, deletecollection; of other requests the method in lower case.
  std::string verb{};
  std::string group{};
  std::string version{};
  /// Of the resource namespaces itself: the same as its name.
  std::string namespace_name{};
  std::string resource{};
  std::string subresource{};
  std::string name{};
  /// /api/v1/watch/...: a list of the rest, or of one name, that is a watch.
  bool legacy_watch = false;
  /// What follows the subresource; nothing of ours has that.
  bool has_more = false;
  UrlQuery query{};

  /// The one object that it is about, for rules that name objects: of a list or watch, that of a field selector
  /// metadata.name=NAME.
  std::string NameForAccess() const;
  bool IsReadOnly() const { return verb == "get" || verb == "list" || verb == "watch" || verb == "head"; }
};

/// 400 for a path or query that is encoded wrongly, and for a segment that is no name (".", "..", with a '/' in it).
/// `path` and `query` are still percent-encoded.
Result<RequestInfo> ParseRequestInfo(std::string_view method, std::string_view path, std::string_view query);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_REQUEST_INFO_H_
