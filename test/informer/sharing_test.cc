// Which requests for an informer share one, and option combinations that are refused.

#include <atomic>
#include <chrono>
#include <future>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

#include "test/support/leak_check.h"
#include "test/support/model_server.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::ConfigMap;
using ::testing::HasSubstr;

Client NoClient() { return Client::Create({.server = "http://127.0.0.1:1"}).value(); }

Transform DropEverything() {
  return [](const ObjectPtr&) -> Result<ObjectPtr> { return nullptr; };
}

class SharingTest : public ::testing::Test {
 protected:
  SharedInformerFactory factory_{NoClient(), {.logger = Logger::None()}};
};

TEST_F(SharingTest, TwoApiVersionsOfAResourceAreTwoInformers) {
  Resource resource{.gvr = {"example.com", "v1", "webs"}, .kind = "Web"};
  const SharedInformer v1 = factory_.ForResource(resource);
  resource.gvr.version = "v2";
  const SharedInformer v2 = factory_.ForResource(resource);
  const SharedInformer again = factory_.ForResource(resource);
  EXPECT_EQ(factory_.Size(), 2U);
}

TEST_F(SharingTest, InformersAreSharedIfTheirWholeSelectionIsEqual) {
  const Selection all[] = {{},
                           {.namespace_name = "a=b"},
                           {.label_selector = "a=b"},
                           {.field_selector = "a=b"},
                           {.keep_managed_fields = true}};
  std::vector<SharedIndexInformer<ConfigMap>> informers;
  for (const Selection& selection : all) informers.push_back(factory_.For<ConfigMap>(selection));
  EXPECT_EQ(factory_.Size(), std::size(all));
  for (const Selection& selection : all) informers.push_back(factory_.For<ConfigMap>(selection));
  EXPECT_EQ(factory_.Size(), std::size(all));
}

TEST_F(SharingTest, AMovedFromHandleRefersToTheSameInformer) {
  auto typed = factory_.For<ConfigMap>({.namespace_name = "default"});
  const auto typed_taken = std::move(typed);
  EXPECT_EQ(typed.Name(), typed_taken.Name());  // NOLINT(bugprone-use-after-move)
  SharedInformer untyped = typed.Untyped();
  SharedInformer untyped_taken = std::move(untyped);
  untyped_taken = std::move(untyped);       // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(untyped.Status().objects, 0U);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(untyped.Lister().Size(), 0U);
  EXPECT_EQ(factory_.Size(), 1U);
}

TEST_F(SharingTest, AnUnnamedTransformIsNeverSharedAndANamedOneIs) {
  const auto unnamed = factory_.For<ConfigMap>({}, {.transform = {.function = DropEverything()}});
  const auto plain = factory_.For<ConfigMap>();
  EXPECT_EQ(factory_.Size(), 2U);
  const auto another = factory_.For<ConfigMap>({}, {.transform = {.function = DropEverything()}});
  EXPECT_EQ(factory_.Size(), 3U);
  const auto named = factory_.For<ConfigMap>({}, {.transform = {.name = "drop", .function = DropEverything()}});
  const auto same_name = factory_.For<ConfigMap>({}, {.transform = {.name = "drop", .function = DropEverything()}});
  EXPECT_EQ(factory_.Size(), 4U);
}

TEST_F(SharingTest, AnUnnamedTransformThatIsSetLaterEndsTheSharing) {
  const auto first = factory_.For<ConfigMap>();
  ASSERT_TRUE(first.SetTransform({.function = DropEverything()}).ok());
  const auto plain = factory_.For<ConfigMap>();
  EXPECT_EQ(factory_.Size(), 2U);
}

TEST_F(SharingTest, AnUnnamedTweakIsNeverSharedAndANamedOneIs) {
  const NamedTweak unnamed{.list = [](ListRequest& request) { request.limit = 7; }};
  const NamedTweak named{.name = "seven", .list = unnamed.list};
  const auto one = factory_.For<ConfigMap>({}, {.tweak = unnamed});
  const auto plain = factory_.For<ConfigMap>();
  const auto two = factory_.For<ConfigMap>({}, {.tweak = unnamed});
  EXPECT_EQ(factory_.Size(), 3U);
  const auto three = factory_.For<ConfigMap>({}, {.tweak = named});
  const auto four = factory_.For<ConfigMap>({}, {.tweak = named});
  EXPECT_EQ(factory_.Size(), 4U);
}

TEST(FactoryOptionsTest, TheFactorysOwnTransformAndTweakAreSharedByAllThatNameNone) {
  SharedInformerFactory factory(
      NoClient(),
      {.transform = {.function = DropEverything()}, .tweak = {.list = [](ListRequest&) {}}, .logger = Logger::None()});
  const auto one = factory.For<ConfigMap>();
  const auto two = factory.For<ConfigMap>();
  EXPECT_EQ(factory.Size(), 1U);
  const auto own = factory.For<ConfigMap>({}, {.transform = {.function = DropEverything()}});
  EXPECT_EQ(factory.Size(), 2U);
}

TEST_F(SharingTest, ListsItsInformersWithNameAndStatus) {
  const auto one = factory_.For<ConfigMap>({.namespace_name = "default"});
  const auto two = factory_.ForSource(std::make_shared<ModelServer>(), {.name = "mine"});
  const std::vector<InformerInfo> informers = factory_.Informers();
  ASSERT_EQ(informers.size(), 2U);
  EXPECT_EQ(informers[0].name, "configmaps in default");
  EXPECT_EQ(informers[1].name, "mine");
  EXPECT_EQ(informers[1].status.state, InformerState::kStopped);
}

TEST_F(SharingTest, AnEmptyNamespaceIsAnErrorThatWaitsAndStatusTell) {
  const auto informer = factory_.For<ConfigMap>({}, {.namespaces = {{"a", ""}}});
  factory_.Start();
  const Result<void> synced = informer.WaitForCacheSync(Duration::max());
  ASSERT_FALSE(synced.ok());
  EXPECT_EQ(synced.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(synced.error().message, HasSubstr("\"\" is not a namespace"));
  EXPECT_EQ(factory_.WaitForCacheSync(Duration::max()).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(informer.Status().last_error.has_value());
  EXPECT_EQ(informer.Status().last_error->code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(informer.SetNamespaces({""}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(SharingTest, WaitingForANamespaceThatIsNotWatchedIsAnError) {
  const auto some = factory_.For<ConfigMap>({}, {.namespaces = {{"a", "b"}}});
  const auto one = factory_.For<ConfigMap>({.namespace_name = "a"});
  const auto all = factory_.For<ConfigMap>();
  for (const auto& informer : {some, one}) {
    const Result<void> reached = informer.WaitForResourceVersion("7", "elsewhere", Duration::max());
    ASSERT_FALSE(reached.ok());
    EXPECT_EQ(reached.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(reached.error().message, HasSubstr("namespace \"elsewhere\" is not watched"));
  }
  EXPECT_EQ(all.WaitForResourceVersion("7", "elsewhere", 0s).error().code, ErrorCode::kDeadlineExceeded);
}

TEST_F(SharingTest, ATweakThatThrowsIsNamedAsTheCause) {
  for (const bool in_list : {true, false}) {
    InformerOptions options{.streaming_lists = !in_list};
    if (in_list) options.tweak.list = [](ListRequest&) { throw std::runtime_error("no pages"); };
    if (!in_list) options.tweak.watch = [](WatchRequest&) { throw std::runtime_error("no pages"); };
    std::promise<std::string> told;
    std::atomic<bool> first = true;
    options.on_error = [&](const Error& error) {
      if (first.exchange(false)) told.set_value(error.message);
    };
    const auto informer = factory_.For<ConfigMap>({}, options);
    informer.Start();
    EXPECT_EQ(told.get_future().get(),
              std::string("the tweak of the ") + (in_list ? "list" : "watch") + " request threw: no pages");
  }
}

TEST_F(SharingTest, AnInformerWithoutASourceSaysSo) {
  const SharedInformer informer = factory_.ForSource(nullptr, {.name = "mine"});
  informer.Start();
  EXPECT_THAT(informer.WaitForCacheSync(Duration::max()).error().message, HasSubstr("without a ListerWatcher"));
}

TEST_F(SharingTest, AnInformerOverASourceOfYoursIsTyped) {
  const auto server = std::make_shared<ModelServer>();
  server->Put("a", "1");
  const auto informer = factory_.ForSource<ConfigMap>(server);
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync(10s).ok());
  const Result<ConfigMap> found = informer.Lister().Get({"default", "a"});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->Name(), "a");
}

}  // namespace
}  // namespace kinformer
