#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kinformer/base/fake_clock.h>

#include "src/apiserver/access/request_info.h"
#include "src/apiserver/endpoints/discovery_text.h"
#include "src/apiserver/endpoints/list_text.h"
#include "src/apiserver/endpoints/media_types.h"
#include "src/apiserver/endpoints/request_options.h"
#include "src/apiserver/endpoints/request_pool.h"
#include "src/apiserver/endpoints/request_tracker.h"
#include "src/apiserver/endpoints/storage_probe.h"
#include "src/apiserver/registry/served_kind.h"
#include "src/base/mutex.h"
#include "src/base/task_pool.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;

using nlohmann::json;

const ServedKind& KindOf(const std::string& resource) {
  for (const ServedKind& kind : BuiltInKinds()) {
    if (kind.resource.resource == resource) return kind;
  }
  throw std::out_of_range(resource);
}

RequestInfo Info(const std::string& path, const std::string& query = "", const std::string& method = "GET") {
  return ParseRequestInfo(method, path, query).value();
}

std::string Joined(const std::vector<Buffer>& parts) {
  std::string text;
  for (const Buffer& part : parts) text += part.bytes;
  return text;
}

HttpRequest With(const std::string& header, const std::string& value) {
  HttpRequest request;
  request.headers.push_back({header, value});
  request.body = "{}";
  return request;
}

TEST(MediaTypesTest, TheBestThatAClientAcceptsIsChosen) {
  const std::string metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  EXPECT_EQ(NegotiateForm({}).value(), AcceptedForm::kWhole);
  EXPECT_EQ(NegotiateForm(With("Accept", "*/*")).value(), AcceptedForm::kWhole);
  EXPECT_EQ(NegotiateForm(With("Accept", "application/vnd.kubernetes.protobuf,application/json")).value(),
            AcceptedForm::kWhole);
  EXPECT_EQ(NegotiateForm(With("Accept", metadata + ",application/json")).value(), AcceptedForm::kMetadata);
  EXPECT_EQ(NegotiateForm(With("Accept", metadata + ";q=0.5,application/json")).value(), AcceptedForm::kWhole);
  EXPECT_EQ(NegotiateForm(With("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")).value(),
            AcceptedForm::kTable);
  for (const char* none :
       {"text/html", "application/yaml", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json;q=0"}) {
    const Result<AcceptedForm> form = NegotiateForm(With("Accept", none));
    ASSERT_FALSE(form) << none;
    EXPECT_EQ(form.error().http_status, 406);
  }
}

TEST(MediaTypesTest, BodiesOfUnknownTypesAreRefused) {
  EXPECT_EQ(ReadBodyType(With("Content-Type", "application/json; charset=utf-8")).value(), BodyType::kJson);
  EXPECT_EQ(ReadBodyType({}).value(), BodyType::kJson);
  EXPECT_EQ(ReadBodyType(With("Content-Type", "application/vnd.kubernetes.protobuf")).value(), BodyType::kProtobuf);
  EXPECT_EQ(ReadBodyType({.headers = {{"Content-Type", "application/yaml"}}, .body = "a: b"}).value(), BodyType::kYaml);
  for (const char* type : {"application/cbor", "text/plain"}) {
    const Result<BodyType> checked = ReadBodyType(With("Content-Type", type));
    ASSERT_FALSE(checked) << type;
    EXPECT_EQ(checked.error().http_status, 415);
    EXPECT_EQ(checked.error().message,
              "the body of the request was in an unknown format - accepted media types include: application/json, "
              "application/yaml, application/vnd.kubernetes.protobuf");
  }
}

TEST(MediaTypesTest, APatchSaysOfWhatKindItIs) {
  const ServedKind& pods = KindOf("pods");
  const auto read = [](const std::string& type, const ServedKind& kind) {
    return ReadPatchKind(With("Content-Type", type.c_str()), kind);
  };
  EXPECT_EQ(read("application/json-patch+json", pods).value(), PatchKind::kJson);
  EXPECT_EQ(read("application/merge-patch+json", pods).value(), PatchKind::kMerge);
  EXPECT_EQ(read("application/strategic-merge-patch+json", pods).value(), PatchKind::kStrategic);
  EXPECT_EQ(read("application/apply-patch+yaml", pods).value(), PatchKind::kApply);
  const Result<PatchKind> none = read("application/json", pods);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().http_status, 415);
  EXPECT_EQ(none.error().message, "415: Unsupported Media Type");
}

TEST(MediaTypesTest, AKindThatAUserDefinedTakesNoStrategicPatches) {
  ServedKind kind{.resource = {"example.com", "v1", "webs"}, .kind = "Web"};
  kind.schema = std::make_shared<const KindSchema>();
  EXPECT_EQ(ReadPatchKind(With("Content-Type", "application/apply-patch+yaml"), kind).value(), PatchKind::kApply);
  const Result<PatchKind> refused = ReadPatchKind(With("Content-Type", "application/strategic-merge-patch+json"), kind);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().http_status, 415);
  EXPECT_EQ(refused.error().message,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

TEST(RequestOptionsTest, WhoAppliesSaysWhoHeIsAndOnlyHeForces) {
  const auto read = [](const char* query, PatchKind kind) {
    return ReadPatchParameters(Info("/api/v1/namespaces/ns/pods/a", query), kind);
  };
  const Result<WriteParameters> applied = read("fieldManager=me&force=true", PatchKind::kApply);
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->field_manager, "me");
  EXPECT_TRUE(applied->force);
  EXPECT_FALSE(read("fieldManager=me", PatchKind::kApply)->force);
  EXPECT_TRUE(read("", PatchKind::kMerge));

  const Result<WriteParameters> nameless = read("force=true", PatchKind::kApply);
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().http_status, 422);
  EXPECT_EQ(nameless.error().message,
            R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch)");
  const Result<WriteParameters> forced = read("fieldManager=me&force=true", PatchKind::kMerge);
  ASSERT_FALSE(forced);
  EXPECT_EQ(forced.error().http_status, 422);
  EXPECT_EQ(forced.error().message,
            R"(PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch)");
  const Result<WriteParameters> odd = read("fieldManager=a%0Ab", PatchKind::kApply);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().http_status, 422);
  EXPECT_THAT(odd.error().message, testing::HasSubstr("invalid character U+000A (at position 1)"));
}

TEST(RequestOptionsTest, AListOrWatchIsReadFromThePathAndTheQuery) {
  const Result<CollectionRequest> list = ReadCollectionRequest(
      Info("/api/v1/namespaces/ns/pods",
           "labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dn1&resourceVersion=5&resourceVersionMatch=Exact&"
           "limit=10&continue=abc"));
  ASSERT_TRUE(list) << ToString(list.error());
  EXPECT_EQ(list->namespace_name, "ns");
  EXPECT_EQ(list->name, "");
  EXPECT_FALSE(list->force_watch);
  EXPECT_FALSE(list->parameters.watch);
  EXPECT_EQ(ToString(list->parameters.label_selector), "app=web");
  EXPECT_EQ(ToString(list->parameters.field_selector), "spec.nodeName=n1");
  EXPECT_EQ(list->parameters.resource_version, "5");
  EXPECT_EQ(list->parameters.resource_version_match, "Exact");
  EXPECT_EQ(list->parameters.limit, 10);
  EXPECT_EQ(list->parameters.continue_token, "abc");
  EXPECT_FALSE(list->parameters.send_initial_events);

  const Result<CollectionRequest> watch =
      ReadCollectionRequest(Info("/api/v1/namespaces",
                                 "watch=1&timeoutSeconds=7&allowWatchBookmarks=true&sendInitialEvents=false&"
                                 "resourceVersionMatch=NotOlderThan"));
  ASSERT_TRUE(watch) << ToString(watch.error());
  EXPECT_TRUE(watch->parameters.watch);
  EXPECT_EQ(watch->parameters.timeout_seconds, 7);
  EXPECT_TRUE(watch->parameters.allow_watch_bookmarks);
  EXPECT_EQ(watch->parameters.send_initial_events, false);
  EXPECT_EQ(watch->namespace_name, "");

  const Result<CollectionRequest> named = ReadCollectionRequest(Info("/api/v1/watch/namespaces/ns/pods/a"));
  ASSERT_TRUE(named) << ToString(named.error());
  EXPECT_TRUE(named->force_watch);
  EXPECT_EQ(named->name, "a");
}

TEST(RequestOptionsTest, BadOnesAreRefusedWithTheStatusOfARealServer) {
  const auto status = [](const std::string& query) {
    const Result<CollectionRequest> read = ReadCollectionRequest(Info("/api/v1/pods", query));
    return read ? 200 : read.error().http_status;
  };
  EXPECT_EQ(status("limit=ten"), 400);
  EXPECT_EQ(status("limit=99999999999999999999"), 400);
  EXPECT_EQ(status("watch=true&limit=ten"), 400) << "though a watch does not heed it";
  EXPECT_EQ(status("labelSelector=a+in+("), 400);
  EXPECT_EQ(status("fieldSelector=nonsense"), 400);
  EXPECT_EQ(status("limit="), 200);
  EXPECT_EQ(status("timeoutSeconds=soon"), 400) << "though a list does not heed it";
}

TEST(RequestOptionsTest, OnlySelectableFieldsMayBeSelected) {
  const auto message = [](const ServedKind& kind, const std::string& field) {
    const Result<void> checked = SelectableFieldCheck(kind)(field);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message(KindOf("pods"), "spec.nodeName"), "");
  EXPECT_EQ(message(KindOf("pods"), "spec.priority"), "field label not supported: spec.priority");
  EXPECT_EQ(message(KindOf("configmaps"), "data.a"),
            R"("data.a" is not a known field selector: only "metadata.name", "metadata.namespace")");
}

TEST(RequestOptionsTest, WhatIsNoNumberIsToldInTheWordsOfARealServer) {
  const auto message = [](const std::string& query) {
    return ReadCollectionRequest(Info("/api/v1/pods", query)).error().message;
  };
  EXPECT_EQ(message("limit=ten"), R"(strconv.ParseInt: parsing "ten": invalid syntax)");
  EXPECT_EQ(message("limit=5x"), R"(strconv.ParseInt: parsing "5x": invalid syntax)");
  EXPECT_EQ(message("limit=99999999999999999999"),
            R"(strconv.ParseInt: parsing "99999999999999999999": value out of range)");
}

TEST(RequestOptionsTest, AllThatIsWrongWithAWritesOptionsIsTold) {
  const auto bad = ReadWriteParameters(
      Info("/api/v1/pods", "dryRun=Some&dryRun=&fieldValidation=Odd&fieldManager=" + std::string(129, 'x')),
      "CreateOptions");
  ASSERT_FALSE(bad);
  EXPECT_EQ(
      bad.error().message,
      "CreateOptions.meta.k8s.io \"\" is invalid: [fieldManager: Too long: may not be more than 128 bytes, dryRun: "
      "Unsupported value: [\"Some\",\"\"]: supported values: \"All\", fieldValidation: Unsupported value: "
      "\"Odd\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"]");
}

TEST(RequestOptionsTest, WritesAreReadFromTheQuery) {
  const Result<WriteParameters> good =
      ReadWriteParameters(Info("/api/v1/pods", "dryRun=All&fieldManager=me&fieldValidation=Strict"), "CreateOptions");
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->dry_run);
  EXPECT_EQ(good->field_manager, "me");
  for (const std::string& query :
       {std::string("dryRun=Some"), std::string("fieldValidation=Perhaps"), "fieldManager=" + std::string(129, 'x')}) {
    const Result<WriteParameters> bad = ReadWriteParameters(Info("/api/v1/pods", query), "CreateOptions");
    ASSERT_FALSE(bad) << query;
    EXPECT_EQ(bad.error().http_status, 422) << query;
  }
}

TEST(RequestOptionsTest, DeleteOptionsComeInTheBodyOrTheQuery) {
  const RequestInfo info =
      Info("/api/v1/namespaces/ns/pods/a", "gracePeriodSeconds=5&propagationPolicy=Orphan", "DELETE");
  const Result<DeleteRequest> from_query = ReadDeleteRequest(info, "");
  ASSERT_TRUE(from_query);
  EXPECT_EQ(from_query->parameters.grace_period_seconds, 5);
  EXPECT_EQ(from_query->parameters.propagation_policy, "Orphan");
  const Result<DeleteRequest> from_body = ReadDeleteRequest(
      info, R"({"gracePeriodSeconds":0,"preconditions":{"uid":"u","resourceVersion":"7"},"dryRun":["All"],
                "orphanDependents":false})");
  ASSERT_TRUE(from_body) << ToString(from_body.error());
  EXPECT_EQ(from_body->parameters.grace_period_seconds, 0);
  EXPECT_EQ(from_body->parameters.preconditions.uid, "u");
  EXPECT_EQ(from_body->parameters.preconditions.resource_version, "7");
  EXPECT_TRUE(from_body->parameters.dry_run);
  EXPECT_TRUE(from_body->accepted_is_202);
  for (const char* body : {"[]", "{", R"({"gracePeriodSeconds":"5"})", R"({"kind":"Pod"})", R"({"dryRun":"All"})",
                           R"({"preconditions":{"uid":1}})"}) {
    const Result<DeleteRequest> bad = ReadDeleteRequest(info, body);
    ASSERT_FALSE(bad) << body;
    EXPECT_EQ(bad.error().http_status, 400) << body;
  }
  EXPECT_EQ(ReadDeleteRequest(info, R"({"propagationPolicy":"Maybe"})").error().http_status, 422);
  EXPECT_EQ(ReadDeleteRequest(info, R"({"propagationPolicy":"Orphan","orphanDependents":true})").error().http_status,
            422);
}

TEST(ListTextTest, ItemsAreTheObjectsOwnTextsWithoutKind) {
  ObjectList list{.metadata = {.resource_version = "9", .continue_token = "next", .remaining_item_count = 3}};
  const std::string own = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})";
  list.items.push_back(Object::Parse(own).value());
  list.items.push_back(Object::Parse(R"({"kind":"Pod","metadata":{"name":"b"},"apiVersion":"v1"})").value());
  list.items.push_back(Object::Parse(own).value());
  const std::vector<Buffer> parts = ListText(KindOf("pods"), list, ObjectForm::kWhole);
  EXPECT_EQ(json::parse(Joined(parts)), json::parse(R"({"kind":"PodList","apiVersion":"v1",
                            "metadata":{"resourceVersion":"9","continue":"next","remainingItemCount":3},
                            "items":[{"metadata":{"name":"a"}},
                                     {"kind":"Pod","metadata":{"name":"b"},"apiVersion":"v1"},
                                     {"metadata":{"name":"a"}}]})"));
  const bool shared = std::any_of(parts.begin(), parts.end(), [&](const Buffer& part) {
    return part.owner == list.items[0] && part.bytes.data() > list.items[0]->Json().data() &&
           part.bytes.end() == list.items[0]->Json().end();
  });
  EXPECT_TRUE(shared);
  const json metadata = json::parse(Joined(ListText(KindOf("pods"), list, ObjectForm::kMetadata)));
  EXPECT_EQ(metadata["kind"], "PartialObjectMetadataList");
  EXPECT_EQ(metadata["items"][1]["kind"], "PartialObjectMetadata");
  EXPECT_EQ(json::parse(Joined(ListText(KindOf("pods"), {}, ObjectForm::kWhole)))["items"], json::array());
}

TEST(DiscoveryTextTest, ResourcesAndSubresourcesAreListed) {
  const json core = json::parse(ApiResourceListText(BuiltInKinds(), "", "v1").value());
  EXPECT_EQ(core["groupVersion"], "v1");
  std::vector<std::string> names;
  for (const json& resource : core["resources"]) names.push_back(resource["name"]);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"pods", "pods/status", "configmaps", "namespaces", "namespaces/status"}));
  const json apps = json::parse(ApiResourceListText(BuiltInKinds(), "apps", "v1").value());
  const auto scale = std::find_if(apps["resources"].begin(), apps["resources"].end(),
                                  [](const json& resource) { return resource["name"] == "deployments/scale"; });
  ASSERT_NE(scale, apps["resources"].end());
  EXPECT_EQ((*scale)["group"], "autoscaling");
  EXPECT_FALSE(ApiResourceListText(BuiltInKinds(), "apps", "v2"));
  EXPECT_FALSE(ApiGroupText(BuiltInKinds(), "example.com"));
}

TEST(RequestTrackerTest, ThereIsRoomForSoManyAndNoMore) {
  TaskPool pool;
  RequestTracker tracker(pool, {.read_only = 2, .mutating = 1});
  auto first = tracker.Begin(RequestKind::kReadOnly);
  auto second = tracker.Begin(RequestKind::kReadOnly);
  EXPECT_EQ(tracker.Begin(RequestKind::kReadOnly), nullptr);
  EXPECT_NE(tracker.Begin(RequestKind::kMutating), nullptr);
  std::vector<std::shared_ptr<RequestTracker::Ticket>> watches;
  for (int i = 0; i < 10; ++i) watches.push_back(tracker.Begin(RequestKind::kLongRunning));
  EXPECT_NE(watches.back(), nullptr);
  first.reset();
  EXPECT_NE(tracker.Begin(RequestKind::kReadOnly), nullptr);
  EXPECT_EQ(tracker.Count(RequestKind::kReadOnly), 1U);
}

TEST(RequestTrackerTest, ARequestThatTakesTooLongIsStopped) {
  const auto clock = std::make_shared<FakeClock>();
  TaskPool pool({.threads = 1, .clock = clock});
  pool.Start();
  {
    RequestTracker tracker(pool, {.timeout = std::chrono::seconds(60)});
    const auto ticket = tracker.Begin(RequestKind::kReadOnly);
    const std::stop_token stop = ticket->stop.get_token();
    for (int second = 0; second < 59; ++second) {
      clock->AwaitWaiters(1);
      clock->Advance(std::chrono::seconds(1));
    }
    clock->AwaitWaiters(1);
    EXPECT_FALSE(stop.stop_requested());
    clock->Advance(std::chrono::seconds(1));
    while (!stop.stop_requested()) std::this_thread::yield();
    const auto other = tracker.Begin(RequestKind::kMutating);
    tracker.StopAll();
    EXPECT_TRUE(other->stop.stop_requested());
  }
  pool.Stop();
}

TEST(RequestPoolTest, TasksRunAtTheSameTimeAndStopWaitsForThem) {
  RequestPool pool(2);
  pool.Start();
  std::atomic<int> running = 0;
  std::atomic<int> done = 0;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(pool.Post([&] {
      ++running;
      while (running < 2) std::this_thread::yield();
      ++done;
    }));
  }
  while (running < 2) std::this_thread::yield();
  pool.Stop();
  EXPECT_EQ(done, 2);
  EXPECT_FALSE(pool.Post([] {}));
  pool.Stop();
}

TEST(RequestTrackerTest, HealthHasRoomOfItsOwn) {
  TaskPool pool;
  RequestTracker tracker(pool, {.read_only = 1, .health = 2});
  const auto list = tracker.Begin(RequestKind::kReadOnly);
  EXPECT_EQ(tracker.Begin(RequestKind::kReadOnly), nullptr);
  const auto first = tracker.Begin(RequestKind::kHealth);
  const auto second = tracker.Begin(RequestKind::kHealth);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(tracker.Begin(RequestKind::kHealth), nullptr);
}

TEST(RequestPoolTest, TasksThatBlockOnTheStorageLeaveThreadsToTheOthers) {
  RequestPool pool(2, 1);
  pool.Start();
  std::atomic<bool> hangs = true;
  std::atomic<int> blocked = 0;
  std::atomic<int> done = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(pool.Post([&] {
      ++blocked;
      while (hangs) std::this_thread::yield();
      ++done;
    }));
  }
  while (blocked < 2) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) {
    std::atomic<bool> ran = false;
    EXPECT_TRUE(pool.Post([&] { ran = true; }, RequestLane::kMemory));
    while (!ran) std::this_thread::yield();
  }
  EXPECT_EQ(blocked, 2);
  hangs = false;
  while (done < 5) std::this_thread::yield();
  pool.Stop();
}

TEST(RequestPoolTest, TasksOfBothLanesBeginInTheirOrder) {
  RequestPool pool(1);
  pool.Start();
  std::atomic<bool> hangs = true;
  std::atomic<bool> begun = false;
  EXPECT_TRUE(pool.Post([&] {
    begun = true;
    while (hangs) std::this_thread::yield();
  }));
  while (!begun) std::this_thread::yield();
  std::vector<int> order;
  std::atomic<int> done = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(pool.Post(
        [&, i] {
          order.push_back(i);
          ++done;
        },
        i % 2 == 0 ? RequestLane::kMemory : RequestLane::kStorage));
  }
  hangs = false;
  while (done < 4) std::this_thread::yield();
  pool.Stop();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

/// A storage that answers when the test says so.
class StorageProbeTest : public ::testing::Test {
 protected:
  StorageProbeTest() {
    pool_.Start();
    probe_.Start();
  }
  ~StorageProbeTest() override {
    Answer({});
    probe_.Stop();
    pool_.Stop();
  }

  void Answer(Result<void> answer) {
    {
      const MutexLock lock(mutex_);
      answer_ = std::move(answer);
    }
    changed_.NotifyAll();
  }
  /// The error's message; empty on success.
  std::future<std::string> Check() {
    auto told = std::make_shared<std::promise<std::string>>();
    probe_.Check([told](const Result<void>& answer) { told->set_value(answer ? "" : answer.error().message); });
    return told->get_future();
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  Mutex mutex_;
  CondVar changed_;
  std::optional<Result<void>> answer_ KINFORMER_GUARDED_BY(mutex_);
  std::atomic<bool> heeds_stops_ = true;
  std::atomic<int> asked_ = 0;
  StorageProbe probe_{pool_, {.ask = [this](const std::stop_token& stop) -> Result<void> {
                        ++asked_;
                        MutexLock lock(mutex_);
                        changed_.Wait(lock, heeds_stops_ ? stop : std::stop_token(),
                                      [this]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return !!answer_; });
                        if (!answer_) return Error{.code = ErrorCode::kCancelled, .message = "stopped"};
                        return *answer_;
                      }}};
};

TEST_F(StorageProbeTest, OneQuestionServesAllThatWait) {
  auto first = Check();
  while (asked_ == 0) std::this_thread::yield();
  auto second = Check();
  Answer(Error{.code = ErrorCode::kUnreachable, .message = "gone"});
  EXPECT_EQ(first.get(), "gone");
  EXPECT_EQ(second.get(), "gone");
  EXPECT_EQ(asked_, 1);
  Answer({});
  EXPECT_EQ(Check().get(), "");
}

TEST_F(StorageProbeTest, AStorageThatDoesNotAnswerInTimeIsSaidToBeSilent) {
  auto first = Check();
  clock_->AwaitWaiters(1);
  clock_->Advance(std::chrono::seconds(2));
  EXPECT_EQ(first.get(), "storage did not respond within 2.00 s");
  Answer({});
  // The cancelled check may still be running.
  while (!Check().get().empty()) std::this_thread::yield();
}

TEST_F(StorageProbeTest, WhileAQuestionIsOverdueTheAnswerIsKnown) {
  heeds_stops_ = false;
  auto first = Check();
  while (asked_ == 0) std::this_thread::yield();
  clock_->AwaitWaiters(1);
  clock_->Advance(std::chrono::seconds(2));
  EXPECT_EQ(first.get(), "storage did not respond within 2.00 s");
  EXPECT_EQ(Check().get(), "storage did not respond within 2.00 s") << "at once, though the clock stands still";
  EXPECT_EQ(asked_, 1);
}

}  // namespace
}  // namespace kinformer::apiserver
