#include "src/client/list_watch_request.h"

#include <string>
#include <utility>

namespace kinformer::internal {
namespace {

constexpr std::string_view kMetadataOnlyList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

}  // namespace

Result<RequestTarget> CollectionTarget(const Resource& resource, const Selection& selection, bool watch) {
  Result<std::string> path = ResourcePath(resource, {.namespace_name = selection.namespace_name});
  if (!path) return std::move(path).error();
  RequestTarget target(*std::move(path));
  target.Add("watch", watch ? "true" : "")
      .Add("labelSelector", selection.label_selector)
      .Add("fieldSelector", selection.field_selector);
  return target;
}

Result<Request> MakeListRequest(const Resource& resource, const Selection& selection, const ListRequest& list,
                                bool metadata_only) {
  Result<RequestTarget> target = CollectionTarget(resource, selection);
  if (!target) return std::move(target).error();
  target->Add("resourceVersion", list.resource_version)
      .Add("resourceVersionMatch", list.resource_version_match)
      .Add("limit", list.limit > 0 ? std::to_string(list.limit) : "")
      .Add("continue", list.continue_token);
  Request request{.target = target->text()};
  if (metadata_only) request.headers.emplace_back("Accept", kMetadataOnlyList);
  return request;
}

Result<Request> MakeWatchRequest(const Resource& resource, const Selection& selection, const WatchRequest& watch,
                                 bool metadata_only) {
  Result<RequestTarget> target = CollectionTarget(resource, selection, /*watch=*/true);
  if (!target) return std::move(target).error();
  target->Add("resourceVersion", watch.resource_version)
      .Add("resourceVersionMatch", watch.resource_version_match)
      .Add("allowWatchBookmarks", watch.allow_bookmarks ? "true" : "")
      .Add("sendInitialEvents", watch.send_initial_events ? (*watch.send_initial_events ? "true" : "false") : "")
      .Add("timeoutSeconds", watch.timeout.count() > 0 ? std::to_string(watch.timeout.count()) : "");
  Request request{.target = target->text(), .resumable = true};
  if (metadata_only) request.headers.emplace_back("Accept", kMetadataOnly);
  return request;
}

}  // namespace kinformer::internal
