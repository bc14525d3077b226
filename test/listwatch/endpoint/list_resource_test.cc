#include "src/listwatch/endpoint/list_resource.h"

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/listwatch/endpoint/watch_timeout.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const TimePoint kNow = TimePoint() + 1h;

class NoEvents final : public WatchEventStream {
 public:
  Result<std::optional<WatchPart>> TryNext() override { return std::optional<WatchPart>(WatchEnd{}); }
  void NotifyWhenReady(std::function<void()> /*ready*/) override {}
};

/// Records the reads.
class RecordingStorage final : public ObjectStorage {
 public:
  explicit RecordingStorage(bool namespaced = true)
      : options_{.resource = {"", "v1", "things"}, .prefix = "/registry/things/", .namespaced = namespaced} {}

  std::vector<ListQuery> lists;
  std::vector<WatchQuery> watches;
  /// Answers the next read that can be suspended.
  bool suspend = false;

  const StorageOptions& options() const override { return options_; }
  Result<ObjectList> List(const ListQuery& query, const std::stop_token& /*stop*/) override {
    lists.push_back(query);
    if (Suspends(query.suspension)) return CancelledError();
    return ObjectList{.metadata = {.resource_version = "7"}};
  }
  Result<std::unique_ptr<WatchEventStream>> Watch(const WatchQuery& query, const std::stop_token& /*stop*/) override {
    watches.push_back(query);
    if (Suspends(query.suspension)) return CancelledError();
    return std::make_unique<NoEvents>();
  }
  Result<ObjectPtr> Create(const Object& /*object*/, std::chrono::seconds /*ttl*/, const std::stop_token&) override {
    return CancelledError();
  }
  Result<ObjectPtr> Get(const std::string&, const std::string&, const std::string&, const std::stop_token&) override {
    return CancelledError();
  }
  Result<ObjectPtr> GuaranteedUpdate(const std::string&, const std::string&, bool, const Preconditions&, const Change&,
                                     const std::stop_token&) override {
    return CancelledError();
  }
  Result<void> Ready() const override { return {}; }

 private:
  bool Suspends(Suspension* suspension) {
    if (suspension == nullptr || !std::exchange(suspend, false)) return false;
    suspension->wait = [](const std::function<void()>& resume) { resume(); };
    return true;
  }

  const StorageOptions options_;
};

FieldSelector Fields(const std::string& text) { return FieldSelector::Parse(text).value(); }

Result<ListResource> Accept(CollectionRequest request, double jitter = 0) {
  return ListResource::Accept(std::move(request), {}, kNow, jitter);
}

/// What the storage is asked for.
WatchQuery Watched(CollectionRequest request, double jitter = 0, bool namespaced = true) {
  RecordingStorage storage(namespaced);
  const Result<ListResource> accepted = Accept(std::move(request), jitter);
  EXPECT_TRUE(accepted && accepted->IsWatch());
  const Result<ListResource::Answer> answer = accepted->Read(storage, nullptr, {});
  EXPECT_TRUE(answer && std::holds_alternative<std::unique_ptr<WatchEventStream>>(*answer));
  return storage.watches.at(0);
}

ListQuery Listed(CollectionRequest request, bool namespaced = true) {
  RecordingStorage storage(namespaced);
  const Result<ListResource> accepted = Accept(std::move(request));
  EXPECT_TRUE(accepted && !accepted->IsWatch());
  const Result<ListResource::Answer> answer = accepted->Read(storage, nullptr, {});
  EXPECT_TRUE(answer && std::holds_alternative<ObjectList>(*answer));
  return storage.lists.at(0);
}

std::vector<std::string> Causes(CollectionRequest request) {
  std::vector<std::string> causes;
  const Result<ListResource> accepted = Accept(std::move(request));
  if (accepted) return causes;
  EXPECT_EQ(accepted.error().http_status, 422);
  EXPECT_EQ(accepted.error().details.kind, "ListOptions");
  for (const ErrorCause& cause : accepted.error().details.causes) causes.push_back(cause.field + ": " + cause.message);
  return causes;
}

TEST(ListResourceTest, ACollectionIsListedUnlessTheRequestSaysWatch) {
  EXPECT_FALSE(Accept({})->IsWatch());
  EXPECT_TRUE(Accept({.parameters = {.watch = true}})->IsWatch());
  EXPECT_TRUE(Accept({.force_watch = true})->IsWatch());
}

TEST(ListResourceTest, AListPassesItsParametersOn) {
  const ListQuery query = Listed({.namespace_name = "ns",
                                  .parameters = {.label_selector = LabelSelector::Parse("app=web").value(),
                                                 .field_selector = Fields("spec.nodeName=n1"),
                                                 .resource_version = "5",
                                                 .resource_version_match = "Exact",
                                                 .limit = 10}});
  EXPECT_EQ(query.namespace_name, "ns");
  EXPECT_EQ(query.name, "");
  EXPECT_EQ(ToString(query.predicate.labels), "app=web");
  EXPECT_EQ(ToString(query.predicate.fields), "spec.nodeName=n1");
  EXPECT_EQ(query.resource_version, "5");
  EXPECT_EQ(query.match, VersionMatch::kExact);
  EXPECT_EQ(query.limit, 10);
  EXPECT_EQ(Listed({.parameters = {.continue_token = "abc"}}).continue_token, "abc");
  EXPECT_EQ(Listed({.parameters = {.limit = -1}}).limit, 0);
}

TEST(ListResourceTest, AWatchPassesItsParametersOn) {
  const WatchQuery query = Watched({.parameters = {.watch = true,
                                                   .resource_version = "5",
                                                   .resource_version_match = "NotOlderThan",
                                                   .send_initial_events = false,
                                                   .allow_watch_bookmarks = true}});
  EXPECT_EQ(query.resource_version, "5");
  EXPECT_EQ(query.match, VersionMatch::kNotOlderThan);
  EXPECT_EQ(query.send_initial_events, false);
  EXPECT_TRUE(query.allow_bookmarks);
}

TEST(ListResourceTest, ANameInThePathIsAFieldSelector) {
  const WatchQuery query = Watched({.namespace_name = "ns", .name = "a", .force_watch = true});
  EXPECT_EQ(ToString(query.predicate.fields), "metadata.name=a");
  EXPECT_EQ(query.name, "a") << "and so a single key";

  const CollectionRequest agreeing{.namespace_name = "ns",
                                   .name = "a",
                                   .force_watch = true,
                                   .parameters = {.field_selector = Fields("metadata.name=a,spec.x=1")}};
  EXPECT_EQ(ToString(Watched(agreeing).predicate.fields), "metadata.name=a,spec.x=1");

  for (const char* other : {"metadata.name=b", "status.phase=Running", "metadata.name!=a"}) {
    const Result<ListResource> refused =
        Accept({.name = "a", .force_watch = true, .parameters = {.field_selector = Fields(other)}});
    ASSERT_FALSE(refused) << other;
    EXPECT_EQ(refused.error().http_status, 400);
    EXPECT_EQ(refused.error().message, "fieldSelector metadata.name doesn't match requested name");
  }
}

TEST(ListResourceTest, ASelectedNameIsASingleKeyOnlyIfItsNamespaceIsKnown) {
  const ListParameters by_name{.field_selector = Fields("metadata.name=a")};
  EXPECT_EQ(Listed({.namespace_name = "ns", .parameters = by_name}).name, "a");
  EXPECT_EQ(Listed({.parameters = by_name}).name, "");
  EXPECT_EQ(Listed({.parameters = by_name}, /*namespaced=*/false).name, "a");

  ListParameters continued = by_name;
  continued.continue_token = "abc";
  EXPECT_EQ(Listed({.namespace_name = "ns", .parameters = continued}).name, "");

  const ListParameters no_key{.field_selector = Fields("metadata.name=a/b")};
  EXPECT_EQ(Listed({.namespace_name = "ns", .parameters = no_key}).name, "") << "the list is empty, not an error";
}

TEST(ListResourceTest, OnlyFieldsThatTheResourceKnowsAreSelectable) {
  const FieldCheck check = [](const std::string& field) -> Result<void> {
    if (field == "spec.nodeName") return {};
    return BadRequestError("field label not supported: " + field);
  };
  const auto message = [&](const char* selector) {
    const Result<ListResource> accepted =
        ListResource::Accept({.parameters = {.field_selector = Fields(selector)}}, check, kNow, 0);
    return accepted ? std::string() : accepted.error().message;
  };
  EXPECT_EQ(message("spec.nodeName=n1,metadata.name=a,metadata.namespace=ns"), "");
  EXPECT_EQ(message("spec.nodeName=n1,spec.priority=1"), "field label not supported: spec.priority");
}

TEST(ListResourceTest, AWatchFromTheBeginningStartsWithTheCurrentObjects) {
  for (const char* version : {"", "0"}) {
    const WatchQuery query = Watched({.parameters = {.watch = true, .resource_version = version}});
    EXPECT_EQ(query.send_initial_events, true) << version;
    EXPECT_EQ(query.match, VersionMatch::kNotOlderThan) << version;
  }
  EXPECT_FALSE(Watched({.parameters = {.watch = true, .resource_version = "5"}}).send_initial_events);
}

TEST(ListResourceTest, ParametersOfAListThatExcludeEachOtherAreAllNamed) {
  EXPECT_THAT(Causes({.parameters = {.resource_version_match = "Exact", .continue_token = "x"}}),
              ElementsAre("resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
                          "is provided",
                          "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is "
                          "provided"));
  EXPECT_THAT(Causes({.parameters = {.resource_version = "0", .resource_version_match = "Exact"}}),
              ElementsAre("resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for "
                          "resourceVersion \"0\""));
  EXPECT_THAT(Causes({.parameters = {.resource_version = "1", .resource_version_match = "Newest"}}),
              ElementsAre("resourceVersionMatch: Unsupported value: \"Newest\": supported values: \"Exact\", "
                          "\"NotOlderThan\", \"\""));
  EXPECT_THAT(Causes({.parameters = {.send_initial_events = false}}),
              ElementsAre("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"));
  EXPECT_THAT(Causes({.parameters = {.resource_version = "0", .resource_version_match = "NotOlderThan"}}),
              ElementsAre());
}

TEST(ListResourceTest, ParametersOfAWatchThatExcludeEachOtherAreAllNamed) {
  EXPECT_THAT(Causes({.parameters = {.watch = true, .send_initial_events = false}}),
              ElementsAre("resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                          "NotOlderThan"));
  EXPECT_THAT(Causes({.parameters = {.watch = true,
                                     .resource_version = "1",
                                     .resource_version_match = "Exact",
                                     .send_initial_events = true}}),
              ElementsAre("resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch "
                          "to NotOlderThan",
                          "resourceVersionMatch: Unsupported value: \"Exact\": supported values: \"NotOlderThan\""));
  EXPECT_THAT(
      Causes({.parameters = {.watch = true, .resource_version = "1", .resource_version_match = "NotOlderThan"}}),
      ElementsAre("resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless "
                  "sendInitialEvents is provided"));
  EXPECT_THAT(
      Causes({.parameters = {.watch = true, .continue_token = "x"}}),
      ElementsAre("resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided"));
  EXPECT_THAT(Causes({.parameters = {.watch = true, .resource_version = "5", .continue_token = "x"}}), ElementsAre());
}

TEST(ListResourceTest, APathThatIsAlwaysAWatchValidatesItsParametersAsThoseOfAList) {
  EXPECT_THAT(Causes({.force_watch = true,
                      .parameters = {.resource_version_match = "NotOlderThan", .send_initial_events = true}}),
              ElementsAre("resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
                          "is provided",
                          "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"));
  const WatchQuery query =
      Watched({.force_watch = true, .parameters = {.resource_version = "5", .resource_version_match = "NotOlderThan"}});
  EXPECT_EQ(query.match, VersionMatch::kUnset);
  EXPECT_EQ(query.resource_version, "5");
}

TEST(ListResourceTest, AWatchEndsWhenItsClientSaysOrAfterThirtyToSixtyMinutes) {
  const auto deadline = [](std::int64_t seconds, double jitter) {
    return *Watched({.parameters = {.watch = true, .timeout_seconds = seconds}}, jitter).deadline;
  };
  EXPECT_EQ(deadline(7, 0.5), kNow + 7s);
  EXPECT_EQ(deadline(0, 0), kNow + 30min);
  EXPECT_EQ(deadline(0, 0.5), kNow + 45min);
  EXPECT_EQ(deadline(-5, 0.5), kNow);
  EXPECT_EQ(deadline(std::numeric_limits<std::int64_t>::max(), 0), kNow + kMaxWatchTimeout);
}

TEST(ListResourceTest, ASuspendedReadIsRepeatedWithTheSameQuery) {
  RecordingStorage storage;
  storage.suspend = true;
  const Result<ListResource> watch = Accept({.parameters = {.watch = true}}, 0.25);
  ASSERT_TRUE(watch);
  Suspension suspension;
  EXPECT_FALSE(watch->Read(storage, &suspension, {}));
  ASSERT_TRUE(suspension.wait);
  suspension.wait = nullptr;
  EXPECT_TRUE(watch->Read(storage, &suspension, {}));
  ASSERT_EQ(storage.watches.size(), 2U);
  EXPECT_EQ(storage.watches[0].suspension, &suspension);
  EXPECT_EQ(storage.watches[0].deadline, storage.watches[1].deadline);
}

}  // namespace
}  // namespace kinformer::apiserver
