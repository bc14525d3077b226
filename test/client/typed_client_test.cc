// A typed client offers everything the untyped one does.

#include <kinformer/client/typed_client.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/client/client.h>
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/core_v1.h>

#include "test/support/scripted_server.h"

namespace kinformer {
namespace {

using core::v1::Pod;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::Reply;
using testing_support::ScriptedServer;

/// The names of the public functions of a class in a public header.
std::set<std::string> PublicFunctions(const std::string& header, const std::string& class_name) {
  std::ifstream file(std::string(PUBLIC_HEADERS) + "/" + header);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("class " + class_name + " {");
  const std::size_t end = text.find(" private:", begin);
  EXPECT_NE(begin, std::string::npos);
  EXPECT_NE(end, std::string::npos);
  const std::string body = std::regex_replace(text.substr(begin, end - begin), std::regex("//[^\n]*"), "");
  // A declaration: two spaces, a type, a name.
  const std::regex function(R"(\n  (?:const )?[A-Za-z_:][A-Za-z_:<>, ]*&* ([A-Za-z]+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator it(body.begin(), body.end(), function), none; it != none; ++it) names.insert((*it)[1]);
  return names;
}

TEST(TypedClientTest, HasEveryFunctionOfResourceClient) {
  const std::set<std::string> untyped = PublicFunctions("client/resource_client.h", "ResourceClient");
  const std::set<std::string> typed = PublicFunctions("client/typed_client.h", "TypedClient");
  ASSERT_TRUE(untyped.contains("Get") && untyped.contains("resource") && untyped.contains("Watch"));
  std::vector<std::string> missing;
  for (const std::string& name : untyped) {
    // MetadataOnly has a shorter name here: its objects are MetadataOf<T>.
    if (!typed.contains(name == "MetadataOnly" ? "Metadata" : name)) missing.push_back(name);
  }
  EXPECT_THAT(missing, IsEmpty());
}

class TypedClientCallsTest : public ::testing::Test {
 protected:
  static std::string Pods(const std::vector<std::string>& names, const json& metadata) {
    json list{{"kind", "PodList"}, {"apiVersion", "v1"}, {"metadata", metadata}, {"items", json::array()}};
    for (const std::string& name : names) list["items"].push_back({{"metadata", {{"name", name}}}});
    return list.dump();
  }

  ScriptedServer server_{{.tls = true}};
  const Client client_ = Client::Create({.server = server_.url(), .ca_data = server_.ca_pem()}).value();
};

TEST_F(TypedClientCallsTest, ForEachGivesViewsPageByPageAndTheMetadataOfTheList) {
  server_.Enqueue(Reply::Json(Pods({"a", "b"}, {{"resourceVersion", "4"}, {"continue", "c1"}})));
  server_.Enqueue(Reply::Json(Pods({"c"}, {{"resourceVersion", "4"}})));
  std::vector<std::string> seen;
  const Result<ListMeta> metadata =
      client_.For<Pod>().ForEach([&](const Pod& pod) { seen.emplace_back(pod.Name()); }, {}, {.limit = 2});
  ASSERT_TRUE(metadata.ok()) << ToString(metadata.error());
  EXPECT_THAT(seen, ElementsAre("a", "b", "c"));
  EXPECT_EQ(metadata->resource_version, "4");
}

TEST_F(TypedClientCallsTest, ForEachReturnsTheErrorOfAnObjectOfAnotherKind) {
  server_.Enqueue(Reply::Json(R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"4"},"items":[)"
                              R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}},)"
                              R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}]})"));
  std::vector<std::string> seen;
  const auto list = client_.For<Pod>().ForEach([&](const Pod& pod) { seen.emplace_back(pod.Name()); });
  ASSERT_FALSE(list.ok());
  EXPECT_THAT(list.error().message, HasSubstr("expected a v1 Pod"));
  EXPECT_THAT(seen, ElementsAre("p"));
}

TEST_F(TypedClientCallsTest, ListPageGivesOnePage) {
  server_.Enqueue(Reply::Json(Pods({"a"}, {{"resourceVersion", "4"}, {"continue", "c1"}, {"remainingItemCount", 5}})));
  const auto page = client_.For<Pod>().ListPage({}, {.limit = 1});
  ASSERT_TRUE(page.ok()) << ToString(page.error());
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0].Name(), "a");
  EXPECT_EQ(page->metadata.continue_token, "c1");
  EXPECT_EQ(page->metadata.remaining_item_count, 5);
}

TEST_F(TypedClientCallsTest, ScaleToGivesTheScaleObject) {
  server_.Enqueue(
      Reply::Json(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":3}})"));
  const auto scale = client_.For<apps::v1::Deployment>().ScaleTo({"default", "w"}, 3);
  ASSERT_TRUE(scale.ok()) << ToString(scale.error());
  EXPECT_EQ((*scale)->Kind(), "Scale");
  EXPECT_EQ(server_.Requests().back().target, "/apis/apps/v1/namespaces/default/deployments/w/scale");
}

TEST_F(TypedClientCallsTest, ASubresourceOfItsOwnKindIsAView) {
  server_.Enqueue(
      Reply::Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"status":{"phase":"Failed"}})"));
  const auto pod = client_.For<Pod>().Get({"default", "p"}, {.subresource = "status"});
  ASSERT_TRUE(pod.ok()) << ToString(pod.error());
  EXPECT_EQ(pod->Phase(), "Failed");
}

TEST_F(TypedClientCallsTest, AWatchedObjectOfAnotherKindIsTheServersMistake) {
  server_.Enqueue(Reply::Json(
      R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","resourceVersion":"1"}}})"
      "\n"));
  auto watch = client_.For<Pod>().Watch();
  ASSERT_TRUE(watch.ok()) << ToString(watch.error());
  const auto event = watch->Next();
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(event.error().message, HasSubstr("expected a v1 Pod"));
}

TEST_F(TypedClientCallsTest, SaysWhichResourceItIsFor) {
  const auto pods = client_.For<Pod>();
  EXPECT_EQ(pods.resource(), Resource::Of(Pod::kInfo));
  EXPECT_EQ(client_.For<Pod>().resource(), Resource::Of(Pod::kInfo)) << "of a temporary, by value";
}

}  // namespace
}  // namespace kinformer
