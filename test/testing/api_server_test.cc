// The public test support for users who test their controllers.

#include <kinformer/testing/api_server.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/watch/wait_for.h>

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kDeployment = R"({"apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"web","namespace":"default","labels":{"scale":"3"}},"spec":{"replicas":1,
    "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
    "spec":{"containers":[{"name":"main","image":"nginx"}]}}}})";

TEST(TestingApiServerTest, FiveLinesGiveAServerAndAClient) {
  kinformer::testing::ApiServer server;
  auto client = server.Client();
  ASSERT_TRUE(server.Create(kDeployment).ok());
  EXPECT_EQ(client.For<apps::v1::Deployment>().Get({"default", "web"})->Replicas(), 1);
}

TEST(TestingApiServerTest, AControllerIsTestedByWhatItDoes) {
  kinformer::testing::ApiServer server;
  const auto client = server.Client();
  ASSERT_TRUE(server.Create(kDeployment).ok());
  // A minimal controller: sets the replicas to the value of a label.
  SharedInformerFactory factory(client);
  const auto deployments = factory.For<apps::v1::Deployment>();
  const auto registration = deployments
                                .AddEventHandler({.on_add =
                                                      [&](const apps::v1::Deployment& deployment, bool) {
                                                        const auto wanted = deployment.Labels().Find("scale");
                                                        if (!wanted) return;
                                                        (void)client.For<apps::v1::Deployment>().Patch(
                                                            deployment.Key(), PatchType::kMerge,
                                                            R"({"spec":{"replicas":)" + std::string(*wanted) + "}}");
                                                      }})
                                .value();
  factory.Start();
  const auto scaled =
      WaitFor(client.For<apps::v1::Deployment>(), {"default", "web"}, FieldEquals("/spec/replicas", 3), 10s);
  EXPECT_TRUE(scaled.ok()) << ToString(scaled.error());
}

TEST(TestingApiServerTest, SeveralStandSideBySide) {
  kinformer::testing::ApiServer one;
  kinformer::testing::ApiServer two;
  ASSERT_TRUE(one.Create(kDeployment).ok());
  EXPECT_TRUE(one.Client().For<apps::v1::Deployment>().Get({"default", "web"}).ok());
  EXPECT_TRUE(IsNotFound(two.Client().For<apps::v1::Deployment>().Get({"default", "web"}).error()));
}

TEST(TestingApiServerTest, AnArrayIsManyObjectsAndAMistakeInItIsSaid) {
  kinformer::testing::ApiServer server;
  ASSERT_TRUE(server
                  .Create("[" + std::string(kDeployment) +
                          R"(,{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}])")
                  .ok());
  EXPECT_TRUE(server.Client().For<core::v1::ConfigMap>().Get({"default", "a"}).ok());
  EXPECT_FALSE(server.Create("{").ok());
  const auto again = server.Create(kDeployment);
  ASSERT_FALSE(again.ok());
  EXPECT_TRUE(IsAlreadyExists(again.error()));
  EXPECT_FALSE(server.Create(R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"a"}})").ok());
}

TEST(TestingApiServerTest, FaultsStrikeWhenAsked) {
  kinformer::testing::ApiServer server;
  const auto client = server.Client();
  ASSERT_TRUE(server.server().faults().Add("get:configmaps:nth=1=error,500").ok());
  EXPECT_EQ(client.For<core::v1::ConfigMap>().Get({"default", "a"}).error().http_status, 500);
  EXPECT_EQ(client.For<core::v1::ConfigMap>().Get({"default", "a"}).error().http_status, 404);
}

TEST(TestingApiServerTest, OneThatCannotStartThrowsAndSaysWhy) {
  try {
    const kinformer::testing::ApiServer server({.bind_address = "203.0.113.1"});
    FAIL() << "that address does not exist";
  } catch (const std::runtime_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("203.0.113.1"));
  }
}

}  // namespace
}  // namespace kinformer
