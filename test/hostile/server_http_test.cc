// Servers with malformed HTTP, against the SDK's client.

#include <string>

#include "test/hostile/hostile_server.h"
#include "test/hostile/sizes.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;

using HostileHttp = HostileServerTest;

Reply Raw(std::string text) { return {.raw = std::move(text)}; }

TEST_F(HostileHttp, EndlessHeadersAreCutOff) {
  Endless lines;
  const Error many = ErrorOfGet(lines.Raw("HTTP/1.1 200 OK\r\n", "X-Header: " + std::string(500, 'x') + "\r\n"));
  EXPECT_EQ(many.code, ErrorCode::kTooLarge) << ToString(many);
  EXPECT_THAT(many.message, HasSubstr("headers"));
  EXPECT_LT(lines.sent(), 8 * kMiB);

  Endless line;
  const Error one = ErrorOfGet(line.Raw("HTTP/1.1 200 OK\r\nX-Header: ", std::string(1000, 'x')));
  EXPECT_EQ(one.code, ErrorCode::kTooLarge) << ToString(one);
  EXPECT_LT(line.sent(), 8 * kMiB);

  Endless status;
  const Error first = ErrorOfGet(status.Raw("HTTP/1.1 200 ", std::string(1000, 'x')));
  EXPECT_EQ(first.code, ErrorCode::kTooLarge) << ToString(first);
  EXPECT_LT(status.sent(), 8 * kMiB);

  Endless interim;
  const Error hundred = ErrorOfGet(interim.Raw("", "HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_EQ(hundred.code, ErrorCode::kTooLarge) << ToString(hundred);
  EXPECT_LT(interim.sent(), 8 * kMiB);
  ExpectRecovery();
}

TEST_F(HostileHttp, EndlessTrailersAreCutOff) {
  Endless trailers;
  const Error error = ErrorOfGet(trailers.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
                                              "X-Trailer: " + std::string(500, 'x') + "\r\n"));
  EXPECT_EQ(error.code, ErrorCode::kTooLarge) << ToString(error);
  EXPECT_LT(trailers.sent(), 8 * kMiB);
  ExpectRecovery();
}

TEST_F(HostileHttp, LengthsThatCannotBeAreErrors) {
  const std::string pod = PodJson("a", "1").dump();
  const auto with = [&](const std::string& headers) { return Raw("HTTP/1.1 200 OK\r\n" + headers + "\r\n" + pod); };
  const std::string size = std::to_string(pod.size());
  for (const std::string& length : {std::string("-1"), std::string("x"), std::string(""), "+" + size, size + " 3"}) {
    const Error error = ErrorOfGet(with("Content-Length: " + length + "\r\n"));
    EXPECT_EQ(error.code, ErrorCode::kMalformed) << length << ": " << ToString(error);
  }
  const Error larger = ErrorOfGet(with("Content-Length: 1000000\r\n"));
  EXPECT_EQ(larger.code, ErrorCode::kDisconnected) << ToString(larger);
  const Error smaller = ErrorOfGet(with("Content-Length: 10\r\n"));
  EXPECT_EQ(smaller.code, ErrorCode::kMalformed) << ToString(smaller);
  const Error absurd = ErrorOfGet(with("Content-Length: 99999999999999999999999\r\n"));
  EXPECT_NE(absurd.message, "no error") << ToString(absurd);
  const Error two = ErrorOfGet(with("Content-Length: " + size + "\r\nContent-Length: 10\r\n"));
  EXPECT_NE(two.message, "no error") << ToString(two);
  ExpectRecovery();
}

TEST_F(HostileHttp, WhatFollowsABodyIsNotTheNextAnswer) {
  // Two responses to one request: the second must not be taken as the answer to the next request.
  const std::string pod = PodJson("a", "1").dump();
  const std::string evil = PodJson("evil", "2").dump();
  const auto answer = [](const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  server_.Enqueue({.before = [text = answer(pod) + answer(evil)](testing_support::BodyWriter& out) {
    if (!out.WriteRaw(text)) return false;
    out.Wait(std::chrono::seconds(5));
    return false;
  }});
  ASSERT_TRUE(Pods().Get({"default", "a"}).ok());
  ExpectRecovery();
}

TEST_F(HostileHttp, WrongChunksAreErrors) {
  const auto chunks = [](const std::string& body) {
    return Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body);
  };
  for (const char* body : {"zz\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "2\r\n{}garbage\r\n0\r\n\r\n",
                           "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n", "7fffffffffffffff\r\n{}\r\n", "2\r\n{}\r\n"}) {
    const Error error = ErrorOfGet(chunks(body));
    EXPECT_TRUE(error.code == ErrorCode::kDisconnected || error.code == ErrorCode::kMalformed)
        << body << ": " << ToString(error);
  }
  ExpectRecovery();
}

TEST_F(HostileHttp, AnUpgradeThatNobodyAskedForIsAnError) {
  const Error error =
      ErrorOfGet(Raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n{}"));
  EXPECT_EQ(error.code, ErrorCode::kMalformed) << ToString(error);
  ExpectRecovery();
}

TEST_F(HostileHttp, StatusesThatCannotBeAreErrors) {
  for (const char* line : {"HTTP/1.1 000 x", "HTTP/1.1 abc", "HTTP/1.1 -200 OK", "HTTP/1.1 99 low", "HTTP/9.9 200 OK",
                           "HTTP/1.1 200200 OK", "HTTP/1.1 999 odd", "200 OK"}) {
    const Error error = ErrorOfGet(Raw(std::string(line) + "\r\nContent-Length: 2\r\n\r\n{}"));
    EXPECT_NE(error.message, "no error") << line;
  }
  ExpectRecovery();
}

TEST_F(HostileHttp, ARedirectTakesNoCredentialsAnywhere) {
  ScriptedServer other;
  for (const std::string& location :
       {other.url() + "/steal", server_.url() + "/api/v1/namespaces/default/pods/a", "//" + other.url().substr(7),
        std::string("file:///etc/passwd"), std::string("http://user:" + std::string(kToken) + "@127.0.0.1/")}) {
    for (const int status : {300, 301, 302, 303, 304, 305, 307, 308}) {
      const Error error = ErrorOfGet({.status = status, .headers = {{"Location", location}}});
      EXPECT_EQ(error.http_status, status) << ToString(error);
      EXPECT_THAT(error.message, HasSubstr("redirects"));
    }
  }
  EXPECT_EQ(other.connections(), 0U);
  EXPECT_EQ(server_.Requests().size(), 40U);
  ExpectRecovery();
}

TEST_F(HostileHttp, ACookieIsNotKept) {
  server_.Handle([](const ReceivedRequest&) {
    Reply reply = Reply::Json(PodJson("a", "1").dump());
    reply.headers = {{"Set-Cookie", "session=1; Path=/"}, {"Set-Cookie", "track=2; Domain=127.0.0.1"}};
    return reply;
  });
  ASSERT_TRUE(Pods().Get({"default", "a"}).ok());
  ASSERT_TRUE(Pods().Get({"default", "a"}).ok());
  EXPECT_EQ(server_.Requests().at(1).Header("Cookie"), "");
}

TEST_F(HostileHttp, AChallengeIsNotAnswered) {
  server_.Handle([](const ReceivedRequest&) {
    Reply reply = Reply::Status(401, "Unauthorized", "Unauthorized");
    for (const char* scheme : {"Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "NTLM", "Negotiate", "Bearer"}) {
      reply.headers.emplace_back("WWW-Authenticate", scheme);
    }
    reply.headers.emplace_back("Connection", "keep-alive");
    return reply;
  });
  const auto pod = Pods().Get({"default", "a"});
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().http_status, 401);
  ASSERT_EQ(server_.Requests().size(), 1U);
  EXPECT_EQ(server_.Requests()[0].Header("Authorization"), "Bearer " + std::string(kToken));

  server_.Handle([](const ReceivedRequest&) {
    Reply reply = Reply::Status(407, "", "");
    reply.headers.emplace_back("Proxy-Authenticate", "Basic realm=\"x\"");
    return reply;
  });
  EXPECT_EQ(Pods().Get({"default", "a"}).error().http_status, 407);
  EXPECT_EQ(server_.Requests().size(), 2U);
  EXPECT_EQ(server_.Requests()[1].Header("Proxy-Authorization"), "");
}

TEST_F(HostileHttp, AServerThatRepeatsTheTokenDoesNotBringItIntoErrorsOrLogs) {
  const std::string token(kToken);
  EXPECT_EQ(ErrorOfGet(Reply::Status(403, "Forbidden", "you sent Bearer " + token)).http_status, 403);
  EXPECT_EQ(ErrorOfGet({.status = 500, .body = "<html>Authorization: Bearer " + token + "</html>"}).http_status, 500);
  EXPECT_EQ(ErrorOfGet(Raw("HTTP/1.1 " + token + "\r\n\r\n")).code, ErrorCode::kMalformed);
  Reply warning = Reply::Status(403, "Forbidden", "no");
  warning.headers.emplace_back("Warning", "299 - \"Bearer " + token + "\"");
  EXPECT_EQ(ErrorOfGet(std::move(warning)).http_status, 403);
  EXPECT_EQ(ErrorOfGet({.body = "Bearer " + token}).code, ErrorCode::kMalformed);
  EXPECT_EQ(ErrorOfList({.body = "Bearer " + token}).code, ErrorCode::kMalformed);
  EXPECT_EQ(ErrorOfList(Reply::Json(R"({"kind":"Bearer )" + token + R"("})")).code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace kinformer
