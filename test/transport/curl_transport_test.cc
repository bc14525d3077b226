#include "src/transport/curl_transport.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <kinformer/transport/tls_material.h>

#include "test/support/leak_check.h"
#include "test/support/proxy.h"
#include "test/support/scripted_server.h"
#include "test/support/temp_dir.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using testing_support::FaultProxy;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;
using testing_support::TestCa;

std::unique_ptr<CurlTransport> MakeTransport(CurlTransportOptions options) {
  if (options.user_agent.empty()) options.user_agent = "kinformer-test";
  auto transport = CurlTransport::Create(std::move(options));
  if (!transport) throw std::runtime_error(ToString(transport.error()));
  return *std::move(transport);
}

TlsMaterialPtr Trust(const std::string& ca_pem) {
  return std::make_shared<const TlsMaterial>(TlsMaterial{.ca_pem = ca_pem});
}

struct Answer {
  ResponseHead head;
  std::string body;
};

Result<Answer> RoundTrip(Transport& transport, Request request) {
  const auto stream = transport.Start(std::move(request));
  auto head = Next(*stream, {});
  if (!head) return head.error();
  if (!std::holds_alternative<ResponseHead>(*head)) return Error{.message = "no head"};
  auto body = ReadBody(*stream, 64U << 20U, {});
  if (!body) return body.error();
  return Answer{std::get<ResponseHead>(*head), *body};
}

std::string NextChunk(ResponseStream& stream) {
  for (;;) {
    auto part = Next(stream, {});
    if (!part) return "error: " + ToString(part.error());
    if (auto* chunk = std::get_if<std::string>(&*part)) return *chunk;
    if (std::holds_alternative<ResponseEnd>(*part)) return "end";
  }
}

TEST(CurlTransportTest, SendsMethodTargetHeadersAndBodyAsGiven) {
  ScriptedServer server({.tls = true});
  server.Handle([](const ReceivedRequest& r) { return Reply::Json("echo:" + r.body, 201); });
  const auto transport = MakeTransport({.server = server.url()});
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    const std::string body = method == "GET" ? "" : R"({"a":1})";
    const auto answer = RoundTrip(*transport, {.method = method,
                                               .target = "/api/v1/pods?labelSelector=a%3Db&limit=5",
                                               .headers = {{"X-One", "1"}, {"X-Two", "a"}, {"X-Two", "b"}},
                                               .body = body,
                                               .tls = Trust(server.ca_pem())});
    ASSERT_TRUE(answer.ok()) << method << ToString(answer.error());
    EXPECT_EQ(answer->head.status, 201);
    EXPECT_EQ(answer->body, "echo:" + body);
    const ReceivedRequest seen = server.Requests().back();
    EXPECT_EQ(seen.method, method);
    EXPECT_EQ(seen.target, "/api/v1/pods?labelSelector=a%3Db&limit=5");
    EXPECT_EQ(seen.Header("X-One"), "1");
    EXPECT_EQ(seen.headers.count("X-Two"), 2U) << "a header may come twice";
    EXPECT_EQ(seen.Header("User-Agent"), "kinformer-test");
    EXPECT_EQ(seen.Header("Expect"), "");
    EXPECT_EQ(seen.Header("Accept-Encoding"), "") << "gzip only on request";
    EXPECT_EQ(seen.Header("Content-Type"), body.empty() ? "" : "application/json");
  }
  EXPECT_EQ(server.connections(), 1U) << "the connection is kept";
}

TEST(CurlTransportTest, APathInTheServersUrlGoesInFront) {
  ScriptedServer server;
  server.Enqueue(Reply::Json("{}"));
  const auto transport = MakeTransport({.server = server.url() + "/k8s/clusters/c-1/"});
  ASSERT_TRUE(RoundTrip(*transport, {.target = "/version"}).ok());
  EXPECT_EQ(server.Requests().back().target, "/k8s/clusters/c-1/version");
}

TEST(CurlTransportTest, ReportsHeadersWithoutRegardToCaseAndDoesNotFollowRedirects) {
  ScriptedServer server;
  server.Enqueue({.status = 302, .headers = {{"Location", "/elsewhere"}, {"X-Thing", "value"}}});
  const auto transport = MakeTransport({.server = server.url()});
  const auto answer = RoundTrip(*transport, {.target = "/"});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->head.status, 302);
  EXPECT_EQ(FindHeader(answer->head.headers, "x-thing"), "value");
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST(CurlTransportTest, StreamsChunksAsTheyArrive) {
  ScriptedServer server({.tls = true});
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  const auto transport = MakeTransport({.server = server.url()});
  const auto stream = transport->Start({.target = "/watch", .tls = Trust(server.ca_pem())});
  handle.Send("one\n");
  EXPECT_EQ(NextChunk(*stream), "one\n");
  handle.Send("two\n");
  EXPECT_EQ(NextChunk(*stream), "two\n");
  handle.Close();
  EXPECT_EQ(NextChunk(*stream), "end");
}

TEST(CurlTransportTest, AnswersWithoutWaitingWhenAskedForWhatHasArrived) {
  ScriptedServer server;
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  const auto transport = MakeTransport({.server = server.url()});
  const auto stream = transport->Start({.target = "/watch"});
  ASSERT_TRUE(std::holds_alternative<ResponseHead>(*Next(*stream, {})));
  const auto nothing = stream->TryNext();
  ASSERT_TRUE(nothing.ok());
  EXPECT_FALSE(nothing->has_value());
  std::promise<void> ready;
  stream->NotifyWhenReady([&] { ready.set_value(); });
  handle.Send("now");
  ready.get_future().get();
  EXPECT_EQ(std::get<std::string>(**stream->TryNext()), "now");
}

TEST(CurlTransportTest, AStopEndsAWaitInLessThanFiftyMillisecondsAndDestroyingCancelsTheRequest) {
  ScriptedServer server({.tls = true});
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  const auto transport = MakeTransport({.server = server.url()});
  auto stream = transport->Start({.target = "/watch", .tls = Trust(server.ca_pem())});
  ASSERT_TRUE(Next(*stream, {}).ok());
  std::stop_source stop;
  std::chrono::steady_clock::time_point stopped;
  std::promise<void> waiting;
  std::jthread stopper([&] {
    waiting.get_future().get();
    stopped = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  waiting.set_value();
  const auto part = Next(*stream, stop.get_token());
  stream.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, 50ms);
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(handle.AwaitClientGone());
}

TEST(CurlTransportTest, AStreamThatOutlivesItsTransportFailsAsCancelled) {
  ScriptedServer server;
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  auto transport = MakeTransport({.server = server.url()});
  const auto stream = transport->Start({.target = "/watch"});
  ASSERT_TRUE(Next(*stream, {}).ok());
  transport.reset();
  const auto part = Next(*stream, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kCancelled);
}

// The notification runs on the I/O thread, which cannot join itself.
TEST(CurlTransportTest, AStreamAndItsTransportMayBeDestroyedInsideANotification) {
  ScriptedServer server({.tls = true});
  const std::size_t threads = testing_support::ThreadCount();
  const std::size_t fds = testing_support::OpenFdCount();
  for (const bool makes_another : {false, true}) {
    // One handle per body: the server may notice the end of the first round's streams only in the second.
    const StreamHandle handle;
    server.Handle(
        [handle](const ReceivedRequest& r) { return Reply::Stream(r.target == "/quiet" ? StreamHandle() : handle); });
    auto transport = MakeTransport({.server = server.url()});
    auto stream = transport->Start({.target = "/watch", .tls = Trust(server.ca_pem())});
    const auto other = transport->Start({.target = "/quiet", .tls = Trust(server.ca_pem())});
    ASSERT_TRUE(Next(*stream, {}).ok()) << "the head";
    ASSERT_TRUE(Next(*other, {}).ok()) << "the head";
    std::unique_ptr<CurlTransport> another;
    std::promise<void> done;
    stream->NotifyWhenReady([&] {
      stream = nullptr;
      transport = nullptr;
      if (makes_another) another = MakeTransport({.server = server.url()});
      done.set_value();
    });
    handle.Send("event\n");
    ASSERT_EQ(done.get_future().wait_for(10s), std::future_status::ready);
    const auto part = Next(*other, {});
    ASSERT_FALSE(part.ok());
    EXPECT_EQ(part.error().code, ErrorCode::kCancelled);
    if (another) {
      const auto again = another->Start({.target = "/quiet", .tls = Trust(server.ca_pem())});
      EXPECT_TRUE(Next(*again, {}).ok());
    }
  }
  server.ResetConnections();
  EXPECT_TRUE(server.AwaitOpenConnections(0));
  EXPECT_TRUE(testing_support::AwaitThreadCount(threads));
  EXPECT_TRUE(testing_support::AwaitOpenFdCount(fds));
}

TEST(CurlTransportTest, ABodyCutShortIsADisconnect) {
  ScriptedServer server({.tls = true});
  const auto transport = MakeTransport({.server = server.url()});
  const auto tls = Trust(server.ca_pem());
  for (const bool reset : {false, true}) {
    const StreamHandle handle;
    server.Enqueue(Reply::Stream(handle));
    const auto stream = transport->Start({.target = "/watch", .tls = tls});
    handle.Send("whole\n");
    EXPECT_EQ(NextChunk(*stream), "whole\n");
    if (reset) {
      handle.Abort();
    } else {
      handle.CutInsideChunk("half", 100);
    }
    Result<ResponsePart> part = Next(*stream, {});
    while (part && std::holds_alternative<std::string>(*part)) part = Next(*stream, {});
    ASSERT_FALSE(part.ok());
    EXPECT_EQ(part.error().code, ErrorCode::kDisconnected) << ToString(part.error());
  }
}

TEST(CurlTransportTest, ARefusedConnectionIsUnreachableAndSaysWhere) {
  int port = 0;
  {
    const ScriptedServer gone;
    port = gone.port();
  }
  const auto transport = MakeTransport({.server = "https://127.0.0.1:" + std::to_string(port)});
  const auto answer = RoundTrip(*transport, {.target = "/"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnreachable);
  EXPECT_NE(answer.error().message.find("127.0.0.1:" + std::to_string(port)), std::string::npos);
}

TEST(CurlTransportTest, AServerThatAcceptsAndSaysNothingRunsIntoTheConnectTimeout) {
  ScriptedServer server({.tls = true});
  FaultProxy proxy(server.port());
  proxy.StallAll();
  const auto transport =
      MakeTransport({.server = "https://127.0.0.1:" + std::to_string(proxy.port()), .connect_timeout = 100ms});
  const auto answer = RoundTrip(*transport, {.target = "/", .tls = Trust(server.ca_pem())});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnreachable) << ToString(answer.error());
}

// While the first connection is being established, further requests wait in order to share it if it speaks HTTP/2. None
// waits longer than the connect timeout.
TEST(CurlTransportTest, RequestsThatWaitForAnothersConnectionFailWithIt) {
  ScriptedServer server({.tls = true});
  FaultProxy proxy(server.port());
  proxy.StallAll();
  const auto transport =
      MakeTransport({.server = "https://127.0.0.1:" + std::to_string(proxy.port()), .connect_timeout = 200ms});
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<ResponseStream>> streams;
  for (int i = 0; i < 20; ++i) streams.push_back(transport->Start({.target = "/", .tls = Trust(server.ca_pem())}));
  for (const auto& stream : streams) {
    const auto part = Next(*stream, {});
    ASSERT_FALSE(part.ok());
    EXPECT_EQ(part.error().code, ErrorCode::kUnreachable) << ToString(part.error());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s) << "together, not one after the other";
}

TEST(CurlTransportTest, TheWholeRequestHasADeadline) {
  ScriptedServer server;
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  const auto transport = MakeTransport({.server = server.url()});
  const auto answer = RoundTrip(*transport, {.target = "/", .timeout = 50ms});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kDeadlineExceeded);
}

TEST(CurlTransportTest, SilenceHasADeadline) {
  ScriptedServer server;
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  const auto transport = MakeTransport({.server = server.url()});
  const auto stream = transport->Start({.target = "/", .idle_timeout = 50ms});
  handle.Send("a");
  EXPECT_EQ(NextChunk(*stream), "a");
  const auto part = Next(*stream, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_NE(part.error().message.find("no data from"), std::string::npos);
}

// The kubeconfig's CA replaces the system's roots: a certificate signed by a system root is refused.
TEST(CurlTransportTest, ACertificateFromASystemRootIsRefusedWhenThereIsACa) {
  const TestCa system_root;
  const TestCa cluster_ca;
  const testing_support::TempDir dir;
  ScriptedServer server({.tls = true, .ca = &system_root});
  server.Handle([](const ReceivedRequest&) { return Reply::Json("{}"); });
  const auto transport =
      MakeTransport({.server = server.url(), .system_roots_file = dir.Write("roots.pem", system_root.CertPem())});

  EXPECT_TRUE(RoundTrip(*transport, {.target = "/"}).ok()) << "without a CA the system's roots count";
  const auto refused = RoundTrip(*transport, {.target = "/", .tls = Trust(cluster_ca.CertPem())});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kTls) << ToString(refused.error());
  EXPECT_EQ(server.Requests().size(), 1U);
}

TEST(CurlTransportTest, AnUnknownAuthorityIsRefusedUnlessToldNotToVerify) {
  ScriptedServer server({.tls = true});
  server.Handle([](const ReceivedRequest&) { return Reply::Json("{}"); });
  const auto transport = MakeTransport({.server = server.url()});
  const auto refused = RoundTrip(*transport, {.target = "/"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kTls);
  EXPECT_TRUE(
      RoundTrip(*transport, {.target = "/",
                             .tls = std::make_shared<const TlsMaterial>(TlsMaterial{.insecure_skip_tls_verify = true})})
          .ok());
}

TEST(CurlTransportTest, AnotherTlsServerNameIsVerifiedWhileTheHostStays) {
  const TestCa ca;
  ScriptedServer server({.tls = true, .ca = &ca, .certificate = {.dns = {"kubernetes.test"}, .ips = {}}});
  server.Handle([](const ReceivedRequest&) { return Reply::Json("{}"); });
  const auto transport = MakeTransport({.server = server.url()});
  EXPECT_FALSE(RoundTrip(*transport, {.target = "/", .tls = Trust(ca.CertPem())}).ok());
  const auto named =
      std::make_shared<const TlsMaterial>(TlsMaterial{.ca_pem = ca.CertPem(), .server_name = "kubernetes.test"});
  const auto answer = RoundTrip(*transport, {.target = "/", .tls = named});
  ASSERT_TRUE(answer.ok()) << ToString(answer.error());
  EXPECT_EQ(server.Requests().back().Header("Host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST(CurlTransportTest, ShowsItsClientCertificateAndARotatedOneOnTheNextRequest) {
  const TestCa ca;
  ScriptedServer server({.tls = true, .ca = &ca, .client_ca_pem = ca.CertPem(), .require_client_certificate = true});
  server.Handle([](const ReceivedRequest& r) { return Reply::Json(r.client_cn); });
  const auto transport = MakeTransport({.server = server.url()});
  for (const char* name : {"alice", "bob"}) {
    const auto pair = ca.IssueClient({.common_name = name});
    const auto tls = std::make_shared<const TlsMaterial>(TlsMaterial{
        .ca_pem = ca.CertPem(), .client_certificate_pem = pair.cert_pem, .client_key_pem = Secret(pair.key_pem)});
    const auto answer = RoundTrip(*transport, {.target = "/", .tls = tls});
    ASSERT_TRUE(answer.ok()) << ToString(answer.error());
    EXPECT_EQ(answer->body, name);
  }
}

TEST(CurlTransportTest, RefusesControlCharactersAndDoesNotShowTheHeadersValue) {
  ScriptedServer server;
  const auto transport = MakeTransport({.server = server.url()});
  const std::vector<Request> bad = {
      {.method = "GET\r\nX: y", .target = "/"},
      {.target = "/a\r\nX: y"},
      {.target = "/a b"},
      {.target = "no-slash"},
      {.target = "/", .headers = {{"A\nB", "c"}}},
      {.target = "/", .headers = {{"Authorization", "Bearer hunter2\r\nX: y"}}},
  };
  for (const Request& request : bad) {
    const auto answer = RoundTrip(*transport, request);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(answer.error().message.find("hunter2"), std::string::npos);
  }
  EXPECT_TRUE(server.Requests().empty());
}

TEST(CurlTransportTest, BoundsTheResponsesHeaders) {
  ScriptedServer server;
  std::string endless = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 5'000; ++i) endless += "X-H" + std::to_string(i) + ": " + std::string(100, 'x') + "\r\n";
  server.Enqueue({.raw = endless + "\r\n"});
  const auto transport = MakeTransport({.server = server.url()});
  const auto answer = RoundTrip(*transport, {.target = "/"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kTooLarge) << ToString(answer.error());
}

TEST(CurlTransportTest, AGzippedAnswerIsUnpackedWhereItWasAskedFor) {
  using std::string_view_literals::operator""sv;
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x2b\xcd\x2b\x48\x4c\xce\x4e\x4d\x01\x00\x96\x62\x2f\xca\x08\x00\x00\x00"sv);
  ScriptedServer server;
  server.Handle([&](const ReceivedRequest&) {
    return Reply{.headers = {{"Content-Encoding", "gzip"}}, .body = packed};
  });
  const auto transport = MakeTransport({.server = server.url()});
  const auto asked = RoundTrip(*transport, {.target = "/", .headers = {{"Accept-Encoding", "gzip"}}});
  ASSERT_TRUE(asked.ok()) << ToString(asked.error());
  EXPECT_EQ(asked->body, "unpacked");
  EXPECT_EQ(server.Requests().back().Header("Accept-Encoding"), "gzip");
  EXPECT_EQ(RoundTrip(*transport, {.target = "/"})->body, packed) << "not asked for: handed over as it is";
}

TEST(CurlTransportTest, WhatIsNotHttpIsMalformed) {
  ScriptedServer server;
  server.Enqueue({.raw = "SSH-2.0-OpenSSH_9.2\r\n"});
  const auto transport = MakeTransport({.server = server.url()});
  const auto answer = RoundTrip(*transport, {.target = "/"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kMalformed) << ToString(answer.error());
}

// The buffer limit applies back-pressure to the server; nothing is lost, the rest arrives once the reader reads.
TEST(CurlTransportTest, ASlowReaderHoldsTheServerUpAndLosesNothing) {
  ScriptedServer server({.tls = true});
  FaultProxy counter(server.port());
  constexpr std::size_t kChunk = 64U << 10U;
  constexpr int kChunks = 800;  // 50 MiB, far beyond what sockets and queues hold
  server.Enqueue({.stream = [](testing_support::BodyWriter& writer) {
    for (int i = 0; i < kChunks; ++i) {
      if (!writer.Write(std::string(kChunk, static_cast<char>('a' + i % 26)))) return false;
    }
    return true;
  }});
  const auto transport =
      MakeTransport({.server = "https://127.0.0.1:" + std::to_string(counter.port()), .queue_bytes = 256U << 10U});
  const auto stream = transport->Start({.target = "/", .tls = Trust(server.ca_pem())});
  ASSERT_TRUE(Next(*stream, {}).ok());
  // The head has arrived; wait until nothing more flows.
  std::uint64_t seen = 0;
  while (counter.AwaitBytesToClients(seen + 1, 300ms)) seen = counter.bytes_to_clients();
  EXPECT_LT(seen, std::uint64_t{kChunk} * kChunks / 2);

  std::size_t received = 0;
  bool in_order = true;
  for (;;) {
    auto part = Next(*stream, {});
    ASSERT_TRUE(part.ok()) << ToString(part.error());
    if (std::holds_alternative<ResponseEnd>(*part)) break;
    for (const char c : std::get<std::string>(*part)) {
      in_order = in_order && c == static_cast<char>('a' + (received / kChunk) % 26);
      ++received;
    }
  }
  EXPECT_EQ(received, kChunk * kChunks);
  EXPECT_TRUE(in_order);
}

// The proxy keeps TCP open but forwards nothing, which is what a half-open connection looks like. On HTTP/1.1 the probe
// uses a new connection and succeeds; the watch is given up regardless, because it can be resumed.
TEST(CurlTransportTest, AWatchOnAStalledConnectionFailsAndTheNextOneGetsThrough) {
  ScriptedServer server({.tls = true});
  FaultProxy proxy(server.port());
  server.Handle([](const ReceivedRequest& r) {
    if (r.target == "/version") return Reply::Json("{}");
    const StreamHandle handle;
    handle.Send("event\n");
    return Reply::Stream(handle);
  });
  const auto transport = MakeTransport({.server = "https://127.0.0.1:" + std::to_string(proxy.port()),
                                        .health = {.probe_after = 200ms, .probe_timeout = 100ms}});
  const Request watch{.target = "/watch", .resumable = true, .tls = Trust(server.ca_pem())};
  const auto stream = transport->Start(watch);
  EXPECT_EQ(NextChunk(*stream), "event\n");
  proxy.StallExisting();
  const auto part = Next(*stream, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kDisconnected);
  EXPECT_NE(part.error().message.find("silent"), std::string::npos) << ToString(part.error());
  const auto again = transport->Start(watch);
  EXPECT_EQ(NextChunk(*again), "event\n");
}

TEST(CurlTransportTest, ARequestOnAServerThatStoppedAnsweringFailsAfterTheProbe) {
  ScriptedServer server({.tls = true});
  FaultProxy proxy(server.port());
  const StreamHandle handle;
  server.Enqueue(Reply::Stream(handle));
  const auto transport = MakeTransport({.server = "https://127.0.0.1:" + std::to_string(proxy.port()),
                                        .health = {.probe_after = 100ms, .probe_timeout = 100ms}});
  const auto stream = transport->Start({.target = "/log", .tls = Trust(server.ca_pem())});
  handle.Send("line\n");
  EXPECT_EQ(NextChunk(*stream), "line\n");
  proxy.StallAll();
  const auto part = Next(*stream, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kDisconnected) << ToString(part.error());
}

TEST(CurlTransportTest, AQuietStreamThatCannotBeResumedStaysWhileTheServerAnswersProbes) {
  ScriptedServer server({.tls = true});
  const StreamHandle handle;
  server.Handle(
      [&](const ReceivedRequest& r) { return r.target == "/version" ? Reply::Json("{}") : Reply::Stream(handle); });
  const auto transport = MakeTransport({.server = server.url(), .health = {.probe_after = 30ms, .probe_timeout = 1s}});
  const auto stream = transport->Start({.target = "/log", .tls = Trust(server.ca_pem())});
  ASSERT_TRUE(server.AwaitRequests(3)) << "the stream and two probes";
  handle.Send("late line\n");
  EXPECT_EQ(NextChunk(*stream), "late line\n");
}

TEST(CurlTransportTest, ABadServerUrlIsToldAtOnce) {
  EXPECT_EQ(CurlTransport::Create({.server = "ftp://x"}).error().code, ErrorCode::kInvalidConfig);
}

TEST(CurlTransportTest, ABadProxyUrlIsToldAtOnce) {
  for (const char* proxy : {"proxy:3128", "ftp://proxy:3128", "http://", "http://u:hunter2@proxy:0"}) {
    const auto transport = CurlTransport::Create({.server = "https://cluster.test:6443", .proxy_url = proxy});
    ASSERT_FALSE(transport.ok()) << proxy;
    EXPECT_EQ(transport.error().code, ErrorCode::kInvalidConfig) << proxy;
    EXPECT_EQ(transport.error().message.find("hunter2"), std::string::npos) << transport.error().message;
  }
}

TEST(CurlTransportTest, AProxyThatIsNotThereIsNamedAsUnreachable) {
  int port = 0;
  {
    const ScriptedServer gone;
    port = gone.port();
  }
  const auto transport =
      MakeTransport({.server = "http://cluster.test:80", .proxy_url = "http://127.0.0.1:" + std::to_string(port)});
  const auto answer = RoundTrip(*transport, {.target = "/"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnreachable);
}

TEST(CurlTransportTest, AProxyGetsTheRequestForAPlainServer) {
  ScriptedServer proxy;
  proxy.Enqueue(Reply::Json("through"));
  const auto transport = MakeTransport({.server = "http://cluster.test:80", .proxy_url = proxy.url()});
  const auto answer = RoundTrip(*transport, {.target = "/version"});
  ASSERT_TRUE(answer.ok()) << ToString(answer.error());
  EXPECT_EQ(answer->body, "through");
}

TEST(CurlTransportTest, ManyRequestsAtOnceAllComeBack) {
  ScriptedServer server({.tls = true});
  server.Handle([](const ReceivedRequest& r) { return Reply::Json(r.target); });
  const auto transport = MakeTransport({.server = server.url()});
  std::vector<std::unique_ptr<ResponseStream>> streams;
  for (int i = 0; i < 50; ++i) {
    streams.push_back(transport->Start({.target = "/" + std::to_string(i), .tls = Trust(server.ca_pem())}));
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(ReadBody(*streams[static_cast<std::size_t>(i)], 100, {}).value(), "/" + std::to_string(i));
  }
}

}  // namespace
}  // namespace kinformer::internal
