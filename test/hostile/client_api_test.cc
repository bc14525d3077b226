// Clients that send valid HTTP but malicious or malformed requests, against a complete API server.

#include <zlib.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "test/apiserver/server/server_fixture.h"
#include "test/http/raw_client.h"

namespace kinformer {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";

/// A server without TLS, so that tests can send raw bytes. Keeps its audit lines.
class HostileClient : public ServerTest {
 protected:
  void SetUp() override {
    StartServer({.tls = false,
                 .token = Secret("administrators-token"),
                 .tokens = {{Secret("jane-token"), "jane", {}, "uid"}},
                 .rbac = true,
                 .audit = [this](std::string_view line) {
                   const std::lock_guard lock(mutex_);
                   audit_.emplace_back(line);
                 }});
    port_ = static_cast<std::uint16_t>(std::stoi(server_->Url().substr(server_->Url().rfind(':') + 1)));
  }
  void TearDown() override {
    // Whatever a test sent, the server still answers proper requests.
    EXPECT_THAT(Send("GET", kConfigMaps, admin_), StartsWith("HTTP/1.1 200 "));
    ServerTest::TearDown();
  }

  /// Sends one request on a new connection.
  std::string Send(const std::string& method, const std::string& target, const std::string& headers,
                   const std::string& body = "") const {
    apiserver::RawClient client(port_);
    std::string head = method + " " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + headers;
    if (!body.empty()) head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    client.Send(head + "\r\n");
    client.Send(body);
    return client.ReadAll();
  }
  std::string Post(const std::string& body, const std::string& more_headers = "") const {
    return Send("POST", kConfigMaps, admin_ + "Content-Type: application/json\r\n" + more_headers, body);
  }
  std::string Patch(const std::string& type, const std::string& body, const std::string& query = "") const {
    return Send("PATCH", std::string(kConfigMaps) + "/a" + query, admin_ + "Content-Type: " + type + "\r\n", body);
  }
  std::vector<std::string> Audit() const {
    const std::lock_guard lock(mutex_);
    return audit_;
  }

  const std::string admin_ = "Authorization: Bearer administrators-token\r\n";
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> audit_;
};

TEST_F(HostileClient, ATokenCountsInItsPlaceAlone) {
  const std::string token = "administrators-token";
  for (const std::string& headers : std::vector<std::string>{
           std::string("Cookie: token=").append(token).append("; Authorization=Bearer ").append(token).append("\r\n"),
           "X-Authorization: Bearer " + token + "\r\n", "Proxy-Authorization: Bearer " + token + "\r\n",
           "Authorization: Basic YWRtaW46YWRtaW5pc3RyYXRvcnMtdG9rZW4=\r\n", "Authorization: " + token + "\r\n",
           std::string("Authorization: Bearer\r\n"), std::string("Authorization: Bearer \r\n"),
           std::string("Authorization:\r\n"), "Authorization: Bearer " + token + "x\r\n",
           "Authorization: Bearer " + token.substr(1) + "\r\n",
           "Authorization: Bearer " + std::string(30'000, 'x') + "\r\n",
           "Authorization: Bearer x\r\nAuthorization: Bearer " + token + "\r\n",
           "Authorization: Bearer " + token + ", Bearer x\r\n",
           "X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\n"}) {
    const std::string answer = Send("GET", kConfigMaps, headers);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401 ")) << headers;
    EXPECT_THAT(answer, Not(HasSubstr(token))) << headers;
  }
  for (const std::string& target : std::vector<std::string>{std::string(kConfigMaps) + "?access_token=" + token,
                                                            "http://admin:" + token + "@a" + kConfigMaps}) {
    const std::string answer = Send("GET", target, "");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401 ")) << target;
    EXPECT_THAT(answer, Not(HasSubstr(token))) << target;
  }
  EXPECT_THAT(Send("GET", kConfigMaps, "Authorization: Bearer " + std::string(70'000, 'x') + "\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Send("GET", kConfigMaps, "authorization: bearer   " + token + "  \r\n"), StartsWith("HTTP/1.1 200 "));
  for (const std::string& line : Audit()) EXPECT_THAT(line, Not(HasSubstr(token)));
}

TEST_F(HostileClient, NobodyIsImpersonatedWithoutTheRight) {
  const std::string jane = "Authorization: Bearer jane-token\r\n";
  for (const char* headers :
       {"Impersonate-User: admin\r\n", "impersonate-user: system:serviceaccount:kube-system:x\r\n",
        "Impersonate-User: jane\r\nImpersonate-Group: system:masters\r\n",
        "Impersonate-User: jane\r\nImpersonate-Uid: 1\r\n",
        "Impersonate-User: jane\r\nImpersonate-Extra-scopes: all\r\n"}) {
    EXPECT_THAT(Send("GET", kConfigMaps, jane + headers), StartsWith("HTTP/1.1 403 ")) << headers;
    EXPECT_THAT(Send("GET", kConfigMaps, headers), StartsWith("HTTP/1.1 401 ")) << headers;
  }
  EXPECT_THAT(Send("GET", kConfigMaps, jane + "Impersonate-Group: system:masters\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HostileClient, PathsThatLeadElsewhereAreRefused) {
  for (const char* path :
       {"/api/v1/namespaces/default/../kube-system/secrets", "/api/v1/namespaces/%2e%2e/secrets",
        "/api/v1/namespaces/%2E./secrets", "//api/v1/secrets", "/api//v1/secrets",
        "/api/v1/namespaces/default%2f..%2fkube-system/secrets", "/api/v1/namespaces/default/configmaps/a%00b",
        "/api/v1/namespaces/default/configmaps/%", "/api/v1/namespaces/default/configmaps/%252e%252e",
        "/./api/v1/secrets", "/version/../api/v1/secrets"}) {
    EXPECT_THAT(Send("GET", path, admin_), StartsWith("HTTP/1.1 400 ")) << path;
  }
  EXPECT_THAT(Send("GET", "/" + std::string(20'000, 'a'), admin_), StartsWith("HTTP/1.1 414 "));
  EXPECT_THAT(Send("GET", "/" + std::string(70'000, 'a'), admin_), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Send("GET", std::string("/") + std::string(15'000, '/'), admin_),
              AnyOf(StartsWith("HTTP/1.1 400 "), StartsWith("HTTP/1.1 404 ")));
  std::string deep;
  for (int i = 0; i < 5'000; ++i) deep += "/a";
  EXPECT_THAT(Send("GET", deep, admin_), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Send("OPTIONS", "*", admin_), AnyOf(StartsWith("HTTP/1.1 404 "), StartsWith("HTTP/1.1 405 ")));
  EXPECT_THAT(Send("GET", "*", admin_), StartsWith("HTTP/1.1 404 "));
  // The host of an absolute-form target is ignored.
  EXPECT_THAT(Send("GET", "http://elsewhere" + std::string(kConfigMaps), admin_), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Send("TRACE", "/version", admin_),
              AllOf(StartsWith("HTTP/1.1 405 "), Not(HasSubstr("administrators-token"))));
}

TEST_F(HostileClient, WhatIsNoTextInAPathBreaksNeitherAnswersNorAuditLines) {
  for (const char* name : {"%ff%fe", "a%0d%0aX-Evil:%20b", "%22,%22evil%22:%22", "%e2%80%a8", "%7f", "%c0%af"}) {
    const std::string answer = Send("GET", std::string(kConfigMaps) + "/" + name, admin_);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 ")) << name;
    EXPECT_THAT(answer.substr(0, answer.find("\r\n\r\n")), Not(HasSubstr("X-Evil"))) << name;
    const json status = json::parse(answer.substr(answer.find("\r\n\r\n") + 4), nullptr, false);
    EXPECT_EQ(status.value("reason", ""), "NotFound") << answer;
    EXPECT_FALSE(status.contains("evil"));
  }
  Send("GET", kConfigMaps, admin_ + "User-Agent: a\"}\xff\t\\\r\nAudit-ID: x\"y\r\nX-Forwarded-For: 1\r\n");
  const std::vector<std::string> lines = Audit();
  EXPECT_EQ(lines.size(), 7U);
  for (const std::string& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), line.ends_with('\n') ? 1 : 0) << line;
    EXPECT_FALSE(json::parse(line, nullptr, false).is_discarded()) << line;
  }
}

TEST_F(HostileClient, BodiesThatCannotBeReadAreRefusedAndSayWhy) {
  const auto named = [](const std::string& data) {
    return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":)" + data + "}";
  };
  using std::string_literals::operator""s;
  for (const std::string& body : std::vector<std::string>{
           named(std::string(100'000, '[') + std::string(100'000, ']')), std::string(1'000'000, '['),
           std::string(200'000, '{'), named(R"({"a":1e999999})"), named(R"({"a":-1e999999})"), named("NaN"),
           named("{\"a\":\"\xff\"}"), named("{\"a\":\"\0\"}"s), named("{\"a\":\"\\ud800\"}"), "null"s, "[]"s, "\"a\""s,
           "{}"s, "\xEF\xBB\xBF{}"s, named("{}") + "{}", "--- \na: &a [*a]\n"s, std::string(1000, '\0')}) {
    EXPECT_THAT(Post(body), AllOf(StartsWith("HTTP/1.1 4"), HasSubstr("\"kind\":\"Status\""))) << body.substr(0, 100);
  }
  EXPECT_THAT(Post(named("{\"a\":\"" + std::string(4U << 20U, 'x') + "\"}")),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("\"reason\":\"RequestEntityTooLarge\""),
                    HasSubstr("Request entity too large: limit is 3145728")));
  // Of duplicate keys the last one counts, both for validation and for what is stored.
  const std::string twice = Post(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","name":"twice"}})");
  EXPECT_THAT(twice, AllOf(StartsWith("HTTP/1.1 201 "), HasSubstr("\"name\":\"twice\"")));
  EXPECT_THAT(Send("POST", std::string(kConfigMaps), admin_ + "Content-Type: application/vnd.kubernetes.protobuf\r\n",
                   "k8s\0\xff\xff\xff\xff\xff\xff\xff\xff"s),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("POST", std::string(kConfigMaps), admin_ + "Content-Type: application/yaml\r\n",
                   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: {a: \"\xd9\"}\n"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("invalid UTF-8")));
}

TEST_F(HostileClient, ACompressedBodyIsNotUnpacked) {
  std::string plain(64U << 20U, ' ');
  std::string packed(1U << 20U, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  EXPECT_THAT(Post(packed, "Content-Encoding: gzip\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HostileClient, BombsInPatchesAreRefused) {
  ASSERT_THAT(Post(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"b":"c"}})"),
              StartsWith("HTTP/1.1 201 "));
  std::string many = "[";
  for (int i = 0; i < 10'001; ++i)
    many += std::string(i > 0 ? "," : "") + R"({"op":"test","path":"/data/b","value":"c"})";
  EXPECT_THAT(
      Patch("application/json-patch+json", many + "]"),
      AllOf(StartsWith("HTTP/1.1 413 "),
            HasSubstr("Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001")));
  std::string copies = R"([{"op":"add","path":"/data/0","value":")" + std::string(100'000, 'x') + "\"}";
  for (int i = 1; i < 1000; ++i)
    copies += R"(,{"op":"copy","from":"/data/0","path":"/data/)" + std::to_string(i) + "\"}";
  EXPECT_THAT(Patch("application/json-patch+json", copies + "]"), StartsWith("HTTP/1.1 422 "));
  std::string laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'l'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    laughs += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) laughs += "*" + before + ",";
    laughs += "]\n";
  }
  EXPECT_THAT(Patch("application/apply-patch+yaml", laughs, "?fieldManager=m"),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("error decoding YAML")));
  EXPECT_THAT(Patch("application/apply-patch+yaml", std::string(100'000, '['), "?fieldManager=m"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Patch("application/apply-patch+yaml", "a: b", "?fieldManager=" + std::string(129, 'm')),
              StartsWith("HTTP/1.1 4"));
  EXPECT_THAT(Patch("application/apply-patch+yaml", "a: b", "?fieldManager=a%0d%0ab"), StartsWith("HTTP/1.1 4"));
  EXPECT_THAT(Patch("application/merge-patch+json",
                    R"({"data":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Send("GET", std::string(kConfigMaps) + "/a", admin_), HasSubstr(R"("data":{"b":"c"})"));
}

TEST_F(HostileClient, QueriesThatCannotBeAreRefused) {
  const std::string list(kConfigMaps);
  for (const char* query :
       {"limit=9999999999999999999999", "limit=1e3", "watch=1&timeoutSeconds=x", "resourceVersion=-1",
        "resourceVersion=x", "resourceVersion=99999999999999999999999", "continue=x",
        "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9zZWNyZXRzL2EifQ", "labelSelector=%3d%3d",
        "labelSelector=a%20in%20(((", "fieldSelector=%00", "resourceVersionMatch=Exact", "labelSelector=%ff",
        "watch=1&sendInitialEvents=true"}) {
    EXPECT_THAT(Send("GET", list + "?" + query, admin_), StartsWith("HTTP/1.1 4")) << query;
  }
  // As kube-apiserver: a negative limit means no limit, a negative timeout ends the watch at once.
  EXPECT_THAT(Send("GET", list + "?limit=-1", admin_), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Send("GET", list + "?watch=1&timeoutSeconds=-1", admin_), EndsWith("\r\n\r\n0\r\n\r\n"));
  // A selector close to the maximum length of a target is parsed quickly; a longer one is refused unread.
  std::string selector;
  while (selector.size() < 15'000) selector += "a" + std::to_string(selector.size()) + "!%3Db,";
  selector.resize(selector.size() - 1);
  EXPECT_THAT(Send("GET", list + "?labelSelector=" + selector, admin_), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Send("GET", list + "?labelSelector=" + std::string(1U << 20U, 'a'), admin_),
              AnyOf(StartsWith("HTTP/1.1 414 "), StartsWith("HTTP/1.1 431 ")));
}

TEST_F(HostileClient, AForgedContinueTokenLeadsNoFurtherThanItsOwnList) {
  // Whatever key the token starts at, nothing beyond the list's own keys is returned.
  ASSERT_THAT(Post(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})"), StartsWith("HTTP/1.1 201 "));
  const std::string other = "/api/v1/namespaces/kube-system/secrets";
  ASSERT_THAT(Send("POST", other, admin_ + "Content-Type: application/json\r\n",
                   R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"hidden"}})"),
              StartsWith("HTTP/1.1 201 "));
  for (const char* start : {"zzz", "kube-system/hidden", "secrets/kube-system/hidden"}) {
    std::string token;
    const std::string text = json{{"v", "meta.k8s.io/v1"}, {"rv", -1}, {"start", start}}.dump();
    static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (std::size_t i = 0; i < text.size() * 8; i += 6) {
      unsigned value = 0;
      for (std::size_t bit = i; bit < i + 6; ++bit) {
        const unsigned byte = bit / 8 < text.size() ? static_cast<unsigned char>(text[bit / 8]) : 0U;
        value = value << 1U | (byte >> (7U - bit % 8) & 1U);
      }
      token += kDigits[value];
    }
    const std::string answer = Send("GET", std::string(kConfigMaps) + "?limit=5&continue=" + token, admin_);
    EXPECT_THAT(answer, Not(HasSubstr("hidden"))) << start;
    EXPECT_THAT(answer, AnyOf(StartsWith("HTTP/1.1 200 "), StartsWith("HTTP/1.1 400 "))) << answer;
  }
}

TEST_F(HostileClient, BombsInDefinitionsAreRefused) {
  const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const auto define = [&](const std::string& schema) {
    const std::string body =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"webs.example.com"},)"
        R"("spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"webs","kind":"Web"},"versions":[{"name":"v1",)"
        R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
        schema + "}}}}]}}";
    return Send("POST", crds, admin_ + "Content-Type: application/json\r\n", body);
  };
  for (const char* pattern : {"((a{1,100}){1,100})$", "(((((a{9}){9}){9}){9}){9})", "(", "a{1001}"}) {
    EXPECT_THAT(define(R"({"type":"string","pattern":")" + std::string(pattern) + "\"}"),
                AllOf(StartsWith("HTTP/1.1 422 "), HasSubstr("pattern")))
        << pattern;
  }
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 300; ++i) deep.insert(0, R"({"type":"array","items":)").append("}");
  EXPECT_THAT(define(deep), StartsWith("HTTP/1.1 4"));
}

}  // namespace
}  // namespace kinformer
