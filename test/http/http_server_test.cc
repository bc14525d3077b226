#include "src/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "test/http/raw_client.h"
#include "test/http/running_server.h"
#include "test/support/curl_get.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::CurlClient;
using testing_support::CurlGet;

TEST(HttpServerTest, AnswersARequestOfCurl) {
  const RunningServer server(Echo);
  const auto result = CurlGet(server.Url("/api/v1/pods?watch=1&limit=5"));
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, "GET /api/v1/pods ?watch=1&limit=5 []");
}

TEST(HttpServerTest, TellsTheHandlerTheWholeRequest) {
  Awaited<HttpRequest> seen;
  const RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) {
    seen.Set(exchange->request());
    exchange->Respond(201, {}, "made");
  });
  RawClient client(server.port());
  client.Send("POST /a%20b?x=%2F HTTP/1.1\r\nHost: test\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_THAT(client.ReadResponse(), testing::AllOf(StartsWith("HTTP/1.1 201 Created\r\n"), EndsWith("\r\n\r\nmade")));
  const HttpRequest request = seen.Get();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a%20b?x=%2F");
  EXPECT_EQ(request.path, "/a%20b");
  EXPECT_EQ(request.query, "x=%2F");
  EXPECT_EQ(request.body, "body");
  EXPECT_EQ(*request.FindHeader("X-TWO"), "1");
  EXPECT_EQ(request.headers.size(), 4U);
  EXPECT_THAT(request.peer.address, StartsWith("127.0.0.1:"));
  EXPECT_FALSE(request.peer.tls);
  EXPECT_FALSE(request.peer.certificate);
}

TEST(HttpServerTest, KeepsAConnectionForTheNextRequest) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.Send(Get("/" + std::to_string(i)));
    EXPECT_THAT(client.ReadResponse(), HasSubstr("GET /" + std::to_string(i)));
  }
  EXPECT_EQ(client.end(), RawClient::End::kOpen);
}

TEST(HttpServerTest, AnswersPipelinedRequestsInTheirOrder) {
  // Answered late and from several threads: the responses must still come in order.
  std::vector<std::thread> threads;
  std::mutex mutex;
  {
    const RunningServer server([&](std::shared_ptr<HttpExchange> exchange) {
      const std::lock_guard lock(mutex);
      threads.emplace_back([exchange = std::move(exchange)] { Echo(exchange); });
    });
    RawClient client(server.port());
    std::string all;
    for (int i = 0; i < 200; ++i) {
      all += i % 2 == 0 ? Get("/" + std::to_string(i))
                        : "PUT /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    }
    client.Send(all);
    for (int i = 0; i < 200; ++i) {
      EXPECT_THAT(client.ReadResponse(), HasSubstr("/" + std::to_string(i) + " ?" + (i % 2 == 0 ? " []" : " [abc]")));
    }
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServerTest, TakesMoreAheadThanItKeepsWithoutLosingAny) {
  std::atomic<int> count = 0;
  const RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) {
    ++count;
    exchange->Respond(200, {}, "x");
  });
  RawClient client(server.port());
  const std::string one = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n" + std::string(50000, 'b');
  std::thread sender([&] {
    for (int i = 0; i < 40; ++i) client.Send(one);
  });
  for (int i = 0; i < 40; ++i) EXPECT_THAT(client.ReadResponse(), EndsWith("\r\n\r\nx"));
  sender.join();
  EXPECT_EQ(count, 40);
}

TEST(HttpServerTest, ToldToCloseItClosesAfterTheAnswer) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send(Get("/", "Connection: close\r\n"));
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, HasSubstr("GET / "));
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpServerTest, AHandlerCanCloseTheConnectionWithItsAnswer) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->Respond(200, {{"Connection", "close"}, {"Content-Length", "77"}}, "bye");
  });
  RawClient client(server.port());
  client.Send(Get("/"));
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("77")));
  EXPECT_THAT(answer, EndsWith("bye"));
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpServerTest, SpeaksHttp10) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), HasSubstr("GET /old"));
  EXPECT_EQ(client.end(), RawClient::End::kFin);

  RawClient kept(server.port());
  kept.Send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(kept.ReadResponse(), HasSubstr("Connection: keep-alive\r\n"));
  kept.Send("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_THAT(kept.ReadAll(), HasSubstr("GET /2"));
}

TEST(HttpServerTest, AnswersHeadWithTheLengthAlone) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n" + Get("/next"));
  const std::string head = client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Content-Length: 14\r\n"));  // the length of "HEAD /abc ? []"
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpServerTest, GivesA204NoLength) {
  const RunningServer server(
      [](const std::shared_ptr<HttpExchange>& exchange) { exchange->Respond(204, {}, exchange->request().path); });
  RawClient client(server.port());
  client.Send(Get("/a") + Get("/b"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), Not(HasSubstr("Content-Length")));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 204 No Content\r\n"));
}

TEST(HttpServerTest, ReadsAChunkedBodyAndDropsItsTrailers) {
  Awaited<HttpRequest> seen;
  const RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) {
    seen.Set(exchange->request());
    Echo(exchange);
  });
  RawClient client(server.port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n");
  client.Send("A\r\n0123456789\r\n0\r\nX-Late: 1\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), EndsWith("[abc0123456789]"));
  EXPECT_EQ(seen.Get().FindHeader("X-Late"), nullptr);
}

TEST(HttpServerTest, SaysContinueToWhoWaitsForIt) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_THAT(client.ReadResponse(), EndsWith("[ok]"));
  // No 100 Continue if the body has already arrived.
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 417"));
}

TEST(HttpServerTest, RefusesABodyThatIsTooLarge) {
  const RunningServer server(Echo, {.limits = {.max_body_bytes = 1000}});
  EXPECT_EQ(CurlGet(server.Url("/"), {.method = "POST", .body = std::string(1000, 'x')}).status, 200);
  EXPECT_EQ(CurlGet(server.Url("/"), {.method = "POST", .body = std::string(1001, 'x')}).status, 413);
  // Refused without a 100 Continue and without reading the body.
  RawClient client(server.port());
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413"));
  RawClient chunked(server.port());
  chunked.Send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3E8\r\n" + std::string(1000, 'x'));
  chunked.Send("\r\n1\r\n");
  EXPECT_THAT(chunked.ReadAll(), StartsWith("HTTP/1.1 413"));
}

TEST(HttpServerTest, ARefusalIsSaidInTheWordsOfWhoServes) {
  HttpServerOptions options{.limits = {.max_body_bytes = 1000}};
  options.refusal = [](int status, std::string_view message) {
    return HttpRefusal{.headers = {{"Content-Type", "application/json"}},
                       .body = "{\"code\":" + std::to_string(status) + ",\"why\":\"" + std::string(message) + "\"}"};
  };
  const RunningServer server(Echo, std::move(options));
  RawClient client(server.port());
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_THAT(client.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 413"), HasSubstr("\r\nContent-Type: application/json\r\n"),
                    HasSubstr("\r\nConnection: close\r\n"),
                    EndsWith("\r\n\r\n{\"code\":413,\"why\":\"the body is larger than the server accepts\"}")));
}

TEST(HttpServerTest, WhoStillSendsReadsTheRefusalAllTheSame) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n");
  const std::string block(1000000, 'x');
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.Send(block));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413"));
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpServerTest, RefusesHeadersAndTargetsThatAreTooLarge) {
  const RunningServer server(Echo, {.limits = {.max_header_bytes = 4096, .max_target_bytes = 100}});
  RawClient headers(server.port());
  headers.Send(Get("/", "X-Long: " + std::string(5000, 'x') + "\r\n"));
  EXPECT_THAT(headers.ReadAll(), StartsWith("HTTP/1.1 431"));
  RawClient endless(server.port());
  endless.Send("GET / HTTP/1.1\r\n" + std::string(5000, 'x'));
  EXPECT_THAT(endless.ReadAll(), StartsWith("HTTP/1.1 431"));
  RawClient target(server.port());
  target.Send(Get("/" + std::string(100, 'x')));
  EXPECT_THAT(target.ReadAll(), StartsWith("HTTP/1.1 414"));
}

TEST(HttpServerTest, RefusesWhatIsNotHttp) {
  const RunningServer server(Echo);
  const auto answer = [&](std::string_view bytes) {
    RawClient client(server.port());
    client.Send(bytes);
    return client.ReadAll().substr(0, 12);
  };
  EXPECT_EQ(answer("hello\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(answer("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400");                        // no Host
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), "HTTP/1.1 400");  // two Hosts
  EXPECT_EQ(answer("GET x HTTP/1.1\r\nHost: a\r\n\r\n"), "HTTP/1.1 400");             // not a path
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(answer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "HTTP/1.1 505");
  EXPECT_EQ(answer("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(answer("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "HTTP/1.1 400");
  EXPECT_EQ(answer("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(answer("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(20000, 'x')),
            "HTTP/1.1 400");
}

TEST(HttpServerTest, TakesAProxysAbsoluteTarget) {
  const RunningServer server(Echo);
  RawClient client(server.port());
  client.Send("GET http://host:1/a/b?c HTTP/1.1\r\nHost: host\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), EndsWith("GET /a/b ?c []"));
}

TEST(HttpServerTest, CutsOffWhoSendsItsHeadTooSlowly) {
  const RunningServer server(Echo, {.limits = {.header_timeout = milliseconds(150)}});
  const auto before = std::chrono::steady_clock::now();
  RawClient slow(server.port());
  // Sending a byte now and then does not extend the timeout.
  std::string answer;
  for (const char c : Get("/", "X-Slow: " + std::string(1000, 'x'))) {
    if (!slow.Send(std::string_view(&c, 1))) break;
    answer += slow.ReadSome(milliseconds(10));
    if (!answer.empty() || slow.end() != RawClient::End::kOpen) break;
  }
  EXPECT_THAT(answer + slow.ReadAll(), StartsWith("HTTP/1.1 408"));
  EXPECT_NE(slow.end(), RawClient::End::kOpen);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(8));

  RawClient silent(server.port());
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(silent.end(), RawClient::End::kFin);
}

TEST(HttpServerTest, CutsOffWhoSendsItsBodyTooSlowly) {
  const RunningServer server(Echo, {.limits = {.body_timeout = milliseconds(100)}});
  RawClient client(server.port());
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 408"));
}

TEST(HttpServerTest, ClosesAConnectionThatIsIdle) {
  const RunningServer server(Echo, {.limits = {.idle_timeout = milliseconds(100)}});
  RawClient client(server.port());
  client.Send(Get("/"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpServerTest, ALongAnswerIsNotCutByTheTimeLimitsOfRequests) {
  Awaited<std::shared_ptr<HttpExchange>> waiting;
  const RunningServer server([&](std::shared_ptr<HttpExchange> exchange) { waiting.Set(std::move(exchange)); },
                             {.limits = {.header_timeout = milliseconds(50),
                                         .body_timeout = milliseconds(50),
                                         .idle_timeout = milliseconds(50),
                                         .write_timeout = milliseconds(50)}});
  RawClient client(server.port());
  client.Send(Get("/"));
  const auto exchange = waiting.Get();
  EXPECT_EQ(client.ReadSome(milliseconds(300)), "");
  EXPECT_EQ(client.end(), RawClient::End::kOpen);
  Echo(exchange);
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServerTest, AnswersWhoShutHisSideAfterTheRequests) {
  Awaited<std::shared_ptr<HttpExchange>> waiting;
  const RunningServer server([&](std::shared_ptr<HttpExchange> exchange) { waiting.Set(std::move(exchange)); });
  RawClient client(server.port());
  client.Send(Get("/1") + Get("/2"));
  client.ShutdownWrites();
  const auto first = waiting.Get();
  Awaited<bool> gone;
  first->OnClosed([&] { gone.Set(true); });
  EXPECT_TRUE(gone.Get());
  Echo(first);
  Echo(waiting.Get());
  const std::string answers = client.ReadAll();
  EXPECT_THAT(answers, HasSubstr("GET /1"));
  EXPECT_THAT(answers, HasSubstr("GET /2"));
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpServerTest, TellsWhoWorksOnAnAnswerThatNobodyWaitsForIt) {
  Awaited<std::shared_ptr<HttpExchange>> waiting;
  const RunningServer server([&](std::shared_ptr<HttpExchange> exchange) { waiting.Set(std::move(exchange)); });
  RawClient client(server.port());
  client.Send(Get("/"));
  const auto exchange = waiting.Get();
  Awaited<bool> gone;
  exchange->OnClosed([&] { gone.Set(true); });
  client.Close();
  EXPECT_TRUE(gone.Get());
}

TEST(HttpServerTest, AnExchangeThatIsDroppedOrAHandlerThatThrowsIsA500) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().path == "/throw") throw std::runtime_error("no");
  });
  EXPECT_EQ(CurlGet(server.Url("/drop")).status, 500);
  EXPECT_EQ(CurlGet(server.Url("/throw")).status, 500);
}

TEST(HttpServerTest, TheFirstAnswerCounts) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->Respond(200, {}, "first");
    exchange->Respond(500, {}, "second");
    exchange->BeginStream(500, {})->Write(Buffer::Static("third"));
    exchange->Raw().Reset();
  });
  CurlClient client;
  for (int i = 0; i < 3; ++i) {
    const auto result = client.Request(server.Url("/"));
    EXPECT_EQ(result.status, 200);
    EXPECT_EQ(result.body, "first");
  }
}

TEST(HttpServerTest, AHeaderCannotSmuggleALine) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->Respond(200, {{"X-Name", "a\r\nX-Evil: 1"}}, "");
  });
  RawClient client(server.port());
  client.Send(Get("/"));
  EXPECT_THAT(client.ReadResponse(), HasSubstr("X-Name: a  X-Evil: 1\r\n"));
}

TEST(HttpServerTest, SendsGatheredPiecesOfALargeAnswer) {
  const auto text = std::make_shared<const std::string>(std::string(100'000, 'a') + "b");
  std::vector<Buffer> pieces;
  std::string expected;
  for (std::size_t i = 0; i < 3000; ++i) {
    pieces.emplace_back(text, std::string_view(*text).substr(text->size() - i - 1));
    expected += pieces.back().bytes;
  }
  const RunningServer server(
      [&](const std::shared_ptr<HttpExchange>& exchange) { exchange->Respond(200, {}, pieces); });
  CurlClient client;
  EXPECT_TRUE(client.Request(server.Url("/")).body == expected);
  EXPECT_TRUE(client.Request(server.Url("/")).body == expected);
}

TEST(HttpServerTest, AThousandQuickConnectsAllSucceed) {
  const RunningServer server(Echo);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    ASSERT_TRUE(clients.back()->connected()) << i;
  }
  for (const auto& client : clients) ASSERT_TRUE(client->Send(Get("/")));
  for (const auto& client : clients) ASSERT_THAT(client->ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServerTest, ClosesConnectionsBeyondItsLimitAndTakesNewOnesWhenOthersEnd) {
  RunningServer server(Echo, {.limits = {.max_connections = 2}});
  RawClient first(server.port());
  RawClient second(server.port());
  for (RawClient* client : {&first, &second}) {
    client->Send(Get("/"));
    EXPECT_THAT(client->ReadResponse(), StartsWith("HTTP/1.1 200"));
  }
  RawClient third(server.port());
  EXPECT_EQ(third.ReadAll(), "");
  EXPECT_NE(third.end(), RawClient::End::kOpen);
  EXPECT_EQ(server->ConnectionCount(), 2U);
  first.Send(Get("/", "Connection: close\r\n"));
  first.ReadAll();
  first.Close();
  // The server drops the connection once it has read our FIN.
  while (server->ConnectionCount() > 1) std::this_thread::yield();
  RawClient fourth(server.port());
  fourth.Send(Get("/"));
  EXPECT_THAT(fourth.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServerTest, SaysWhyItCannotStart) {
  const auto start = [](HttpServerOptions options) {
    HttpServer server(std::move(options), Echo);
    const auto port = server.Start();
    EXPECT_FALSE(port.ok());
    return port.ok() ? Error{} : port.error();
  };
  EXPECT_EQ(start({.bind_address = "localhost"}).code, ErrorCode::kInvalidArgument);
  const RunningServer taken(Echo);
  const Error error = start({.port = taken.port()});
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(error.message, HasSubstr("Address already in use"));
  EXPECT_EQ(start({.tls = TlsOptions{.certificate_pem = "x", .key_pem = "secret"}}).code, ErrorCode::kInvalidConfig);
}

TEST(HttpServerTest, ListensOnIpv6) {
  HttpServer server({.bind_address = "::1"}, [](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->Respond(200, {}, exchange->request().peer.address);
  });
  const auto port = server.Start();
  if (!port) GTEST_SKIP() << "no IPv6 here: " << ToString(port.error());
  EXPECT_THAT(CurlGet("http://[::1]:" + std::to_string(*port) + "/").body, StartsWith("[::1]:"));
}

TEST(HttpServerTest, StopEndsWhatIsOpenAndHandlesThatAreLeftDoNothing) {
  Awaited<std::shared_ptr<HttpExchange>> waiting;
  RunningServer server([&](std::shared_ptr<HttpExchange> exchange) { waiting.Set(std::move(exchange)); });
  RawClient client(server.port());
  client.Send(Get("/"));
  const auto exchange = waiting.Get();
  Awaited<bool> closed;
  exchange->OnClosed([&] { closed.Set(true); });
  server->Stop();
  EXPECT_TRUE(closed.IsSet());
  EXPECT_EQ(server->ConnectionCount(), 0U);
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_FALSE(exchange->BeginStream(200, {})->Write(Buffer::Static("x")));
  exchange->Respond(200, {}, "too late");
  server->Stop();
}

}  // namespace
}  // namespace kinformer::apiserver
