#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/tcp.h>

#include <atomic>
#include <thread>

#include "src/http/http_server.h"
#include "test/http/raw_client.h"
#include "test/http/running_server.h"
#include "test/support/curl_get.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A server whose handler begins a stream for every request and passes it to the test.
class StreamServer {
 public:
  explicit StreamServer(HttpServerOptions options = {})
      : server_(
            [this](const std::shared_ptr<HttpExchange>& exchange) {
              streams_.Set(exchange->BeginStream(200, {{"Content-Type", "application/json"}}));
            },
            std::move(options)) {}

  RunningServer& server() { return server_; }
  std::uint16_t port() const { return server_.port(); }
  /// Sends a request and returns the stream that answers it. The client has read the response head.
  std::shared_ptr<HttpStream> Open(RawClient& client) {
    client.Send(Get("/watch"));
    auto stream = streams_.Get();
    EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
    return stream;
  }
  std::shared_ptr<HttpStream> Next() { return streams_.Get(); }

 private:
  Awaited<std::shared_ptr<HttpStream>> streams_;
  RunningServer server_;
};

std::size_t FillUntilItWaits(HttpStream& stream, std::size_t limit) {
  const Buffer block(std::string(256 * 1024, 'x'));
  std::size_t written = 0;
  while (written < limit && stream.Write(block)) written += block.bytes.size();
  return written;
}

TEST(HttpStreamTest, SendsEachMessageAsAChunkAtOnce) {
  StreamServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  EXPECT_TRUE(stream->Write(Buffer::Static("{\"type\":\"ADDED\"}\n")));
  EXPECT_EQ(client.ReadUntil("\n\r\n"), "11\r\n{\"type\":\"ADDED\"}\n\r\n");
  const std::array<Buffer, 3> parts = {Buffer::Static("one "), Buffer(), Buffer(std::string("two"))};
  EXPECT_TRUE(stream->Write(parts));
  EXPECT_EQ(client.ReadBytes(12), "7\r\none two\r\n");
  EXPECT_TRUE(stream->Write(Buffer()));  // does not end the stream
  stream->End();
  EXPECT_EQ(client.ReadBytes(5), "0\r\n\r\n");
  EXPECT_FALSE(stream->Write(Buffer::Static("x")));
  EXPECT_TRUE(stream->IsClosed());
}

TEST(HttpStreamTest, TheConnectionServesTheNextRequestAfterTheEnd) {
  StreamServer server;
  RawClient client(server.port());
  server.Open(client)->End();
  EXPECT_EQ(client.ReadBytes(5), "0\r\n\r\n");
  const auto second = server.Open(client);
  second->Write(Buffer::Static("again"));
  EXPECT_EQ(client.ReadBytes(10), "5\r\nagain\r\n");
}

TEST(HttpStreamTest, AHandleOfAnEndedStreamHasNoSayInTheNext) {
  StreamServer server;
  RawClient client(server.port());
  const auto first = server.Open(client);
  first->End();
  EXPECT_EQ(client.ReadBytes(5), "0\r\n\r\n");
  const auto second = server.Open(client);
  EXPECT_FALSE(first->Write(Buffer::Static("stale")));
  first->Raw().Reset();
  first->Raw().WriteRaw(Buffer::Static("stale"));
  first->Raw().Abort();
  first->OnClosed([] { ADD_FAILURE() << "a stream that has ended was closed"; });
  second->Write(Buffer::Static("fresh"));
  EXPECT_EQ(client.ReadBytes(10), "5\r\nfresh\r\n");
}

TEST(HttpStreamTest, OfHttp10EndsWithTheConnection) {
  StreamServer server;
  RawClient client(server.port());
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto stream = server.Next();
  stream->Write(Buffer::Static("plain"));
  stream->End();
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, EndsWith("\r\n\r\nplain"));
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpStreamTest, OfHeadIsItsHeadAlone) {
  StreamServer server;
  RawClient client(server.port());
  client.Send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto stream = server.Next();
  EXPECT_FALSE(stream->Write(Buffer::Static("x")));
  stream->End();
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  server.Open(client)->End();
}

TEST(HttpStreamTest, DroppedWithoutItsEndTheConnectionIsCut) {
  StreamServer server;
  RawClient client(server.port());
  server.Open(client)->Write(Buffer::Static("half"));
  EXPECT_EQ(client.ReadAll(), "4\r\nhalf\r\n");
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpStreamTest, NoticesThatThePeerHasGoneWithoutWritingToIt) {
  StreamServer server;
  for (const bool reset : {false, true}) {
    RawClient client(server.port());
    const auto stream = server.Open(client);
    Awaited<bool> closed;
    stream->OnClosed([&] { closed.Set(true); });
    if (reset) testing_support::ResetOnClose(client.fd());
    client.Close();
    EXPECT_TRUE(closed.Get());
    EXPECT_TRUE(stream->IsClosed());
    EXPECT_FALSE(stream->Write(Buffer::Static("x")));
    Awaited<bool> late;
    stream->OnClosed([&] { late.Set(true); });
    EXPECT_TRUE(late.IsSet());
  }
}

TEST(HttpStreamTest, CountsWhatWaitsAndCallsBackWhenNothingDoes) {
  StreamServer server;
  RawClient client(server.port(), 128 * 1024);
  const auto stream = server.Open(client);
  const std::size_t written = FillUntilItWaits(*stream, 24U << 20U);
  EXPECT_EQ(written, 24U << 20U);
  EXPECT_GT(stream->QueuedBytes(), 8U << 20U);
  std::atomic<int> calls = 0;
  Awaited<bool> drained;
  stream->NotifyWhenDrained([&] {
    ++calls;
    drained.Set(true);
  });
  EXPECT_FALSE(drained.IsSet());
  std::size_t read = 0;
  while (!drained.IsSet()) {
    const std::string some = client.ReadSome(milliseconds(10), 1U << 20U);
    read += some.size();
  }
  EXPECT_EQ(stream->QueuedBytes(), 0U);
  EXPECT_GT(read, 8U << 20U);
  // Nothing is queued any more, so the next message leaves immediately. The callback ran only once.
  stream->End();
  std::string last;
  while (!last.ends_with("0\r\n\r\n")) {
    const std::string some = client.ReadSome();
    ASSERT_FALSE(some.empty());
    read += some.size();
    last = (last + some).substr(last.size() + some.size() > 16 ? last.size() + some.size() - 16 : 0);
  }
  EXPECT_EQ(read, written + (written / (256 * 1024)) * 9 + 5);  // "40000\r
                                                                // " and "\r
                                                                // " around each message
  EXPECT_EQ(calls, 1);
}

TEST(HttpStreamTest, CallsBackAtOnceWhereNothingWaits) {
  StreamServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  Awaited<bool> drained;
  stream->NotifyWhenDrained([&] { drained.Set(true); });
  EXPECT_TRUE(drained.Get());
}

TEST(HttpStreamTest, CutsOffAPeerThatDoesNotRead) {
  StreamServer server({.limits = {.write_timeout = milliseconds(150)}});
  RawClient slow(server.port(), 4096);
  RawClient other(server.port());
  const auto stream = server.Open(slow);
  const auto beside = server.Open(other);
  Awaited<bool> closed;
  Awaited<bool> drained;
  stream->OnClosed([&] { closed.Set(true); });
  FillUntilItWaits(*stream, 32U << 20U);
  stream->NotifyWhenDrained([&] { drained.Set(true); });
  EXPECT_TRUE(closed.Get());
  EXPECT_TRUE(drained.Get());
  EXPECT_EQ(stream->QueuedBytes(), 0U);
  // Other connections are unaffected.
  EXPECT_TRUE(beside->Write(Buffer::Static("fine")));
  EXPECT_EQ(other.ReadBytes(9), "4\r\nfine\r\n");
}

TEST(HttpStreamTest, APeerThatReadsSlowlyIsNotCutOff) {
  StreamServer server({.limits = {.write_timeout = milliseconds(1000)}});
  RawClient client(server.port(), 65536);
  const auto stream = server.Open(client);
  FillUntilItWaits(*stream, 24U << 20U);
  stream->End();
  const auto begin = std::chrono::steady_clock::now();
  std::string tail;
  std::size_t read = 0;
  while (!tail.ends_with("0\r\n\r\n")) {
    const std::string some = client.ReadSome(std::chrono::seconds(20), 64 * 1024);
    ASSERT_FALSE(some.empty()) << "after " << read;
    read += some.size();
    tail = some.size() < 16 ? tail + some : some;
    // Never fast enough to finish within one write timeout.
    std::this_thread::sleep_until(begin + milliseconds(read / (12 * 1024)));
  }
  EXPECT_GT(std::chrono::steady_clock::now() - begin, milliseconds(1500));
}

TEST(HttpStreamTest, MessagesOfManyThreadsComeWholeAndInEachThreadsOrder) {
  StreamServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&stream, t] {
      for (int i = 0; i < 500; ++i) stream->Write(Buffer(std::to_string(t) + ":" + std::to_string(i)));
    });
  }
  std::array<int, 4> next{};
  for (int i = 0; i < 2000; ++i) {
    const std::string size = client.ReadUntil("\r\n");
    const std::string chunk = client.ReadUntil("\r\n");
    ASSERT_EQ(std::stoul(size, nullptr, 16), chunk.size() - 2);
    int& expected = next.at(static_cast<std::size_t>(chunk[0] - '0'));
    ASSERT_EQ(std::stoi(chunk.substr(2)), expected);
    ++expected;
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpFaultTest, ResetsInTheMiddleOfALine) {
  StreamServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  stream->Write(Buffer::Static("whole\n"));
  stream->Raw().WriteRaw(Buffer::Static("20\r\n{\"type\":\"MOD"));
  stream->Raw().Reset();
  EXPECT_FALSE(stream->Write(Buffer::Static("more")));
  EXPECT_TRUE(closed.Get());
  EXPECT_EQ(client.ReadAll(), "6\r\nwhole\n\r\n20\r\n{\"type\":\"MOD");
  EXPECT_EQ(client.end(), RawClient::End::kReset);
}

TEST(HttpFaultTest, ResetsInsteadOfAnAnswer) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) { exchange->Raw().Reset(); });
  RawClient client(server.port());
  client.Send(Get("/"));
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(client.end(), RawClient::End::kReset);
}

TEST(HttpFaultTest, AbortDropsWhatWaits) {
  StreamServer server;
  RawClient client(server.port(), 4096);
  const auto stream = server.Open(client);
  FillUntilItWaits(*stream, 32U << 20U);
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  stream->Raw().Abort();
  EXPECT_TRUE(closed.Get());
  EXPECT_LT(client.ReadAll().size(), 32U << 20U);
  EXPECT_EQ(client.end(), RawClient::End::kReset);
}

TEST(HttpFaultTest, ClosesCleanlyWithoutTheEndOfTheBody) {
  StreamServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  stream->Write(Buffer::Static("one"));
  stream->Raw().CloseCleanly();
  EXPECT_EQ(client.ReadAll(), "3\r\none\r\n");
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(HttpFaultTest, AStalledConnectionStaysOpenAndSilent) {
  StreamServer server({.limits = {.header_timeout = milliseconds(50),
                                  .body_timeout = milliseconds(50),
                                  .idle_timeout = milliseconds(50),
                                  .write_timeout = milliseconds(50),
                                  .linger_timeout = milliseconds(50)}});
  RawClient client(server.port());
  auto stream = server.Open(client);
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  stream->Write(Buffer::Static("last"));
  stream->Raw().Stall();
  EXPECT_EQ(client.ReadBytes(9), "4\r\nlast\r\n");
  EXPECT_FALSE(stream->Write(Buffer::Static("more")));
  EXPECT_TRUE(closed.Get());
  stream->End();
  stream.reset();
  client.Send(Get("/"));
  EXPECT_EQ(client.ReadSome(milliseconds(300)), "");
  EXPECT_EQ(client.end(), RawClient::End::kOpen);
  EXPECT_EQ(server.server()->ConnectionCount(), 1U);
  client.Close();
  while (server.server()->ConnectionCount() > 0) std::this_thread::yield();
}

TEST(HttpFaultTest, StallsInsteadOfAnAnswerUntilTheServerStops) {
  RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) { exchange->Raw().Stall(); });
  RawClient client(server.port());
  client.Send(Get("/"));
  EXPECT_EQ(client.ReadSome(milliseconds(200)), "");
  EXPECT_EQ(client.end(), RawClient::End::kOpen);
  server->Stop();
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_NE(client.end(), RawClient::End::kOpen);
}

TEST(HttpFaultTest, SendsAByteAtATime) {
  StreamServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  stream->Raw().ByteByByte(true);
  stream->Write(Buffer::Static("abc"));
  stream->Raw().ByteByByte(false);
  stream->Write(Buffer::Static("def"));
  EXPECT_EQ(client.ReadBytes(26), "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n3\r\ndef\r\n");
  tcp_info info{};
  socklen_t size = sizeof info;
  ASSERT_EQ(::getsockopt(client.fd(), IPPROTO_TCP, TCP_INFO, &info, &size), 0);
  EXPECT_GE(info.tcpi_data_segs_in, 18U);
}

TEST(HttpFaultTest, SendsAnAnswerAByteAtATime) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->Raw().ByteByByte(true);
    exchange->Respond(200, {}, std::string(3000, 'x'));
  });
  testing_support::CurlClient client;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.Request(server.Url("/")).body, std::string(3000, 'x'));
}

TEST(HttpFaultTest, AnswersWithBytesOfItsOwn) {
  const RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->Raw().WriteRaw(Buffer::Static("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
    exchange->Raw().CloseCleanly();
  });
  const auto result = testing_support::CurlGet(server.Url("/"));
  EXPECT_EQ(result.code, CURLE_PARTIAL_FILE);
  EXPECT_EQ(result.body, "only this");
}

TEST(HttpStreamTest, StopEndsAThousandOpenStreams) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpStream>> streams;
  std::atomic<int> closed = 0;
  RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) {
    auto stream = exchange->BeginStream(200, {});
    stream->OnClosed([&] { ++closed; });
    stream->Write(Buffer::Static("x"));
    const std::lock_guard lock(mutex);
    streams.push_back(std::move(stream));
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    ASSERT_TRUE(clients.back()->Send(Get("/")));
  }
  for (const auto& client : clients) ASSERT_THAT(client->ReadUntil("x\r\n"), EndsWith("1\r\nx\r\n"));
  EXPECT_EQ(server->ConnectionCount(), 1000U);
  // A writer keeps writing to all of them.
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const Buffer message(std::string(1000, 'y'));
    while (!stop) {
      for (const auto& stream : streams) stream->Write(message);
    }
  });
  server->Stop();
  stop = true;
  writer.join();
  EXPECT_EQ(closed, 1000);
  EXPECT_EQ(server->ConnectionCount(), 0U);
  for (const auto& stream : streams) EXPECT_FALSE(stream->Write(Buffer::Static("x")));
}

}  // namespace
}  // namespace kinformer::apiserver
