#include "src/client/list_watch_request.h"

#include <chrono>

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;

const Resource kListedPods{.gvr = {"", "v1", "pods"}, .kind = "Pod"};
const Selection kSelected{.namespace_name = "default", .label_selector = "app=web", .field_selector = "spec.x!=y"};

TEST(ListWatchRequestTest, AListHasItsSelectionItsVersionAndItsPage) {
  const auto request = MakeListRequest(
      kListedPods, kSelected,
      {.resource_version = "7", .resource_version_match = "Exact", .limit = 500, .continue_token = "more"}, false);
  ASSERT_TRUE(request.ok()) << ToString(request.error());
  EXPECT_EQ(request->target,
            "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb&fieldSelector=spec.x%21%3Dy&resourceVersion=7"
            "&resourceVersionMatch=Exact&limit=500&continue=more");
  EXPECT_FALSE(request->resumable);
  EXPECT_TRUE(request->headers.empty());
  EXPECT_EQ(MakeListRequest(kListedPods, {}, {}, false)->target, "/api/v1/pods");
}

TEST(ListWatchRequestTest, AWatchIsResumable) {
  const auto request = MakeWatchRequest(kListedPods, kSelected,
                                        {.resource_version = "7",
                                         .resource_version_match = "NotOlderThan",
                                         .send_initial_events = true,
                                         .allow_bookmarks = true,
                                         .timeout = 30s},
                                        false);
  ASSERT_TRUE(request.ok()) << ToString(request.error());
  EXPECT_EQ(request->target,
            "/api/v1/namespaces/default/pods?watch=true&labelSelector=app%3Dweb&fieldSelector=spec.x%21%3Dy"
            "&resourceVersion=7&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&sendInitialEvents=true"
            "&timeoutSeconds=30");
  EXPECT_TRUE(request->resumable);
  EXPECT_EQ(MakeWatchRequest(kListedPods, {}, {.allow_bookmarks = false}, false)->target, "/api/v1/pods?watch=true");
}

TEST(ListWatchRequestTest, MetadataIsAskedForByTheAcceptHeader) {
  const auto list = MakeListRequest(kListedPods, {}, {}, /*metadata_only=*/true);
  EXPECT_EQ(FindHeader(list->headers, "Accept"), "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  const auto watch = MakeWatchRequest(kListedPods, {}, {}, true);
  EXPECT_EQ(FindHeader(watch->headers, "Accept"), "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
}

TEST(ListWatchRequestTest, ANamespaceThatIsNoPathSegmentIsRefused) {
  EXPECT_EQ(MakeListRequest(kListedPods, {.namespace_name = "a/b"}, {}, false).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(MakeWatchRequest(kListedPods, {.namespace_name = ".."}, {}, false).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinformer::internal
