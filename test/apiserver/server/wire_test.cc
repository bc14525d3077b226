#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using nlohmann::json;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// A length-delimited field whose length fits one byte.
std::string Field(int number, const std::string& bytes) {
  return std::string{static_cast<char>((number << 3) | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string Protobuf(const std::string& api_version, const std::string& kind, const std::string& raw) {
  return std::string("k8s\0", 4) + Field(1, Field(1, api_version) + Field(2, kind)) + Field(2, raw);
}

std::string HeaderOf(const RawResponse& response, std::string_view name) {
  for (const Header& header : response.head.headers) {
    if (header.first.size() == name.size() &&
        std::equal(name.begin(), name.end(), header.first.begin(),
                   [](char a, char b) { return std::tolower(a) == std::tolower(b); })) {
      return header.second;
    }
  }
  return {};
}

class WireTest : public ServerTest {
 protected:
  json As(const std::string& accept, const std::string& target) const {
    const Result<RawResponse> response = Raw(target, "GET", "", {{"Accept", accept}});
    if (!response) return ToString(response.error());
    return json::parse(response->body, nullptr, false);
  }
};

TEST_F(WireTest, ATypedClientWritesAndDeletesInProtobufAndIsAnsweredInJson) {
  StartServer();
  const std::string collection = "/api/v1/namespaces/default/configmaps";
  const std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Type", kProtobuf}, {"Accept", std::string(kProtobuf) + ",application/json"}};
  const std::string data = Field(2, Field(1, "k") + Field(2, "v"));
  const Result<RawResponse> created =
      Raw(collection, "POST", Protobuf("v1", "ConfigMap", Field(1, Field(1, "a")) + data), headers);
  ASSERT_TRUE(created) << ToString(created.error());
  EXPECT_EQ(created->head.status, 201);
  EXPECT_EQ(json::parse(created->body)["data"], json::parse(R"({"k":"v"})"));

  const std::string changed = Field(2, Field(1, "k") + Field(2, "w"));
  const Result<RawResponse> updated =
      Raw(collection + "/a", "PUT", Protobuf("v1", "ConfigMap", Field(1, Field(1, "a")) + changed), headers);
  ASSERT_TRUE(updated) << ToString(updated.error());
  EXPECT_EQ(json::parse(updated->body)["data"], json::parse(R"({"k":"w"})"));

  // Preconditions{uid: "no"} of DeleteOptions.
  const Result<RawResponse> refused =
      Raw(collection + "/a", "DELETE", Protobuf("v1", "DeleteOptions", Field(2, Field(1, "no"))), headers);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().http_status, 409);
  ASSERT_TRUE(Raw(collection + "/a", "DELETE", Protobuf("v1", "DeleteOptions", ""), headers));
  ASSERT_TRUE(Raw(collection, "DELETE", Protobuf("v1", "DeleteOptions", ""), headers));

  const Result<RawResponse> alone = Raw(collection, "GET", "", {{"Accept", kProtobuf}});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().http_status, 406);
}

TEST_F(WireTest, KubectlGetsTables) {
  StartServer();
  ASSERT_TRUE(Pods().Create(*Pod("a", "n1")));
  ASSERT_TRUE(Pods().Create(*Pod("b")));
  const json list = As(kTable, "/api/v1/namespaces/default/pods");
  EXPECT_EQ(list["kind"], "Table");
  EXPECT_EQ(list["rows"].size(), 2U);
  EXPECT_EQ(list["columnDefinitions"][1]["name"], "Ready");
  EXPECT_EQ(list["rows"][0]["cells"][0], "a");
  EXPECT_EQ(list["rows"][0]["cells"][1], "0/1");
  EXPECT_EQ(list["rows"][0]["cells"][6], "n1");
  EXPECT_EQ(list["rows"][0]["object"]["kind"], "PartialObjectMetadata");
  EXPECT_FALSE(list["metadata"]["resourceVersion"].get<std::string>().empty());

  const json page = As(kTable, "/api/v1/namespaces/default/pods?limit=1");
  EXPECT_EQ(page["rows"].size(), 1U);
  EXPECT_FALSE(page["metadata"]["continue"].get<std::string>().empty());
  EXPECT_EQ(page["metadata"]["remainingItemCount"], 1);

  const json one = As(kTable, "/api/v1/namespaces/default/pods/b?includeObject=Object");
  EXPECT_EQ(one["rows"][0]["cells"][6], "<none>");
  EXPECT_EQ(one["rows"][0]["object"]["spec"]["containers"][0]["name"], "main");
}

TEST_F(WireTest, AWatchOfTablesHasColumnsOnce) {
  StartServer();
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  const auto last = ConfigMaps().Create(*ConfigMap("b"));
  ASSERT_TRUE(last.ok());
  // A cache may lag behind: naming the version ensures that both objects are initial events.
  const Result<RawResponse> response = Raw(
      "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true"
      "&resourceVersionMatch=NotOlderThan&resourceVersion=" +
          std::string((*last)->ResourceVersion()),
      "GET", "", {{"Accept", kTable}});
  ASSERT_TRUE(response) << ToString(response.error());
  std::vector<json> events;
  std::string_view rest = response->body;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    events.push_back(json::parse(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(events[0]["type"], "ADDED");
  EXPECT_EQ(events[0]["object"]["kind"], "Table");
  EXPECT_EQ(events[0]["object"]["columnDefinitions"].size(), 3U);
  EXPECT_EQ(events[1]["object"]["columnDefinitions"], nullptr);
  EXPECT_EQ(events[2]["type"], "BOOKMARK") << response->body;
  EXPECT_EQ(events[2]["object"]["kind"], "Table");
  EXPECT_FALSE(events[2]["object"]["metadata"]["resourceVersion"].get<std::string>().empty());
}

TEST_F(WireTest, ALargeListIsCompressedForWhoAcceptsIt) {
  StartServer();
  const std::string filler(20000, 'x');
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("c" + std::to_string(i), "1")));
  const std::string list = "/api/v1/configmaps";
  const Result<RawResponse> small = Raw(list, "GET", "", {{"Accept-Encoding", "gzip"}});
  ASSERT_TRUE(small);
  EXPECT_EQ(HeaderOf(*small, "Content-Encoding"), "");
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(
        ConfigMaps().Create(*Parsed({{"apiVersion", "v1"},
                                     {"kind", "ConfigMap"},
                                     {"metadata", {{"name", "d" + std::to_string(i)}, {"namespace", "default"}}},
                                     {"data", {{"value", filler}}}})));
  }
  const Result<RawResponse> plain = Raw(list);
  const Result<RawResponse> large = Raw(list, "GET", "", {{"Accept-Encoding", "gzip"}});
  ASSERT_TRUE(plain && large);
  EXPECT_EQ(HeaderOf(*large, "Content-Encoding"), "gzip");
  EXPECT_EQ(HeaderOf(*plain, "Content-Encoding"), "");
  EXPECT_EQ(json::parse(large->body)["items"], json::parse(plain->body)["items"]);
}

TEST_F(WireTest, DiscoveryIsAggregatedForWhoAsksAndNotSentTwice) {
  StartServer();
  for (const char* path : {"/api", "/apis"}) {
    const Result<RawResponse> response = Raw(path, "GET", "", {{"Accept", kAggregated}});
    ASSERT_TRUE(response);
    EXPECT_EQ(HeaderOf(*response, "Content-Type"),
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    EXPECT_EQ(json::parse(response->body)["kind"], "APIGroupDiscoveryList");
    const std::string etag = HeaderOf(*response, "ETag");
    ASSERT_FALSE(etag.empty());
    const Result<RawResponse> again = Raw(path, "GET", "", {{"Accept", kAggregated}, {"If-None-Match", etag}});
    EXPECT_EQ(again ? again->head.status : again.error().http_status, 304);
  }
  EXPECT_EQ(RawJson("/apis")["kind"], "APIGroupList");
}

}  // namespace
}  // namespace kinformer
