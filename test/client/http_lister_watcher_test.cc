// Lists and watches over HTTP, pulled as a Reflector pulls them.

#include "src/client/http_lister_watcher.h"

#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/client/client.h>
#include <kinformer/meta/status_error.h>

#include "src/base/task_pool.h"
#include "src/reflector/reflector.h"
#include "test/reflector/recording_target.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TempDir;

const Resource kPods{.gvr = {"", "v1", "pods"}, .kind = "Pod"};

std::string PodJson(const std::string& name, const std::string& version) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
         R"(","namespace":"default","resourceVersion":")" + version + R"(","managedFields":[{"manager":"m"}]}})";
}

std::string EventJson(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

/// Blocks until the stream has its next part.
template <typename Part>
Result<Part> Await(PullStream<Part>& stream) {
  for (;;) {
    Result<std::optional<Part>> part = stream.TryNext();
    if (!part) return std::move(part).error();
    if (*part) return **std::move(part);
    const auto ready = std::make_shared<std::promise<void>>();
    stream.NotifyWhenReady([ready] { ready->set_value(); });
    if (ready->get_future().wait_for(10s) != std::future_status::ready) {
      return Error{.code = ErrorCode::kDeadlineExceeded, .message = "the stream said nothing"};
    }
  }
}

class HttpListerWatcherTest : public ::testing::Test {
 protected:
  HttpListerWatcherTest() : server_({.tls = true}) {}

  std::shared_ptr<HttpListerWatcher> Make(Selection selection = {}, HttpListerWatcherOptions options = {}) {
    const Client client =
        Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .token = Secret("sesame")}).value();
    return MakeHttpListerWatcher(client, kPods, std::move(selection), std::move(options));
  }

  ScriptedServer server_;
};

TEST_F(HttpListerWatcherTest, AsksForWhatTheReflectorWantsWithNamespaceAndSelectors) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"kind":"PodList","metadata":{},"items":[]})"); });
  const auto source =
      Make({.namespace_name = "prod", .label_selector = "app=web", .field_selector = "spec.nodeName=n1"});
  ASSERT_TRUE(Await(*source->List({.resource_version = "0", .limit = 500, .continue_token = "t"})).ok());
  ASSERT_TRUE(Await(*source->Watch({.resource_version = "7",
                                    .resource_version_match = "NotOlderThan",
                                    .send_initial_events = true,
                                    .timeout = 300s}))
                  .ok());
  const auto requests = server_.Requests();
  EXPECT_EQ(requests.at(0).target,
            "/api/v1/namespaces/prod/pods?labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn1&resourceVersion=0&"
            "limit=500&continue=t");
  EXPECT_EQ(requests.at(0).Header("Authorization"), "Bearer sesame");
  EXPECT_EQ(requests.at(1).target,
            "/api/v1/namespaces/prod/pods?watch=true&labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn1&"
            "resourceVersion=7&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&sendInitialEvents=true&"
            "timeoutSeconds=300");
}

TEST_F(HttpListerWatcherTest, TweaksHaveTheLastWord) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"kind":"PodList","metadata":{},"items":[]})"); });
  const auto source = Make({}, {.tweak_list = [](ListRequest& request) { request.limit = 3; },
                                .tweak_watch = [](WatchRequest& request) { request.timeout = 9s; }});
  ASSERT_TRUE(Await(*source->List({.limit = 500})).ok());
  ASSERT_TRUE(Await(*source->Watch({.timeout = 300s})).ok());
  EXPECT_EQ(server_.Requests().at(0).Query("limit"), "3");
  EXPECT_EQ(server_.Requests().at(1).Query("timeoutSeconds"), "9");
}

TEST_F(HttpListerWatcherTest, APageSizeByATweakDoesNotTurnAVersionIntoExactlyThatVersion) {
  server_.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"kind":"PodList","metadata":{},"items":[]})"); });
  const auto source = Make({}, {.tweak_list = [](ListRequest& request) { request.limit = 3; }});
  ASSERT_TRUE(Await(*source->List({.resource_version = "7"})).ok());
  ASSERT_TRUE(Await(*source->List({.resource_version = "0"})).ok());
  ASSERT_TRUE(Await(*source->List({.continue_token = "more"})).ok());
  EXPECT_EQ(server_.Requests().at(0).Query("resourceVersionMatch"), "NotOlderThan");
  EXPECT_EQ(server_.Requests().at(1).Query("resourceVersionMatch"), "");
  EXPECT_EQ(server_.Requests().at(2).Query("resourceVersionMatch"), "") << "a version beside a token is an error";

  const auto exact = Make({}, {.tweak_list = [](ListRequest& request) {
                            request.limit = 3;
                            request.resource_version_match = "Exact";
                          }});
  ASSERT_TRUE(Await(*exact->List({.resource_version = "7"})).ok());
  EXPECT_EQ(server_.Requests().at(3).Query("resourceVersionMatch"), "Exact") << "an explicit match is kept";
}

TEST_F(HttpListerWatcherTest, ItemsComeWhileTheListIsStillArriving) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  const auto list = Make()->List({});
  body.Send(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"more",)"
            R"("remainingItemCount":4},"items":[)" +
            PodJson("a", "1") + ",");
  const auto first = Await(*list);
  ASSERT_TRUE(first.ok()) << ToString(first.error());
  const auto& items = std::get<std::vector<ObjectPtr>>(*first);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0]->Name(), "a");
  EXPECT_FALSE(items[0]->At("/metadata/managedFields").Exists());
  body.Send(PodJson("b", "2") + "]}");
  body.Close();
  EXPECT_EQ(std::get<std::vector<ObjectPtr>>(Await(*list).value()).at(0)->Name(), "b");
  const ListMeta end = std::get<ListMeta>(Await(*list).value());
  EXPECT_EQ(end.resource_version, "9");
  EXPECT_EQ(end.continue_token, "more");
  EXPECT_EQ(end.remaining_item_count, 4);
}

TEST_F(HttpListerWatcherTest, ListThatBreaksOffIsAnError) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  const auto list = Make()->List({});
  body.Send(R"({"kind":"PodList","items":[)");
  body.Cut();
  const auto part = Await(*list);
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kDisconnected);
  EXPECT_THAT(part.error().message, HasSubstr("listing pods"));
}

TEST_F(HttpListerWatcherTest, RefusalsAreErrorsWithStatusReasonAndRetryAfterAndAreNotRetried) {
  server_.Handle([](const ReceivedRequest&) {
    Reply reply = Reply::Status(429, "TooManyRequests", "slow down");
    reply.headers.emplace_back("Retry-After", "3");
    return reply;
  });
  const auto source = Make();
  const auto list = Await(*source->List({}));
  ASSERT_FALSE(list.ok());
  EXPECT_TRUE(IsTooManyRequests(list.error()));
  EXPECT_EQ(list.error().retry_after, 3s);
  EXPECT_THAT(list.error().message, HasSubstr("slow down"));
  EXPECT_TRUE(IsTooManyRequests(Await(*source->Watch({})).error()));
  EXPECT_EQ(server_.Requests().size(), 2U);
}

TEST_F(HttpListerWatcherTest, WatchSaysThatItIsOpenThenEventsThenItsEnd) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  const auto watch = Make({.keep_managed_fields = true})->Watch({});
  EXPECT_TRUE(std::get<std::vector<WatchEvent>>(Await(*watch).value()).empty());
  const std::string second = EventJson("DELETED", PodJson("a", "2"));
  body.Send(EventJson("ADDED", PodJson("a", "1")) + second.substr(0, 30));
  const auto added = std::get<std::vector<WatchEvent>>(Await(*watch).value());
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].type, WatchEventType::kAdded);
  EXPECT_TRUE(added[0].object->At("/metadata/managedFields").Exists());
  body.Send(second.substr(30));
  EXPECT_EQ(std::get<std::vector<WatchEvent>>(Await(*watch).value()).at(0).type, WatchEventType::kDeleted);
  body.Close();
  EXPECT_TRUE(std::holds_alternative<WatchEnd>(Await(*watch).value()));
}

TEST_F(HttpListerWatcherTest, EventsBeforeAMalformedOneAreDelivered) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  const auto watch = Make()->Watch({});
  ASSERT_TRUE(Await(*watch).ok());
  body.Send(EventJson("ADDED", PodJson("a", "1")) + "{\"type\":\"NONSENSE\"}\n");
  EXPECT_EQ(std::get<std::vector<WatchEvent>>(Await(*watch).value()).size(), 1U);
  EXPECT_EQ(Await(*watch).error().code, ErrorCode::kMalformed);
}

TEST_F(HttpListerWatcherTest, WatchCutInAnEventIsADisconnection) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  const auto watch = Make()->Watch({});
  ASSERT_TRUE(Await(*watch).ok());
  body.Send(EventJson("ADDED", PodJson("a", "1")).substr(0, 40));
  body.Close();
  EXPECT_EQ(Await(*watch).error().code, ErrorCode::kDisconnected);
}

TEST_F(HttpListerWatcherTest, DestroyingAStreamCancelsItsRequest) {
  const StreamHandle body;
  server_.Enqueue(Reply::Stream(body));
  auto watch = Make()->Watch({});
  ASSERT_TRUE(Await(*watch).ok());
  watch = nullptr;
  EXPECT_TRUE(body.AwaitClientGone());
}

TEST_F(HttpListerWatcherTest, MetadataOnlyAsksForItAndItsObjectsArePartial) {
  server_.Enqueue(Reply::Json(
      R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},)"
      R"("items":[{"metadata":{"name":"a","namespace":"default"}}]})"));
  const auto source = Make({}, {.metadata_only = true});
  const auto list = source->List({});
  const auto items = std::get<std::vector<ObjectPtr>>(Await(*list).value());
  EXPECT_TRUE(items.at(0)->IsPartial());
  EXPECT_EQ(items.at(0)->Gvk(), source->ExpectedKind());
  EXPECT_THAT(server_.Requests().at(0).Header("Accept"), HasSubstr("as=PartialObjectMetadataList"));
}

TEST_F(HttpListerWatcherTest, NamespaceThatCannotBeOneIsAnError) {
  const auto source = Make({.namespace_name = "../secrets"});
  EXPECT_EQ(Await(*source->List({})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Await(*source->Watch({})).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(HttpListerWatcherTest, UnauthorizedRefreshesTheCredentialsForTheNextAttempt) {
  const TempDir dir;
  const std::string token = dir.Write("token", "old");
  server_.Handle([](const ReceivedRequest& request) {
    if (request.Header("Authorization") != "Bearer new") return Reply::Status(401, "Unauthorized");
    return Reply::Json(R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})");
  });
  const Client client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .token_file = token}).value();
  const auto source = MakeHttpListerWatcher(client, kPods);
  // The first request caches the old token, so that only the 401 can make the client reread the file this early.
  EXPECT_TRUE(IsUnauthorized(Await(*source->List({})).error()));
  dir.Write("token", "new");
  EXPECT_TRUE(IsUnauthorized(Await(*source->List({})).error()));
  const auto list = Await(*source->List({}));
  ASSERT_TRUE(list.ok()) << ToString(list.error());
  EXPECT_EQ(std::get<ListMeta>(*list).resource_version, "5");
}

TEST_F(HttpListerWatcherTest, NothingBlocksWhileCredentialsAreFetchedOrRenewed) {
  const TempDir dir;
  const auto answer = [&](const std::string& token) {
    dir.Write("answer",
              R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":")" + token +
                  "\"}}");
  };
  const std::string in_dir = "cd " + dir.path().string() + "\n";
  const std::string plugin =
      dir.Write("plugin", "#!/bin/sh\n" + in_dir + "while [ ! -e go ]; do sleep 0.01; done\nrm go\ncat answer\n", 0700);
  server_.Handle([](const ReceivedRequest& request) {
    if (request.Header("Authorization") != "Bearer new") return Reply::Status(401, "Unauthorized");
    return Reply::Json(R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})");
  });
  const Client client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .exec = ExecConfig{.command = plugin}})
          .value();
  const auto source = MakeHttpListerWatcher(client, kPods);
  answer("old");
  const auto refused = source->List({});
  EXPECT_FALSE(refused->TryNext().value().has_value());
  EXPECT_TRUE(server_.Requests().empty()) << "there are no credentials yet";
  std::promise<void> fetched;
  refused->NotifyWhenReady([&] { fetched.set_value(); });
  dir.Write("go", "");
  ASSERT_EQ(fetched.get_future().wait_for(10s), std::future_status::ready);
  // Sends the request. The server answers 401, which starts a refresh of the credentials.
  std::promise<void> answered;
  EXPECT_FALSE(refused->TryNext().value().has_value());
  refused->NotifyWhenReady([&] { answered.set_value(); });
  ASSERT_EQ(answered.get_future().wait_for(10s), std::future_status::ready);
  while (std::filesystem::exists(dir.path() / "go")) std::this_thread::sleep_for(1ms);
  answer("new");
  EXPECT_FALSE(refused->TryNext().value().has_value()) << "the rejection is reported when there are new ones";
  dir.Write("go", "");
  EXPECT_TRUE(IsUnauthorized(Await(*refused).error()));
  EXPECT_TRUE(IsUnauthorized(refused->TryNext().error())) << "an error stays";
  const auto list = Await(*source->List({}));
  ASSERT_TRUE(list.ok()) << ToString(list.error());
  EXPECT_EQ(std::get<ListMeta>(*list).resource_version, "5");
}

TEST_F(HttpListerWatcherTest, AStreamThatWaitsForCredentialsMayBeDestroyedWithItsClientInsideANotification) {
  const TempDir dir;
  const std::string plugin = dir.Write(
      "plugin", "#!/bin/sh\ncd " + dir.path().string() + "\nwhile [ ! -e go ]; do sleep 0.01; done\nexit 1\n", 0700);
  std::optional<Client> client =
      Client::Create({.server = server_.url(), .ca_data = server_.ca_pem(), .exec = ExecConfig{.command = plugin}})
          .value();
  auto source = MakeHttpListerWatcher(*client, kPods);
  auto watch = source->Watch({});
  std::promise<void> done;
  watch->NotifyWhenReady([&] {
    client.reset();
    source = nullptr;
    watch = nullptr;
    done.set_value();
  });
  dir.Write("go", "");
  EXPECT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
}

TEST_F(HttpListerWatcherTest, FeedsAReflectorThatFallsBackListsWatchesAndResumesOverTls) {
  const StreamHandle first;
  const StreamHandle second;
  server_.Handle([&](const ReceivedRequest& request) {
    if (request.Query("sendInitialEvents") == "true") return Reply::Status(422, "Invalid");
    if (request.Query("watch").empty()) {
      return Reply::Json(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[)" +
                         PodJson("a", "1") + "]}");
    }
    return Reply::Stream(request.Query("resourceVersion") == "5" ? first : second);
  });
  TaskPool pool;
  pool.Start();
  testing_support::RecordingTarget target;
  const auto source = Make();
  Reflector reflector(pool, source, target, {.expected = source->ExpectedKind()});
  reflector.Start();
  first.Send(EventJson("ADDED", PodJson("b", "6")));
  target.AwaitCalls(2);
  first.Abort();
  second.Send(EventJson("DELETED", PodJson("b", "7")));
  EXPECT_THAT(target.AwaitCalls(3), ElementsAre("replace a@1 at 5", "add b@6", "delete b@7"));
  EXPECT_EQ(reflector.Status().lists, 1U) << "a broken connection is no reason to list again";
  reflector.Stop();
  EXPECT_TRUE(second.AwaitClientGone());
}

}  // namespace
}  // namespace kinformer::internal
