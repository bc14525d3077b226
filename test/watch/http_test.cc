// The watch helpers over HTTP: a real Client against a scripted server.

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>
#include <kinformer/client/client.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/watch/retry_watcher.h>
#include <kinformer/watch/until.h>
#include <kinformer/watch/wait_for.h>

#include "test/support/scripted_server.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using nlohmann::json;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;

using testing_support::kPatience;

json PodJson(const std::string& version, const std::string& phase) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", "web"}, {"namespace", "default"}, {"uid", "u-web"}, {"resourceVersion", version}}},
          {"status", {{"phase", phase}}}};
}

std::string Line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

std::string Bookmark(const std::string& version, const json& annotations = json::object()) {
  return Line("BOOKMARK", {{"apiVersion", "v1"},
                           {"kind", "Pod"},
                           {"metadata", {{"resourceVersion", version}, {"annotations", annotations}}}});
}

Reply PodsAt(const std::string& version, const std::vector<json>& items) {
  return Reply::Json(json{
      {"apiVersion", "v1"},
      {"kind", "PodList"},
      {"metadata", {{"resourceVersion", version}}},
      {"items", items}}.dump());
}

class WatchOverHttpTest : public ::testing::Test {
 protected:
  WatchOverHttpTest()
      : server_({.tls = true}),
        client_(Client::Create({.server = server_.url(), .ca_data = server_.ca_pem()}).value()) {}

  ResourceClient Pods() const { return client_.For<Pod>().Untyped(); }
  /// With a short restart delay instead of the default of one second.
  Result<RetryWatcher> WatchFrom(const std::string& version) const {
    return RetryWatcher::Create(Pods(), version, {.namespace_name = "default", .label_selector = "app=web"},
                                {.min_restart_delay = 1ms});
  }

  ScriptedServer server_;
  Client client_;
};

TEST_F(WatchOverHttpTest, ARetryWatcherGoesOnWhereTheWatchEndedOrBroke) {
  const std::vector<StreamHandle> streams(3);
  for (const StreamHandle& stream : streams) server_.Enqueue(Reply::Stream(stream));
  streams[0].Send(Line("ADDED", PodJson("6", "Pending")) + Bookmark("9"));
  streams[0].Close();
  streams[1].Send(Line("MODIFIED", PodJson("12", "Running")) + R"({"type":"MODIF)");
  streams[1].Cut();
  streams[2].Send(Line("DELETED", PodJson("15", "Running")));

  auto watcher = WatchFrom("5");
  ASSERT_TRUE(watcher.ok());
  for (const std::string version : {"6", "12", "15"}) {
    const auto event = watcher->Next();
    ASSERT_TRUE(event.ok()) << ToString(event.error());
    EXPECT_EQ(event->object->ResourceVersion(), version);
  }
  const auto requests = server_.Requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].path, "/api/v1/namespaces/default/pods");
  EXPECT_EQ(requests[0].Query("watch"), "true");
  EXPECT_EQ(requests[0].Query("labelSelector"), "app=web");
  EXPECT_EQ(requests[0].Query("allowWatchBookmarks"), "true");
  EXPECT_EQ(requests[0].Query("resourceVersion"), "5");
  EXPECT_EQ(requests[1].Query("resourceVersion"), "9");
  EXPECT_EQ(requests[2].Query("resourceVersion"), "12");
}

TEST_F(WatchOverHttpTest, ARetryWatcherEndsWhereTheVersionIsGoneAlreadyAtTheOpening) {
  server_.Enqueue(Reply::Status(503, "ServiceUnavailable"));
  server_.Enqueue(Reply::Status(410, "Expired", "too old resource version"));
  auto watcher = WatchFrom("5");
  const auto event = watcher->Next();
  ASSERT_FALSE(event.ok());
  EXPECT_TRUE(IsResourceExpired(event.error())) << ToString(event.error());
  EXPECT_EQ(server_.Requests().size(), 2U);
}

TEST_F(WatchOverHttpTest, ARetryWatcherEndsAtAnEventOfAnUnknownType) {
  const StreamHandle stream;
  stream.Send(Line("ADDED", PodJson("6", "Pending")) + Line("RENAMED", PodJson("7", "Pending")));
  server_.Enqueue(Reply::Stream(stream));
  auto watcher = WatchFrom("5");
  EXPECT_TRUE(watcher->Next().ok());
  const auto end = watcher->Next();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(end.error().message, HasSubstr("RENAMED"));
  EXPECT_TRUE(stream.AwaitClientGone());
}

TEST_F(WatchOverHttpTest, DestroyingARetryWatcherEndsTheRequest) {
  const StreamHandle stream;
  stream.Send(Line("ADDED", PodJson("6", "Pending")));
  server_.Enqueue(Reply::Stream(stream));
  {
    auto watcher = WatchFrom("5");
    ASSERT_TRUE(watcher->Next().ok());
  }
  EXPECT_TRUE(stream.AwaitClientGone());
}

TEST_F(WatchOverHttpTest, UntilWatchesFromAVersionAndNamesTheResourceInErrors) {
  const StreamHandle stream;
  stream.Send(Line("ADDED", PodJson("6", "Pending")) + Line("MODIFIED", PodJson("7", "Running")));
  server_.Enqueue(Reply::Stream(stream));
  const auto event = Until(Pods(), "5", FieldEquals("/status/phase", "Running"), kPatience);
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  EXPECT_EQ(event->object->ResourceVersion(), "7");

  server_.Enqueue(Reply::Status(403, "Forbidden", "no"));
  const auto refused = Until(Pods(), "5", Exists(), kPatience);
  EXPECT_TRUE(IsForbidden(refused.error()));
  EXPECT_THAT(refused.error().message, HasSubstr("pods: "));
  EXPECT_EQ(Until(Pods(), "0", Exists(), kPatience).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(WatchOverHttpTest, WaitForAClientsObjectListsAndWatchesItAlone) {
  const StreamHandle stream;
  server_.Enqueue(PodsAt("10", {PodJson("6", "Pending")}));
  server_.Enqueue(Reply::Stream(stream));
  stream.Send(Line("MODIFIED", PodJson("11", "Running")));
  const auto pod = WaitFor(
      client_.For<Pod>(), {"default", "web"}, [](const Pod& p) { return p.Phase() == "Running"; }, kPatience);
  ASSERT_TRUE(pod.ok()) << ToString(pod.error());
  EXPECT_EQ((*pod)->ResourceVersion(), "11");
  EXPECT_TRUE(stream.AwaitClientGone());
  for (const ReceivedRequest& request : server_.Requests()) {
    EXPECT_EQ(request.path, "/api/v1/namespaces/default/pods");
    EXPECT_EQ(request.Query("fieldSelector"), "metadata.name=web");
  }
}

TEST_F(WatchOverHttpTest, WaitForTheDeletionOfWhatIsNotThereIsOver) {
  server_.Handle([](const ReceivedRequest& request) {
    return request.Query("watch").empty() ? PodsAt("10", {}) : Reply::Stream(StreamHandle());
  });
  const auto gone = WaitFor(client_.For<Pod>(), {"default", "web"}, IsDeleted(), kPatience);
  ASSERT_TRUE(gone.ok()) << ToString(gone.error());
  EXPECT_FALSE(gone->has_value());
}

TEST_F(WatchOverHttpTest, WaitForTellsWhyTheServerDidNotAnswer) {
  const auto clock = std::make_shared<FakeClock>();
  server_.Handle([](const ReceivedRequest&) { return Reply::Status(403, "Forbidden", "pods is forbidden"); });
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(client_.For<Pod>(), {"default", "web"}, Exists(), WaitLimit(500ms, clock));
  });
  clock->AwaitWaiters(2);  // the informer's back-off and WaitFor's deadline
  clock->Advance(500ms);
  const auto result = waiting.get();
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(IsForbidden(result.error())) << ToString(result.error());
  EXPECT_EQ(ToString(result.error()),
            "Pod default/web: waited 500ms for existence; last seen: nothing; the last attempt failed: listing pods: "
            "pods is forbidden (HTTP 403 Forbidden)");
}

TEST_F(WatchOverHttpTest, WaitForSpeaksOfTheServerAndNotOfAnInformerThatItsCallerDoesNotHave) {
  const testing_support::Gate gate;
  server_.Handle([gate](const ReceivedRequest&) { return PodsAt("10", {}).Behind(gate); });
  const auto at_once = WaitFor(client_.For<Pod>(), {"default", "web"}, Exists(), 0s);
  ASSERT_FALSE(at_once.ok());
  EXPECT_EQ(ToString(at_once.error()),
            "Pod default/web: waited 0ms for existence; last seen: nothing; the server has not answered yet (deadline "
            "exceeded)");

  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(client_.For<Pod>(), {"default", "web"}, Exists(), WaitLimit::Forever(), stop.get_token());
  });
  ASSERT_TRUE(gate.AwaitWaiting(1));
  stop.request_stop();
  EXPECT_EQ(ToString(waiting.get().error()),
            "Pod default/web: stopped while waiting for existence; last seen: nothing; the server has not answered yet "
            "(cancelled)");
  EXPECT_EQ(ToString(WaitFor(Pods(), {"default", "web"}, Exists(), 1s, stop.get_token()).error()),
            "Pod default/web: stopped while waiting for existence; last seen: nothing (cancelled)");
}

TEST_F(WatchOverHttpTest, WaitForStopsInTheMiddleOfAnything) {
  const testing_support::Gate gate;
  server_.Handle([gate](const ReceivedRequest&) { return PodsAt("10", {}).Behind(gate); });
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return WaitFor(client_.For<Pod>(), {"default", "web"}, Exists(), WaitLimit::Forever(), stop.get_token());
  });
  ASSERT_TRUE(gate.AwaitWaiting(1));
  stop.request_stop();
  EXPECT_EQ(waiting.get().error().code, ErrorCode::kCancelled);
}

TEST_F(WatchOverHttpTest, WaitForRefusesKeysThatNameNoObject) {
  const ResourceClient nodes = client_.Dynamic({{"", "v1", "nodes"}, "Node", Scope::kCluster});
  EXPECT_EQ(WaitFor(Pods(), {"", "web"}, Exists(), kPatience).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(WaitFor(Pods(), {"default", ""}, Exists(), kPatience).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(WaitFor(Pods(), {"default", "../x"}, Exists(), kPatience).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(WaitFor(nodes, {"default", "n"}, Exists(), kPatience).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(server_.Requests().empty());
}

TEST_F(WatchOverHttpTest, WaitForSeesMetadataOnlyWhereTheClientAsksForThat) {
  server_.Handle([](const ReceivedRequest& request) {
    if (!request.Query("watch").empty()) return Reply::Stream(StreamHandle());
    return Reply::Json(json{{"apiVersion", "meta.k8s.io/v1"},
                            {"kind", "PartialObjectMetadataList"},
                            {"metadata", {{"resourceVersion", "10"}}},
                            {"items", json::array({{{"metadata", {{"name", "web"}, {"namespace", "default"}}}}})}}
                           .dump());
  });
  const auto object = WaitFor(Pods().MetadataOnly(), {"default", "web"}, Exists(), kPatience);
  ASSERT_TRUE(object.ok()) << ToString(object.error());
  EXPECT_TRUE((*object)->IsPartial());
  EXPECT_THAT(server_.Requests().at(0).Header("Accept"), HasSubstr("PartialObjectMetadataList"));
}

TEST_F(WatchOverHttpTest, WaitForOnTypedMetadataGivesViewsOfIt) {
  server_.Handle([](const ReceivedRequest& request) {
    if (!request.Query("watch").empty()) return Reply::Stream(StreamHandle());
    return Reply::Json(
        json{{"apiVersion", "meta.k8s.io/v1"},
             {"kind", "PartialObjectMetadataList"},
             {"metadata", {{"resourceVersion", "10"}}},
             {"items",
              json::array({{{"metadata", {{"name", "web"}, {"namespace", "default"}, {"labels", {{"app", "web"}}}}}}})}}
            .dump());
  });
  const auto by_client = WaitFor(client_.For<Pod>().Metadata(), {"default", "web"}, HasLabel("app", "web"), kPatience);
  ASSERT_TRUE(by_client.ok()) << ToString(by_client.error());
  ASSERT_TRUE(by_client->has_value());
  EXPECT_EQ((*by_client)->Labels().Find("app"), "web");

  SharedInformerFactory factory(client_);
  const auto pods = factory.ForMetadata<Pod>({.namespace_name = "default"}, {.streaming_lists = false});
  factory.Start();
  const auto by_informer = WaitFor(pods, {"default", "web"}, HasLabel("app", "web"), kPatience);
  ASSERT_TRUE(by_informer.ok()) << ToString(by_informer.error());
  EXPECT_EQ((*by_informer)->Name(), "web");
  const auto by_function = WaitFor(
      pods, {"default", "web"}, [](const MetadataOf<Pod>& pod) { return !pod.IsBeingDeleted(); }, kPatience);
  EXPECT_TRUE(by_function.ok()) << ToString(by_function.error());
}

TEST_F(WatchOverHttpTest, UntilWithSyncNeedsNoMoreThanAClient) {
  const StreamHandle stream;
  server_.Enqueue(Reply::Stream(stream));
  stream.Send(Line("ADDED", PodJson("6", "Pending")) + Bookmark("10", {{"k8s.io/initial-events-end", "true"}}));
  stream.Send(Line("MODIFIED", PodJson("11", "Running")));
  const auto event = UntilWithSync<Pod>(client_, {.namespace_name = "default"}, FieldEquals("/status/phase", "Running"),
                                        kPatience, [](const Lister& store) { return store.Size() == 0; });
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  ASSERT_TRUE(event->has_value());
  EXPECT_EQ((*event)->type, WatchEventType::kModified);
  EXPECT_TRUE(stream.AwaitClientGone());
}

}  // namespace
}  // namespace kinformer
