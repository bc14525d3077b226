// Servers that send valid HTTP with bad data, against clients and informers.

#include <algorithm>
#include <optional>
#include <string>

#include "src/base/mutex.h"
#include "test/hostile/hostile_server.h"
#include "test/hostile/sizes.h"
#include "test/support/patience.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::StreamHandle;

using testing_support::kPatience;

/// Lists and watches have separate scripts. After the end of its script, lists are empty and watches silent.
class HostileData : public HostileServerTest {
 protected:
  HostileData() {
    server_.Handle([shared = script_](const ReceivedRequest& request) -> Reply {
      const std::lock_guard lock(shared->mutex);
      auto& script = request.Query("watch") == "true" ? shared->watches : shared->lists;
      if (!script.empty()) {
        Reply reply = std::move(script.front());
        script.erase(script.begin());
        return reply;
      }
      if (request.Query("watch") == "true") return Reply::Stream(StreamHandle());
      return Reply::Json(PodList("100", {PodJson("last", "99")}));
    });
  }

  void OnList(Reply reply) {
    const std::lock_guard lock(script_->mutex);
    script_->lists.push_back(std::move(reply));
  }
  void OnWatch(Reply reply) {
    const std::lock_guard lock(script_->mutex);
    script_->watches.push_back(std::move(reply));
  }
  /// A watch that sends these lines and then stays open.
  static Reply Watched(const std::string& lines) {
    const StreamHandle handle;
    handle.Send(lines);
    return Reply::Stream(handle);
  }

  /// An informer with paged lists and a short back-off.
  SharedInformer Follow(const std::string& namespace_name = "default") {
    factory_ = std::make_unique<SharedInformerFactory>(*client_, FactoryOptions{.logger = log_.logger()});
    SharedInformer informer =
        factory_
            ->For<Pod>({.namespace_name = namespace_name}, {.streaming_lists = false,
                                                            .backoff = BackoffOptions{.initial = 1ms, .cap = 10ms},
                                                            .on_error =
                                                                [this](const Error& error) {
                                                                  const std::lock_guard lock(mutex_);
                                                                  errors_.push_back(ToString(error));
                                                                }})
            .Untyped();
    factory_->Start();
    return informer;
  }
  std::vector<std::string> Errors() {
    const std::lock_guard lock(mutex_);
    return errors_;
  }
  static std::vector<std::string> Names(const SharedInformer& informer) {
    std::vector<std::string> names;
    for (const ObjectPtr& object : informer.Lister().List()) names.emplace_back(object->Name());
    std::sort(names.begin(), names.end());
    return names;
  }
  static bool AwaitVersion(const SharedInformer& informer, const std::string& version) {
    return informer.WaitForResourceVersion(version, kPatience).ok();
  }

  /// Shared with the server's threads, which outlive this class.
  struct Script {
    std::mutex mutex;
    std::vector<Reply> lists;
    std::vector<Reply> watches;
  };
  const std::shared_ptr<Script> script_ = std::make_shared<Script>();

  std::mutex mutex_;
  std::vector<std::string> errors_;
  std::unique_ptr<SharedInformerFactory> factory_;
};

TEST_F(HostileData, AWatchLineWithoutEndIsCutOffAndTheInformerGoesOn) {
  Endless line;
  OnList(Reply::Json(PodList("5", {PodJson("a", "4")})));
  OnWatch(line.Body(R"({"type":"ADDED","object":{"spec":")", std::string(64U << 10U, 'x')));
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "100"));
  EXPECT_THAT(Errors(), Contains(HasSubstr("watch event is longer than")));
  EXPECT_LT(line.sent(), 96 * kMiB);
  EXPECT_THAT(Names(informer), ::testing::ElementsAre("last"));
}

TEST_F(HostileData, AListWithoutEndIsCutOffWhereItBringsNothing) {
  for (const auto& [begin, again] : std::vector<std::pair<std::string, std::string>>{
           {R"({"kind":"PodList","items":[)", std::string(64U << 10U, '\n')},
           {R"({"items":[{"metadata":{"name":")", std::string(64U << 10U, 'x')}}) {
    Endless body;
    const Error error = ErrorOfList(body.Body(begin, again));
    EXPECT_EQ(error.code, ErrorCode::kTooLarge) << begin << ": " << ToString(error);
    EXPECT_LT(body.sent(), 96 * kMiB) << begin;
  }
}

TEST_F(HostileData, AnAnswerWithoutEndIsCutOff) {
  Endless body;
  const Error error = ErrorOfGet(body.Body(R"({"metadata":{"name":")", std::string(64U << 10U, 'x')));
  EXPECT_EQ(error.code, ErrorCode::kTooLarge) << ToString(error);
  EXPECT_LT(body.sent(), 96 * kMiB);
  // Of an error response only a bounded part is read.
  Endless refusal;
  Reply forbidden = refusal.Body(R"({"kind":"Status","message":")", std::string(64U << 10U, 'x'));
  forbidden.status = 403;
  EXPECT_EQ(ErrorOfGet(std::move(forbidden)).http_status, 403);
  EXPECT_LT(refusal.sent(), 16 * kMiB);
}

TEST_F(HostileData, NestingIsReadToItsBoundAndNoDeeper) {
  const auto nested = [](std::size_t depth) {
    json pod = PodJson("a", "4");
    pod["spec"] = "*";
    std::string text = pod.dump();
    return text.replace(text.find("\"*\""), 3, std::string(depth, '[') + std::string(depth, ']'));
  };
  const auto list = [](const std::string& pod) {
    return Reply::Json(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[)" + pod +
                       "]}");
  };
  server_.Enqueue(Reply::Json(nested(100)));
  EXPECT_TRUE(Pods().Get({"default", "a"}).ok());
  server_.Enqueue(list(nested(100)));
  EXPECT_TRUE(Pods().List().ok());
  for (const std::size_t depth : {std::size_t{5'000}, std::size_t{100'000}, std::size_t{5'000'000}}) {
    const Error of_get = ErrorOfGet(Reply::Json(nested(depth)));
    EXPECT_EQ(of_get.code, ErrorCode::kMalformed) << ToString(of_get);
    const Error of_list = ErrorOfList(list(nested(depth)));
    EXPECT_EQ(of_list.code, ErrorCode::kMalformed) << ToString(of_list);
    const Error of_status = ErrorOfGet(Reply::Json(nested(depth), 500));
    EXPECT_EQ(of_status.http_status, 500) << ToString(of_status);
  }
  OnList(list(nested(100'000)));
  OnList(Reply::Json(PodList("5", {PodJson("a", "4")})));
  OnWatch(Watched(R"({"type":"ADDED","object":)" + nested(100'000) + "}\n"));
  const SharedInformer informer = Follow();
  EXPECT_TRUE(AwaitVersion(informer, "100"));
  EXPECT_EQ(Errors().size(), 2U) << "the list and the watch";
}

TEST_F(HostileData, ANestedDiscoveryDocumentIsReadOrRefused) {
  const std::size_t depth = 100'000;
  const std::string deep = R"({"groups":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
  server_.Handle([&](const ReceivedRequest&) { return Reply::Json(deep); });
  const auto catalog = client_->GetDiscovery().Discover();
  EXPECT_TRUE(!catalog.ok() || catalog->resources.empty());
}

TEST_F(HostileData, MoreGroupsOrResourcesThanAnyClusterHasAreNotAskedFor) {
  const auto many = [](std::size_t count, const auto& item) {
    std::string items;
    for (std::size_t i = 0; i < count; ++i) items += (i == 0 ? "" : ",") + item(std::to_string(i));
    return items;
  };
  const auto group = [](const std::string& i) { return R"({"name":"g)" + i + R"(","versions":[{"version":"v1"}]})"; };
  const auto resource = [](const std::string& i) {
    return R"({"name":"r)" + i + R"("},{"name":"r)" + i + R"(/status"})";
  };
  const std::string one = R"({"groups":[)" + group("0") + "]}";
  const struct {
    std::string groups;
    std::string resources;
    std::optional<ErrorCode> expected;
    std::size_t requests;
  } attacks[] = {
      {R"({"groups":[)" + many(1'000'000, group) + "]}", "{}", ErrorCode::kTooLarge, 2},
      {R"({"groups":[)" + many(20'000, group) + "]}", "{}", ErrorCode::kTooLarge, 2},
      {one, R"({"resources":[)" + many(110'000, resource) + "]}", ErrorCode::kTooLarge, 3},
      {one, R"({"resources":[)" + many(90'000, resource) + "]}", std::nullopt, 3},
  };
  for (const auto& attack : attacks) {
    const std::size_t before = server_.Requests().size();
    server_.Handle([&](const ReceivedRequest& request) {
      if (request.path == "/api") return Reply::Json("{}");
      return Reply::Json(request.path == "/apis" ? attack.groups : attack.resources);
    });
    const auto catalog = client_->GetDiscovery().Discover();
    EXPECT_EQ(server_.Requests().size() - before, attack.requests);
    EXPECT_EQ(catalog.ok(), !attack.expected);
    if (catalog) continue;
    EXPECT_EQ(catalog.error().code, attack.expected);
    EXPECT_THAT(catalog.error().message, HasSubstr("the discovery document has"));
  }
}

TEST_F(HostileData, AnotherContentThanJsonIsAnErrorThatShowsItsBeginning) {
  const std::string html = "<!DOCTYPE html><html><body><form action=\"/login\">Sign in</form></body></html>";
  const std::string protobuf("k8s\0\n\x0c\n\x02v1\x12\x06PodList", 19);
  for (const std::string& body :
       {html, protobuf, std::string("ok"), std::string("\xEF\xBB\xBF{}"), std::string("\x1f\x8b\x08\x00", 4)}) {
    const Reply reply{.body = body, .content_type = "text/html"};
    const Error of_get = ErrorOfGet(reply);
    EXPECT_EQ(of_get.code, ErrorCode::kMalformed) << ToString(of_get);
    const Error of_list = ErrorOfList(reply);
    EXPECT_EQ(of_list.code, ErrorCode::kMalformed) << ToString(of_list);
    EXPECT_THAT(of_list.message, HasSubstr("begins with"));
  }
  server_.Enqueue({.body = html, .content_type = "text/html"});
  EXPECT_EQ(client_->GetDiscovery().Version().error().code, ErrorCode::kMalformed);
  EXPECT_EQ(ErrorOfGet({.body = ""}).code, ErrorCode::kMalformed);
  EXPECT_EQ(ErrorOfList({.body = ""}).code, ErrorCode::kMalformed);

  OnList({.body = html, .content_type = "text/html"});
  OnList(Reply::Json(PodList("5", {PodJson("a", "4")})));
  OnWatch({.body = html + "\n", .content_type = "text/html"});
  const SharedInformer informer = Follow();
  EXPECT_TRUE(AwaitVersion(informer, "100"));
  EXPECT_EQ(Errors().size(), 2U);
  EXPECT_THAT(Errors().at(0), HasSubstr("<!DOCTYPE html>"));
}

TEST_F(HostileData, BytesThatAreNoTextAreErrors) {
  const std::string good = PodJson("a", "4").dump();
  const auto with = [&](std::string_view bytes) {
    std::string bad = good;
    return bad.replace(bad.find("u-a"), 3, bytes);
  };
  using std::string_view_literals::operator""sv;
  for (const std::string_view bytes :
       {"\xff\xfe"sv, "\xc0\xaf"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\0"sv, "\x01"sv, "\n"sv, "\\ud800"sv}) {
    const Error of_get = ErrorOfGet(Reply::Json(with(bytes)));
    EXPECT_EQ(of_get.code, ErrorCode::kMalformed) << ToString(of_get);
    const Error of_list = ErrorOfList(Reply::Json(R"({"items":[)" + with(bytes) + "]}"));
    EXPECT_EQ(of_list.code, ErrorCode::kMalformed) << ToString(of_list);
    for (const char c : ToString(of_get) + ToString(of_list)) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << "in the error itself";
    }
  }
  // An escaped NUL is an ordinary character.
  server_.Enqueue(Reply::Json(with("u\\u0000a")));
  const auto pod = Pods().Get({"default", "a"});
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->Uid(), "u\0a"sv);
}

TEST_F(HostileData, OfTwoValuesOfAKeyTheLastCountsForAllReaders) {
  const std::string twice =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default","name":"a"},)"
      R"("spec":{"nodeName":"x","nodeName":"y"}})";
  server_.Enqueue(Reply::Json(twice));
  const auto pod = Pods().Get({"default", "a"});
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->Name(), "a");
  EXPECT_EQ(pod->NodeName(), "y");
  EXPECT_EQ(ErrorOfList(Reply::Json(R"({"items":[],"items":[]})")).code, ErrorCode::kMalformed);
}

TEST_F(HostileData, AnAnswerToAnotherRequestIsNotTakenForAnObjectOfThisKind) {
  json secret = PodJson("a", "4");
  secret["kind"] = "Secret";
  const Error of_get = ErrorOfGet(Reply::Json(secret.dump()));
  EXPECT_THAT(of_get.message, HasSubstr("Secret"));
  const Error of_list = ErrorOfList(Reply::Json(PodList("5", {secret})));
  EXPECT_THAT(of_list.message, HasSubstr("Secret"));
  // An untyped client returns what it got, which names its own kind.
  server_.Enqueue(Reply::Json(secret.dump()));
  const auto untyped = Pods().Untyped().Get({"default", "a"});
  ASSERT_TRUE(untyped.ok());
  EXPECT_EQ((*untyped)->Kind(), "Secret");
}

TEST_F(HostileData, AListOfAnotherKindLeavesTheCacheAsItIs) {
  OnList(Reply::Json(PodList("5", {PodJson("a", "4"), PodJson("b", "5")})));
  OnWatch(Reply::Json(
      EventLine("ERROR", {{"kind", "Status"}, {"status", "Failure"}, {"code", 410}, {"reason", "Expired"}})));
  OnList(Reply::Json(
      R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"s"}}]})"));
  OnList(Reply::Json(PodList("9", {PodJson("a", "4"), PodJson("b", "5")})));
  const SharedInformer informer = Follow();
  std::atomic<int> deleted = 0;
  const auto registration =
      informer.AddEventHandler({.on_delete = [&](const Deleted<ObjectPtr>&) { ++deleted; }}).value();
  ASSERT_TRUE(AwaitVersion(informer, "9"));
  EXPECT_EQ(deleted, 0);
  EXPECT_THAT(Names(informer), ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(Errors(), Contains(HasSubstr("of another kind")));
}

TEST_F(HostileData, EventsOfAnotherKindOrNamespaceAreSkipped) {
  json secret = PodJson("secret", "6");
  secret["kind"] = "Secret";
  OnList(Reply::Json(PodList("5", {PodJson("a", "4"), PodJson("elsewhere", "4", "kube-system")})));
  OnWatch(Watched(EventLine("ADDED", secret) + EventLine("ADDED", PodJson("stray", "7", "kube-system")) +
                  EventLine("DELETED", PodJson("a", "8", "kube-system")) + EventLine("BOOKMARK", secret) +
                  EventLine("ADDED", PodJson("b", "9"))));
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "9"));
  EXPECT_THAT(Names(informer), ::testing::ElementsAre("a", "b"));
  const std::vector<std::string> log = log_.Get();
  EXPECT_EQ(std::count_if(log.begin(), log.end(),
                          [](const std::string& line) { return line.find("skipped an unexpected object") == 0; }),
            5);
}

TEST_F(HostileData, AVersionThatIsNoneIsReplacedByTheNewest) {
  // The next server rejects the resource version that a hostile bookmark supplied.
  OnList(Reply::Json(PodList("5", {PodJson("a", "4")})));
  json bookmark = {{"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", "absurd"}}}};
  OnWatch(Reply::Json(EventLine("BOOKMARK", bookmark)));
  OnWatch(Reply::Status(400, "BadRequest", "invalid resource version"));
  OnList(Reply::Status(400, "BadRequest", "invalid resource version"));
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "100"));
  const auto requests = server_.Requests();
  EXPECT_EQ(requests.at(3).Query("resourceVersion"), "absurd");
  EXPECT_EQ(requests.at(4).Query("resourceVersion"), "");
}

TEST_F(HostileData, AVersionOrATokenThatIsTooLongIsAnError) {
  const std::string huge(2U << 20U, '9');
  const Error of_list = ErrorOfList(Reply::Json(PodList(huge, {})));
  EXPECT_EQ(of_list.code, ErrorCode::kMalformed) << ToString(of_list).substr(0, 300);
  EXPECT_THAT(of_list.message, HasSubstr("resourceVersion"));
  const Error of_token = ErrorOfList(Reply::Json(R"({"metadata":{"continue":")" + huge + R"("},"items":[]})"));
  EXPECT_EQ(of_token.code, ErrorCode::kMalformed) << ToString(of_token).substr(0, 300);

  OnList(Reply::Json(PodList("5", {PodJson("a", "4")})));
  OnWatch(Watched(EventLine("ADDED", PodJson("b", huge))));
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "100"));
  EXPECT_THAT(Errors(), Contains(HasSubstr("resourceVersion")));
  for (const ReceivedRequest& request : server_.Requests()) EXPECT_LT(request.target.size(), 1000U);
}

TEST_F(HostileData, WithoutAVersionAListIsFollowedByAWatchFromNow) {
  OnList(Reply::Json(R"({"kind":"PodList","apiVersion":"v1","items":[]})"));
  OnWatch(Watched(EventLine("ADDED", PodJson("a", "8")) + EventLine("MODIFIED", PodJson("a", "9"))));
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "9"));
  EXPECT_EQ(server_.Requests().at(1).Query("resourceVersion"), "");
  EXPECT_THAT(Names(informer), ::testing::ElementsAre("a"));
}

TEST_F(HostileData, AHugeEventIsTakenAndLetGo) {
  json pod = PodJson("huge", "6");
  pod["metadata"]["annotations"] = {{"a", std::string(8U << 20U, 'x')}};
  OnList(Reply::Json(PodList("5", {})));
  OnWatch(Watched(EventLine("ADDED", pod) + EventLine("DELETED", PodJson("huge", "7"))));
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "7"));
  EXPECT_THAT(Names(informer), ::testing::IsEmpty());
  EXPECT_THAT(Errors(), ::testing::IsEmpty());
}

TEST_F(HostileData, PagesThatLeadNowhereAreAnError) {
  // First the same page forever, then ever new pages without items.
  server_.Handle([](const ReceivedRequest&) { return Reply::Json(R"({"metadata":{"continue":"again"},"items":[]})"); });
  EXPECT_EQ(Pods().List().error().code, ErrorCode::kMalformed);
  std::atomic<int> count = 0;
  server_.Handle([&](const ReceivedRequest&) {
    return Reply::Json(R"({"metadata":{"continue":"page-)" + std::to_string(++count) + R"("},"items":[]})");
  });
  EXPECT_EQ(Pods().List().error().code, ErrorCode::kMalformed);
  EXPECT_LT(count, 2000);

  count = 0;
  server_.Handle([&](const ReceivedRequest& request) {
    if (request.Query("watch") == "true") return Reply::Stream(StreamHandle());
    const int page = ++count;
    if (page > 1500) return Reply::Json(PodList("100", {PodJson("last", "99")}));
    return Reply::Json(R"({"kind":"PodList","metadata":{"continue":"page-)" + std::to_string(page) +
                       R"("},"items":[]})");
  });
  const SharedInformer informer = Follow();
  ASSERT_TRUE(AwaitVersion(informer, "100"));
  EXPECT_THAT(Errors(), Contains(HasSubstr("pages")));
}

TEST_F(HostileData, AnEnormousRetryAfterIsNotWaitedFor) {
  // A call returns the server's answer instead of waiting; an informer waits no longer than its back-off's cap.
  Reply busy = Reply::Status(429, "TooManyRequests", "later");
  busy.headers.emplace_back("Retry-After", "4294967295");
  const Client patient = NewClient({.logger = log_.logger(), .max_retries = 10});
  server_.Enqueue(busy);
  const auto pod = patient.For<Pod>().Get({"default", "a"});
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().http_status, 429);
  EXPECT_EQ(server_.Requests().size(), 1U);
  EXPECT_LE(pod.error().retry_after.value_or(0s), 24h);
}

}  // namespace
}  // namespace kinformer
