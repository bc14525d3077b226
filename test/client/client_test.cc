// The client against a scripted TLS server.

#include <kinformer/client/client.h>

#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>
#include <kinformer/client/retry_on_conflict.h>
#include <kinformer/kinformer.h>

#include "test/client/fake_transport.h"
#include "test/support/proxy.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TempDir;
using testing_support::TestCa;

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default","uid":"u1",)"
    R"("resourceVersion":"7","managedFields":[{"manager":"x"}]},"spec":{"nodeName":"n1"},"status":{"phase":"Running"}})";

ObjectPtr PodObject(const json& change = json::object()) {
  json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", "web-0"}, {"namespace", "default"}}}};
  pod.merge_patch(change);
  return Object::FromJson(pod).value();
}

std::string PodList(const std::vector<std::string>& names, const json& metadata) {
  json list{{"kind", "PodList"}, {"apiVersion", "v1"}, {"metadata", metadata}, {"items", json::array()}};
  for (const std::string& name : names) {
    list["items"].push_back({{"metadata", {{"name", name}, {"namespace", "default"}}}});
  }
  return list.dump();
}

class ClientTest : public ::testing::Test {
 protected:
  ClientTest() : server_({.tls = true}) {}

  Client Connect(const ClientOptions& options = {}) {
    return Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .token = Secret("sesame")}, options)
        .value();
  }

  ReceivedRequest Last() const { return server_.Requests().back(); }

  ScriptedServer server_;
};

TEST_F(ClientTest, GetsATypedObjectWithItsCredentialsAndUserAgent) {
  server_.Enqueue(Reply::Json(std::string(kPod)));
  const auto pod = Connect().For<Pod>().Get({"default", "web-0"});
  ASSERT_TRUE(pod.ok()) << ToString(pod.error());
  EXPECT_EQ(pod->NodeName(), "n1");
  EXPECT_FALSE(pod->At("/metadata/managedFields").Exists());
  EXPECT_EQ(Last().method, "GET");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods/web-0");
  EXPECT_EQ(Last().Header("Authorization"), "Bearer sesame");
  EXPECT_THAT(Last().Header("User-Agent"), ::testing::StartsWith("kinformer/"));
  EXPECT_EQ(Last().Header("Accept"), "application/json");
}

TEST_F(ClientTest, GetsAnyKindAtRunTimeAndItsSubresources) {
  server_.Handle([](const ReceivedRequest&) {
    return Reply::Json(
        R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":3}})");
  });
  const auto webs = Connect().Dynamic({.gvr = {"example.com", "v1", "webs"}, .kind = "Web"});
  const auto scale = webs.Get({"prod", "w"}, {.resource_version = "0", .subresource = "scale"});
  ASSERT_TRUE(scale.ok()) << ToString(scale.error());
  EXPECT_EQ((*scale)->At("/spec/replicas").IntOr(0), 3);
  EXPECT_EQ(Last().target, "/apis/example.com/v1/namespaces/prod/webs/w/scale?resourceVersion=0");
}

TEST_F(ClientTest, AClusterScopedKindHasNoNamespaceInItsPath) {
  server_.Enqueue(Reply::Json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})"));
  ASSERT_TRUE(Connect().For<core::v1::Node>().Get({"", "n1"}).ok());
  EXPECT_EQ(Last().target, "/api/v1/nodes/n1");
}

TEST_F(ClientTest, AServersRefusalArrivesWithAllThatItSays) {
  server_.Enqueue(
      {.status = 422,
       .headers = {{"Retry-After", "2"}},
       .body =
           R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Pod is invalid","reason":"Invalid",)"
           R"("details":{"name":"web-0","group":"","kind":"Pod","uid":"u1","causes":[{"reason":"FieldValueRequired",)"
           R"("message":"Required value","field":"spec.containers"}],"retryAfterSeconds":1},"code":422})"});
  const auto pod = Connect().For<Pod>().Get({"default", "web-0"});
  ASSERT_FALSE(pod.ok());
  const Error& error = pod.error();
  EXPECT_EQ(error.code, ErrorCode::kServer);
  EXPECT_EQ(error.http_status, 422);
  EXPECT_EQ(error.reason, "Invalid");
  EXPECT_EQ(error.message, "Pod is invalid");
  EXPECT_EQ(error.retry_after, 2s);
  EXPECT_EQ(error.details.name, "web-0");
  ASSERT_EQ(error.details.causes.size(), 1U);
  EXPECT_EQ(error.details.causes[0].field, "spec.containers");
  EXPECT_TRUE(IsInvalid(error));
}

TEST_F(ClientTest, NotFoundConflictAndGoneAreToldApart) {
  server_.Enqueue(Reply::Status(404, "NotFound"));
  server_.Enqueue(Reply::Status(409, "Conflict"));
  server_.Enqueue(Reply::Status(410, "Expired"));
  const auto pods = Connect().For<Pod>();
  EXPECT_TRUE(IsNotFound(pods.Get({"default", "a"}).error()));
  EXPECT_TRUE(IsConflict(pods.Get({"default", "a"}).error()));
  EXPECT_TRUE(IsResourceExpired(pods.Get({"default", "a"}).error()));
}

TEST_F(ClientTest, ListsAllPagesAndTellsItsProgress) {
  server_.Enqueue(
      Reply::Json(PodList({"a", "b"}, {{"resourceVersion", "9"}, {"continue", "t1"}, {"remainingItemCount", 1}})));
  server_.Enqueue(Reply::Json(PodList({"c"}, {{"resourceVersion", "9"}})));
  std::vector<std::string> progress;
  const auto list = Connect().For<Pod>().List(
      {.namespace_name = "default",
       .label_selector = "app=web,tier in (a,b)",
       .field_selector = "status.phase=Running"},
      {.resource_version = "5",
       .resource_version_match = "NotOlderThan",
       .limit = 2,
       .progress = [&](const ListProgress& p) {
         progress.push_back(std::to_string(p.received) + "+" + (p.remaining ? std::to_string(*p.remaining) : "?"));
       }});
  ASSERT_TRUE(list.ok()) << ToString(list.error());
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->items[2].Name(), "c");
  EXPECT_EQ(list->items[0].object()->Kind(), "Pod") << "items of typed lists come without";
  EXPECT_EQ(list->metadata.resource_version, "9");
  EXPECT_THAT(progress, ElementsAre("2+1", "3+?"));
  const auto requests = server_.Requests();
  EXPECT_EQ(
      requests[0].target,
      "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29&fieldSelector=status.phase"
      "%3DRunning&resourceVersion=5&resourceVersionMatch=NotOlderThan&limit=2");
  EXPECT_EQ(requests[1].Query("continue"), "t1");
  EXPECT_EQ(requests[1].Query("resourceVersion"), "") << "the token carries it";
}

TEST_F(ClientTest, AContinueTokenThatExpiredIsFollowedByOneUnpagedList) {
  server_.Enqueue(Reply::Json(PodList({"a"}, {{"resourceVersion", "9"}, {"continue", "t1"}})));
  server_.Enqueue(Reply::Status(410, "Expired"));
  server_.Enqueue(Reply::Json(PodList({"a", "b", "c"}, {{"resourceVersion", "12"}})));
  const auto list = Connect().For<Pod>().List({}, {.resource_version = "0", .limit = 1});
  ASSERT_TRUE(list.ok()) << ToString(list.error());
  EXPECT_EQ(list->items.size(), 3U) << "nothing twice";
  EXPECT_EQ(Last().target, "/api/v1/pods?resourceVersion=0");
}

TEST_F(ClientTest, AnExpiredVersionOnTheFirstPageIsTheCallersToHandle) {
  server_.Enqueue(Reply::Status(410, "Expired"));
  const auto list = Connect().For<Pod>().List({}, {.resource_version = "1"});
  ASSERT_FALSE(list.ok());
  EXPECT_TRUE(IsResourceExpired(list.error()));
  EXPECT_EQ(server_.Requests().size(), 1U);
}

TEST_F(ClientTest, ForEachSeesItemsWhileTheListIsStillArriving) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  body.Send(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},)");
  std::vector<std::string> seen;
  const auto metadata = Connect().Dynamic(Resource::Of(Pod::kInfo)).ForEach([&](const ObjectPtr& object) {
    seen.emplace_back(object->Name());
    if (seen.size() == 1) {
      body.Send(R"({"metadata":{"name":"b"}}],"metadata":{"resourceVersion":"4"}})");
      body.Close();
    }
  });
  ASSERT_TRUE(metadata.ok()) << ToString(metadata.error());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  EXPECT_EQ(metadata->resource_version, "4");
}

TEST_F(ClientTest, AListCutShortIsAnError) {
  server_.Enqueue(Reply::Json(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"meta)"));
  const auto list = Connect().For<Pod>().List();
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(list.error().message, HasSubstr("listing pods"));
}

TEST_F(ClientTest, MetadataOnlyAsksForItAndItsObjectsArePartial) {
  server_.Enqueue(Reply::Json(
      R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},"items":[)"
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}]})"));
  const auto client = Connect();
  const auto pods = client.Dynamic(Resource::Of(Pod::kInfo)).MetadataOnly();
  const auto list = pods.List();
  ASSERT_TRUE(list.ok()) << ToString(list.error());
  EXPECT_THAT(Last().Header("Accept"), HasSubstr("as=PartialObjectMetadataList"));
  EXPECT_TRUE(list->items.at(0)->IsPartial());
}

TEST_F(ClientTest, CreatesInTheObjectsNamespaceWithAllOptions) {
  server_.Enqueue(Reply::Json(std::string(kPod), 201));
  const auto pod = Connect().For<Pod>().Create(
      *PodObject(), {.field_manager = "me", .dry_run = true, .field_validation = FieldValidation::kStrict});
  ASSERT_TRUE(pod.ok()) << ToString(pod.error());
  EXPECT_EQ(Last().method, "POST");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods?dryRun=All&fieldManager=me&fieldValidation=Strict");
  EXPECT_EQ(json::parse(Last().body).at("metadata").at("name"), "web-0");
}

TEST_F(ClientTest, CreatesASubresourceBelowItsObject) {
  server_.Enqueue(Reply::Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})", 201));
  const auto eviction =
      Object::Parse(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web-0","namespace":"default"}})")
          .value();
  ASSERT_TRUE(Connect().Dynamic(Resource::Of(Pod::kInfo)).Create(*eviction, {.subresource = "eviction"}).ok());
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods/web-0/eviction");
}

TEST_F(ClientTest, AnObjectWithoutANamespaceGoesIntoTheConfigurations) {
  server_.Enqueue(Reply::Json(std::string(kPod), 201));
  const auto client = Client::Create({.server = server_.url(), .namespace_name = "team", .ca_data = server_.ca_pem()});
  ASSERT_TRUE(client->For<Pod>().Create(*PodObject({{"metadata", {{"namespace", nullptr}}}})).ok());
  EXPECT_EQ(Last().path, "/api/v1/namespaces/team/pods");
}

TEST_F(ClientTest, AnObjectOfAnotherKindIsRefusedBeforeItIsSent) {
  const auto client = Connect();
  const auto refused = client.For<core::v1::ConfigMap>().Create(*PodObject());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(server_.Requests().empty());
}

TEST_F(ClientTest, UpdatesAndUpdatesTheStatus) {
  server_.Enqueue(Reply::Json(std::string(kPod)));
  server_.Enqueue(Reply::Json(std::string(kPod)));
  const auto pods = Connect().For<Pod>();
  ASSERT_TRUE(pods.Update(*PodObject()).ok());
  EXPECT_EQ(Last().method, "PUT");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods/web-0");
  ASSERT_TRUE(pods.UpdateStatus(*PodObject()).ok());
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods/web-0/status");
}

// Updating from a partial object would delete the fields it lacks on the server.
TEST_F(ClientTest, APartialObjectIsNotUpdated) {
  const auto partial = Object::Parse(kPod, {.partial = true}).value();
  const auto pods = Connect().For<Pod>();
  for (const auto& refused : {pods.Update(*partial), pods.UpdateStatus(*partial)}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_THAT(refused.error().message, HasSubstr("Patch or Apply"));
  }
  EXPECT_TRUE(server_.Requests().empty());
}

TEST_F(ClientTest, DroppedManagedFieldsAloneDoNotMakeAnObjectPartial) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Json(std::string(kPod)); });
  const auto pods = Connect().For<Pod>();
  const auto pod = pods.Get({"default", "web-0"});
  ASSERT_TRUE(pod.ok());
  EXPECT_TRUE(pods.Update(*pod->object()).ok());
  EXPECT_FALSE(json::parse(Last().body).at("metadata").contains("managedFields"));
}

TEST_F(ClientTest, PatchesWithTheContentTypeOfEachKindOfPatch) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Json(std::string(kPod)); });
  const auto pods = Connect().For<Pod>();
  for (const auto& [type, content_type] : {std::pair{PatchType::kJson, "application/json-patch+json"},
                                           {PatchType::kMerge, "application/merge-patch+json"},
                                           {PatchType::kStrategicMerge, "application/strategic-merge-patch+json"}}) {
    ASSERT_TRUE(pods.Patch({"default", "web-0"}, type, "{}", {.subresource = "status"}).ok());
    EXPECT_EQ(Last().method, "PATCH");
    EXPECT_EQ(Last().Header("Content-Type"), content_type);
    EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods/web-0/status");
    EXPECT_EQ(Last().body, "{}");
  }
}

TEST_F(ClientTest, AppliesOnTheServerSide) {
  server_.Enqueue(Reply::Json(std::string(kPod)));
  const auto pods = Connect().For<Pod>();
  ASSERT_TRUE(pods.Apply(*PodObject(), {.field_manager = "me", .force = true}).ok());
  EXPECT_EQ(Last().method, "PATCH");
  EXPECT_EQ(Last().Header("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods/web-0?fieldManager=me&force=true");
  EXPECT_EQ(pods.Apply(*PodObject(), {}).error().code, ErrorCode::kInvalidArgument) << "who owns the fields?";
}

TEST_F(ClientTest, ScalesThroughTheSubresource) {
  server_.Enqueue(Reply::Json(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"}})"));
  ASSERT_TRUE(Connect().Dynamic(Resource::Of(apps::v1::Deployment::kInfo)).ScaleTo({"default", "w"}, 0).ok());
  EXPECT_EQ(Last().target, "/apis/apps/v1/namespaces/default/deployments/w/scale");
  EXPECT_EQ(Last().body, R"({"spec":{"replicas":0}})");
}

TEST_F(ClientTest, DeletesWithPreconditionsAndPropagation) {
  server_.Enqueue(Reply::Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"));
  const auto gone = Connect().For<Pod>().Delete({"default", "web-0"}, {.uid = "u1",
                                                                       .resource_version = "7",
                                                                       .propagation = Propagation::kForeground,
                                                                       .grace_period = 0s,
                                                                       .dry_run = true});
  ASSERT_TRUE(gone.ok()) << ToString(gone.error());
  EXPECT_FALSE(gone->pending);
  EXPECT_EQ(Last().method, "DELETE");
  EXPECT_EQ(json::parse(Last().body), json({{"kind", "DeleteOptions"},
                                            {"apiVersion", "v1"},
                                            {"preconditions", {{"uid", "u1"}, {"resourceVersion", "7"}}},
                                            {"propagationPolicy", "Foreground"},
                                            {"gracePeriodSeconds", 0},
                                            {"dryRun", {"All"}}}));
}

TEST_F(ClientTest, ADeletedObjectThatWaitsForItsFinalizersIsHandedBack) {
  server_.Enqueue(Reply::Json(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"}})"));
  const auto going = Connect().For<Pod>().Delete({"default", "a"});
  ASSERT_TRUE(going.ok());
  ASSERT_TRUE(going->pending);
  EXPECT_EQ(going->pending->Name(), "a");
}

TEST_F(ClientTest, AnEmptyNameNeverBecomesADeleteOfEverything) {
  const auto pods = Connect().For<Pod>();
  EXPECT_EQ(pods.Delete({"default", ""}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(pods.Get({"default", ""}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(server_.Requests().empty());
}

TEST_F(ClientTest, NamesThatWouldChangeThePathAreRefused) {
  const auto pods = Connect().For<Pod>();
  for (const char* name : {"..", ".", "a/b", "a%2Fb"}) {
    EXPECT_EQ(pods.Get({"default", name}).error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(pods.Get({name, "web-0"}).error().code, ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(pods.Get({"", "web-0"}).error().code, ErrorCode::kInvalidArgument) << "a pod has a namespace";
}

TEST_F(ClientTest, DeletesACollectionBySelector) {
  server_.Enqueue(Reply::Json(PodList({"a"}, {{"resourceVersion", "9"}})));
  ASSERT_TRUE(Connect().For<Pod>().DeleteCollection({.namespace_name = "default", .label_selector = "app=web"}).ok());
  EXPECT_EQ(Last().method, "DELETE");
  EXPECT_EQ(Last().target, "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb");
}

TEST_F(ClientTest, ManagedFieldsAreKeptInListsAndWatchesThatSelectThem) {
  const std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)" + std::string(kPod) + "]}";
  const std::string event = R"({"type":"ADDED","object":)" + std::string(kPod) + "}\n";
  const auto pods = Connect().For<Pod>();
  for (const bool keep : {false, true}) {
    server_.Enqueue(Reply::Json(list));
    const auto listed = pods.List({.keep_managed_fields = keep});
    ASSERT_TRUE(listed.ok()) << ToString(listed.error());
    EXPECT_EQ(listed->items.at(0).At("/metadata/managedFields").Exists(), keep);
    server_.Enqueue(Reply::Json(event));
    auto watch = pods.Watch({.keep_managed_fields = keep});
    ASSERT_TRUE(watch.ok()) << ToString(watch.error());
    const auto seen = watch->Next();
    ASSERT_TRUE(seen.ok()) << ToString(seen.error());
    EXPECT_EQ((*seen)->object->At("/metadata/managedFields").Exists(), keep);
  }
}

TEST_F(ClientTest, WatchesAsAPullStream) {
  const StreamHandle events;
  server_.Enqueue(Reply::Stream(events));
  const auto client = Connect();
  auto watch = client.For<Pod>().Watch({.namespace_name = "default"}, {.resource_version = "7",
                                                                       .resource_version_match = "NotOlderThan",
                                                                       .send_initial_events = true,
                                                                       .timeout = 300s});
  ASSERT_TRUE(watch.ok()) << ToString(watch.error());
  EXPECT_EQ(Last().target,
            "/api/v1/namespaces/default/pods?watch=true&resourceVersion=7&resourceVersionMatch=NotOlderThan&"
            "allowWatchBookmarks=true&sendInitialEvents=true&timeoutSeconds=300");
  const std::string line = R"({"type":"ADDED","object":)" + std::string(kPod) + "}\n";
  events.Send(line.substr(0, 40));
  events.Send(line.substr(40));
  auto event = watch->Next();
  ASSERT_TRUE(event.ok()) << ToString(event.error());
  EXPECT_EQ((*event)->type, WatchEventType::kAdded);
  EXPECT_EQ((*event)->object->NodeName(), "n1");
  events.Send(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12"}}})"
              "\n"
              R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
              "\n");
  event = watch->Next();
  EXPECT_EQ((*event)->type, WatchEventType::kBookmark);
  EXPECT_EQ((*event)->object->ResourceVersion(), "12");
  event = watch->Next();
  ASSERT_EQ((*event)->type, WatchEventType::kError);
  EXPECT_TRUE(IsResourceExpired((*event)->error));
  events.Close();
  event = watch->Next();
  ASSERT_TRUE(event.ok());
  EXPECT_FALSE(event->has_value()) << "the end";
}

TEST_F(ClientTest, AWatchCutInTheMiddleOfAnEventIsAnErrorAfterTheWholeOnes) {
  const StreamHandle events;
  server_.Enqueue(Reply::Stream(events));
  auto watch = Connect().For<Pod>().Watch();
  ASSERT_TRUE(watch.ok());
  events.Send(R"({"type":"ADDED","object":)" + std::string(kPod) + "}\n{\"type\":\"MODI");
  events.Close();
  EXPECT_TRUE((*watch->Next())->object);
  const auto cut = watch->Next();
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().code, ErrorCode::kDisconnected);
}

TEST_F(ClientTest, AStopEndsAWatchsWait) {
  const StreamHandle events;
  server_.Enqueue(Reply::Stream(events));
  auto watch = Connect().For<Pod>().Watch();
  ASSERT_TRUE(watch.ok());
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(watch->Next(stop.get_token()).error().code, ErrorCode::kCancelled);
}

TEST_F(ClientTest, AWatchOutlivesTheClientItCameFrom) {
  const StreamHandle events;
  server_.Enqueue(Reply::Stream(events));
  auto watch = Connect().For<Pod>().Watch();
  ASSERT_TRUE(watch.ok());
  events.Send(R"({"type":"ADDED","object":)" + std::string(kPod) + "}\n");
  EXPECT_TRUE(watch->Next().ok());
}

TEST_F(ClientTest, AWatchThatHasReadMoreThanOneEventSaysSo) {
  const StreamHandle events;
  server_.Enqueue(Reply::Stream(events));
  auto watch = Connect().Dynamic(Resource::Of(Pod::kInfo)).Watch();
  ASSERT_TRUE(watch.ok());
  const std::string line = R"({"type":"ADDED","object":)" + std::string(kPod) + "}\n";
  events.Send(line + line + "\n");
  WatchEvent event;
  ASSERT_TRUE(watch->Next().value().has_value()) << "the other one is read too, and waits in the stream";
  int ready = 0;
  watch->NotifyWhenReady([&] { ++ready; });
  EXPECT_EQ(ready, 1);
  watch->NotifyWhenReady([&] { ++ready; });
  EXPECT_EQ(ready, 2) << "it was not taken";
  EXPECT_EQ(watch->TryNext(event).value(), WatchStream::Poll::kEvent);
  watch->NotifyWhenReady([&] { ++ready; });
  EXPECT_EQ(ready, 2) << "the rest of the chunk is an empty line";
  watch->NotifyWhenReady(nullptr);
  events.Close();
  EXPECT_FALSE(watch->Next().value().has_value());
  watch->NotifyWhenReady([&] { ++ready; });
  EXPECT_EQ(ready, 3) << "the end is there to be asked for again";
}

TEST_F(ClientTest, AWatchAndItsClientMayBeDestroyedInsideANotification) {
  const StreamHandle events;
  server_.Enqueue(Reply::Stream(events));
  std::optional<Client> client = Connect();
  auto opened = client->Dynamic(Resource::Of(Pod::kInfo)).Watch();
  ASSERT_TRUE(opened.ok());
  std::optional<WatchStream> watch = *std::move(opened);
  opened = Error{};
  std::promise<void> done;
  watch->NotifyWhenReady([&] {
    watch.reset();
    client.reset();
    done.set_value();
  });
  events.Send("{");
  EXPECT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_TRUE(events.AwaitClientGone());
}

TEST_F(ClientTest, WhatIsMovedFromIsAnErrorAndNoCrash) {
  server_.Handle([](const ReceivedRequest& r) {
    if (!r.Query("watch").empty() || r.path.ends_with("/log")) return Reply::Stream(StreamHandle());
    return Reply::Json(std::string(kPod));
  });
  Client client = Connect();
  const Client taken = std::move(client);
  // Moving from a client copies it: the moved-from client remains usable.
  EXPECT_TRUE(client.For<Pod>().Get({"default", "web-0"}).ok());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(client.Raw({.target = "/version"}).ok());
  EXPECT_TRUE(client.GetDiscovery().Version().ok());
  EXPECT_EQ(client.DefaultNamespace(), "default");
  (void)client.Mapper().ForName("pods");
  (void)client.DynamicFor({"", "v1", "Pod"});
  EXPECT_TRUE(client.Logs({"default", "web-0"}).ok());

  ResourceClient pods = taken.Dynamic(Resource::Of(Pod::kInfo));
  const ResourceClient pods_taken = std::move(pods);
  EXPECT_TRUE(pods.Get({"default", "web-0"}).ok());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(pods.resource().kind, "Pod");
  TypedClient<Pod> typed = taken.For<Pod>();
  const TypedClient<Pod> typed_taken = std::move(typed);
  EXPECT_TRUE(typed.Get({"default", "web-0"}).ok());  // NOLINT(bugprone-use-after-move)
  Discovery discovery = taken.GetDiscovery();
  const Discovery discovery_taken = std::move(discovery);
  EXPECT_TRUE(discovery.Version().ok());  // NOLINT(bugprone-use-after-move)

  // Streams are move-only: using a moved-from one is an error.
  auto watch = pods_taken.Watch();
  ASSERT_TRUE(watch.ok());
  const WatchStream watch_taken = *std::move(watch);
  WatchEvent event;
  bool ready = false;
  EXPECT_EQ(watch->Next().error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(watch->TryNext(event).error().code, ErrorCode::kFailedPrecondition);
  watch->NotifyWhenReady([&] { ready = true; });
  EXPECT_TRUE(ready) << "TryNext has an error";
  watch->NotifyWhenReady(nullptr);
  auto logs = taken.Logs({"default", "web-0"});
  ASSERT_TRUE(logs.ok());
  const LogStream logs_taken = *std::move(logs);
  EXPECT_EQ(logs->NextLine().error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(ClientTest, AResourceThatTheServerDoesNotHaveIsNamed) {
  // kube-apiserver's answer for an unknown path.
  server_.Handle([](const ReceivedRequest&) {
    return Reply{.status = 404, .body = "404 page not found\n", .content_type = "text/plain; charset=utf-8"};
  });
  const auto client = Connect();
  const ResourceClient webs = client.Dynamic({.gvr = {"example.com", "v1", "webs"}, .kind = "Web"});
  const std::string text =
      "the server does not have the resource webs in example.com/v1: check the version, and that its "
      "CustomResourceDefinition is installed (HTTP 404 NotFound)";
  const auto got = webs.Get({"default", "a"});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(ToString(got.error()), text);
  EXPECT_TRUE(IsNotFound(got.error()));
  EXPECT_EQ(ToString(webs.List().error()), text);
  EXPECT_EQ(ToString(webs.List({.namespace_name = "default", .label_selector = "a=b"}).error()), text);
  EXPECT_EQ(ToString(webs.Watch().error()), text);
  EXPECT_EQ(ToString(webs.Get({"default", "a"}, {.subresource = "status"}).error()), text);
  const ResourceClient core = client.Dynamic({.gvr = {"", "v1", "webs"}, .kind = "Web", .scope = Scope::kCluster});
  EXPECT_EQ(core.Get({"", "a"}).error().message,
            "the server does not have the resource webs in v1: check the version, and the URL of the server");
  EXPECT_THAT(client.For<core::v1::Namespace>().Get({"", "a"}).error().message,
              HasSubstr("the resource namespaces in v1:"));
  EXPECT_EQ(client.Raw({.target = "/nothing"}).error().message,
            "the server answered with HTTP status 404: 404 page not found");
}

TEST_F(ClientTest, AnObjectOfNoKindIsToldFromOneOfAnotherKind) {
  const auto maps = Connect().Dynamic(Resource::Of(core::v1::ConfigMap::kInfo));
  const auto refusal = [&](const std::string& text) {
    const auto refused = maps.Create(*Object::Parse(text).value());
    return refused ? std::string("accepted") : refused.error().message;
  };
  EXPECT_EQ(refusal(R"({"metadata":{"name":"a"}})"),
            "the object has no apiVersion and no kind, but configmaps are v1 ConfigMap");
  EXPECT_EQ(refusal(R"({"apiVersion":"v1","metadata":{"name":"a"}})"),
            "the object has apiVersion v1 and no kind, but configmaps are v1 ConfigMap");
  EXPECT_EQ(refusal(R"({"kind":"ConfigMap","metadata":{"name":"a"}})"),
            "the object is a ConfigMap without an apiVersion, but configmaps are v1 ConfigMap");
  EXPECT_EQ(refusal(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})"),
            "the object is a v1 Pod, but configmaps are v1 ConfigMap");
  EXPECT_TRUE(server_.Requests().empty());
}

TEST_F(ClientTest, ARefusedWatchIsAnErrorAtOnce) {
  server_.Enqueue(Reply::Status(403, "Forbidden", "pods is forbidden: User alice cannot watch"));
  const auto watch = Connect().For<Pod>().Watch();
  ASSERT_FALSE(watch.ok());
  EXPECT_TRUE(IsForbidden(watch.error()));
}

TEST_F(ClientTest, FollowsAPodsLogLineByLine) {
  const StreamHandle log;
  server_.Enqueue(Reply::Stream(log));
  auto lines = Connect().Logs(
      {"default", "web-0"}, {.container = "main", .follow = true, .timestamps = true, .tail_lines = 10, .since = 60s});
  ASSERT_TRUE(lines.ok()) << ToString(lines.error());
  EXPECT_EQ(Last().target,
            "/api/v1/namespaces/default/pods/web-0/log?container=main&follow=true&timestamps=true&tailLines=10&"
            "sinceSeconds=60");
  log.Send("one\ntw");
  EXPECT_EQ(lines->NextLine().value(), "one");
  log.Send("o\n\nlast");
  EXPECT_EQ(lines->NextLine().value(), "two");
  EXPECT_EQ(lines->NextLine().value(), "");
  log.Close();
  EXPECT_EQ(lines->NextLine().value(), "last");
  EXPECT_FALSE(lines->NextLine().value().has_value());
}

TEST_F(ClientTest, AnyOtherRequestGoesThroughRaw) {
  server_.Enqueue({.body = "ok", .content_type = "text/plain"});
  const auto ready = Connect().Raw({.target = "/readyz"});
  ASSERT_TRUE(ready.ok());
  EXPECT_EQ(ready->body, "ok");
  EXPECT_EQ(Last().Header("Authorization"), "Bearer sesame");
}

TEST_F(ClientTest, ARotatedTokenIsReadAgainAtOnceWhenTheOldOneIsRefused) {
  const TempDir dir;
  const std::string file = dir.Write("token", "old");
  server_.Handle([](const ReceivedRequest& r) {
    return r.Header("Authorization") == "Bearer new" ? Reply::Json(std::string(kPod))
                                                     : Reply::Status(401, "Unauthorized");
  });
  const auto client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .token_file = file}).value();
  EXPECT_TRUE(IsUnauthorized(client.For<Pod>().Get({"default", "web-0"}).error()));
  dir.Write("token", "new");
  EXPECT_TRUE(client.For<Pod>().Get({"default", "web-0"}).ok());
}

// Rotates the client certificate, then the server's CA; the client picks up both from the changed files.
TEST(ClientRotationTest, ARotatedClientCertificateAndCaAreUsedWithoutARestartAndABrokenOneIsNot) {
  const TestCa ca;
  const TestCa other_ca;
  const TempDir dir;
  const auto write = [&](const TestCa& issuer, const char* name) {
    const auto pair = issuer.IssueClient({.common_name = name});
    dir.Write("client.pem", pair.cert_pem);
    dir.Write("client.key", pair.key_pem);
  };
  write(ca, "alice");
  const std::string ca_file = dir.Write("ca.pem", ca.CertPem());
  auto server = std::make_unique<ScriptedServer>(testing_support::ScriptedServerOptions{
      .tls = true, .ca = &ca, .client_ca_pem = ca.CertPem(), .require_client_certificate = true});
  const auto answer = [](const ReceivedRequest& r) { return Reply::Json(r.client_cn); };
  server->Handle(answer);
  testing_support::FaultProxy front(server->port());
  const auto clock = std::make_shared<FakeClock>();
  const auto client = Client::Create({.server = "https://127.0.0.1:" + std::to_string(front.port()),
                                      .ca_file = ca_file,
                                      .client_certificate_file = dir.path() / "client.pem",
                                      .client_key_file = dir.path() / "client.key"},
                                     {.clock = clock})
                          .value();
  const auto whoami = [&] {
    const auto response = client.Raw({.target = "/"});
    return response ? response->body : ToString(response.error());
  };
  EXPECT_EQ(whoami(), "alice");

  write(ca, "bob");
  clock->Advance(6min);
  EXPECT_EQ(whoami(), "bob");

  dir.Write("client.pem", "-----BEGIN CERTIFICATE-----\nbroken");
  clock->Advance(6min);
  EXPECT_EQ(whoami(), "bob") << "what cannot be used does not replace what can";

  // The server's certificate now comes from another CA. The failed verification makes the client reread its files.
  write(ca, "carol");
  dir.Write("ca.pem", other_ca.CertPem());
  ScriptedServer renewed(
      {.tls = true, .ca = &other_ca, .client_ca_pem = ca.CertPem(), .require_client_certificate = true});
  renewed.Handle(answer);
  front.Retarget(renewed.port());
  front.CutExisting();
  EXPECT_EQ(whoami(), "carol");
}

TEST(ClientTransportTest, ATransportOfTheUsersSeesTheAuthorityAndTheClientsCertificateAlsoAfterARotation) {
  const TempDir dir;
  const TestCa one;
  const TestCa two;
  const auto alice = one.IssueClient({.common_name = "alice"});
  const auto bob = one.IssueClient({.common_name = "bob"});
  const auto write = [&](const TestCa& ca, const testing_support::CertificateAndKey& pair) {
    dir.Write("ca", ca.CertPem());
    dir.Write("cert", pair.cert_pem);
    dir.Write("key", pair.key_pem);
  };
  write(one, alice);
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = std::make_shared<FakeTransport>();
  const auto client = Client::Create({.server = "https://10.0.0.1:6443",
                                      .ca_file = (dir.path() / "ca").string(),
                                      .tls_server_name = "kubernetes.default",
                                      .client_certificate_file = (dir.path() / "cert").string(),
                                      .client_key_file = (dir.path() / "key").string()},
                                     {.clock = clock, .transport = transport})
                          .value();
  const auto tls_of_a_request = [&]() -> TlsMaterialPtr {
    transport->Enqueue({.body = "{}"});
    EXPECT_TRUE(client.Raw({.target = "/version"}).ok());
    return transport->Requests().back().tls;
  };
  const TlsMaterialPtr first = tls_of_a_request();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->ca_pem, one.CertPem());
  EXPECT_EQ(first->client_certificate_pem, alice.cert_pem);
  EXPECT_EQ(first->client_key_pem.Reveal(), alice.key_pem);
  EXPECT_EQ(first->server_name, "kubernetes.default");
  EXPECT_FALSE(first->insecure_skip_tls_verify);
  EXPECT_EQ(tls_of_a_request(), first) << "the same object while nothing has changed";

  write(two, bob);
  clock->Advance(5min);
  const TlsMaterialPtr second = tls_of_a_request();
  EXPECT_EQ(second->ca_pem, two.CertPem());
  EXPECT_EQ(second->client_certificate_pem, bob.cert_pem);
  EXPECT_EQ(second->client_key_pem.Reveal(), bob.key_pem);
  EXPECT_EQ(first->client_certificate_pem, alice.cert_pem) << "what a connection was made with stays what it was";
}

TEST(ClientTransportTest, ATransportOfTheUsersSeesWhetherAnythingIsVerified) {
  const auto transport = std::make_shared<FakeTransport>();
  const auto client =
      Client::Create({.server = "https://10.0.0.1:6443", .insecure_skip_tls_verify = true}, {.transport = transport})
          .value();
  transport->Enqueue({.body = "{}"});
  ASSERT_TRUE(client.Raw({.target = "/version"}).ok());
  EXPECT_EQ(*transport->Requests().back().tls, (TlsMaterial{.insecure_skip_tls_verify = true}));
}

TEST_F(ClientTest, AnExecCredentialIsFetchedAgainWhenItIsRefused) {
  const TempDir dir;
  dir.Write("credential", "first");
  const std::string plugin =
      dir.Write("plugin",
                "#!/bin/sh\nprintf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","
                "\"status\":{\"token\":\"%s\"}}' \"$(cat " +
                    (dir.path() / "credential").string() + ")\"\n",
                0700);
  std::atomic<bool> renewed = false;
  server_.Handle([&](const ReceivedRequest& r) {
    const std::string wanted = renewed ? "Bearer second" : "Bearer first";
    return r.Header("Authorization") == wanted ? Reply::Json("{}") : Reply::Status(401, "Unauthorized");
  });
  const auto client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .exec = ExecConfig{.command = plugin}})
          .value();
  ASSERT_TRUE(client.Raw({.target = "/"}).ok());
  renewed = true;
  dir.Write("credential", "second");
  const auto again = client.Raw({.target = "/"});
  EXPECT_TRUE(again.ok()) << ToString(again.error());
}

TEST_F(ClientTest, TheTimeLimitOfACallAlsoCountsWhileThePluginRuns) {
  const TempDir dir;
  const std::string plugin = dir.Write("plugin", "#!/bin/sh\nsleep 30\n", 0700);
  const auto client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .exec = ExecConfig{.command = plugin}})
          .value();
  const auto before = std::chrono::steady_clock::now();
  const auto pod = client.For<Pod>().Get({"default", "web-0"}, {.timeout = 50ms});
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

TEST_F(ClientTest, ATimeLimitThatNoClockCanTellIsNone) {
  server_.Enqueue(Reply::Json(std::string(kPod)));
  EXPECT_TRUE(Connect().For<Pod>().Get({"default", "web-0"}, {.timeout = std::chrono::milliseconds::max()}).ok());
}

TEST_F(ClientTest, CredentialsAreKeptFromAPlainHttpServer) {
  ScriptedServer plain;
  plain.Enqueue(Reply::Json(std::string(kPod)));
  const auto client = Client::Create({.server = plain.url(), .token = Secret("sesame")}).value();
  ASSERT_TRUE(client.For<Pod>().Get({"default", "web-0"}).ok());
  EXPECT_EQ(plain.Requests().back().Header("Authorization"), "");
}

TEST(ClientCreateTest, ABadConfigurationIsToldAtOnce) {
  EXPECT_FALSE(Client::Create({.server = "nonsense://x"}).ok());
  EXPECT_FALSE(Client::Create({}).ok());
}

Error Conflict() {
  return Error{.code = ErrorCode::kServer, .message = "changed", .http_status = 409, .reason = "Conflict"};
}

TEST(RetryOnConflictTest, TriesFiveTimesTenMillisecondsApart) {
  const auto clock = std::make_shared<FakeClock>();
  int tries = 0;
  std::jthread ticker([&] {
    for (int i = 0; i < 4; ++i) {
      clock->AwaitWaiters(1);
      clock->Advance(11ms);
    }
  });
  const Result<int> result = RetryOnConflict(
      [&]() -> Result<int> {
        ++tries;
        return Conflict();
      },
      {.clock = clock});
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(tries, 5);
}

TEST(RetryOnConflictTest, ReturnsTheFirstResultThatIsNoConflict) {
  int tries = 0;
  const Result<int> result = RetryOnConflict([&]() -> Result<int> {
    if (++tries < 3) return Conflict();
    return 42;
  });
  EXPECT_EQ(result.value(), 42);
  EXPECT_FALSE(RetryOnConflict([&]() -> Result<int> { return Error{.message = "other"}; }).ok());
}

}  // namespace
}  // namespace kinformer
