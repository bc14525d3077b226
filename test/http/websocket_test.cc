#include "src/http/websocket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "src/http/http_server.h"
#include "test/http/raw_client.h"
#include "test/http/running_server.h"

namespace kinformer::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

std::string ClientFrame(unsigned first, std::string_view payload) {
  std::string frame{static_cast<char>(first)};
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80U | payload.size());
  } else {
    frame += static_cast<char>(0x80U | 126U);
    frame += static_cast<char>(payload.size() >> 8U);
    frame += static_cast<char>(payload.size() & 0xffU);
  }
  const std::string mask = "\x11\x22\x33\x44";
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

TEST(WebSocketTest, AcceptsAKeyAsTheRfcsExampleDoes) {
  EXPECT_EQ(WebSocketAccept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocketTest, EncodesLengthsInTheirThreeForms) {
  std::array<char, kMaxWebSocketHead> head{};
  EXPECT_EQ(EncodeWebSocketHead(WebSocketOpcode::kText, 125, head), 2U);
  EXPECT_EQ(std::string(head.data(), 2), "\x81\x7d");
  EXPECT_EQ(EncodeWebSocketHead(WebSocketOpcode::kText, 126, head), 4U);
  EXPECT_EQ(std::string(head.data(), 4), std::string("\x81\x7e\x00\x7e", 4));
  EXPECT_EQ(EncodeWebSocketHead(WebSocketOpcode::kText, 0x10000, head), 10U);
  EXPECT_EQ(std::string(head.data(), 10), std::string("\x81\x7f\0\0\0\0\0\x01\0\0", 10));
}

TEST(WebSocketTest, ReadsControlFramesAmongOthersInAnyPieces) {
  const std::string bytes = ClientFrame(0x01, std::string(300, 'a')) + ClientFrame(0x89, "ping") +
                            ClientFrame(0x80, "end") + ClientFrame(0x82, "") + ClientFrame(0x8A, "") +
                            ClientFrame(0x88, std::string("\x03\xe8", 2)) + ClientFrame(0x89, "dropped");
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    WebSocketReader reader;
    std::vector<std::pair<WebSocketOpcode, std::string>> seen;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      ASSERT_TRUE(reader.Feed(std::string_view(bytes).substr(at, size),
                              [&](WebSocketOpcode opcode, std::string_view p) { seen.emplace_back(opcode, p); }));
    }
    EXPECT_THAT(seen, ElementsAre(Pair(WebSocketOpcode::kPing, "ping"), Pair(WebSocketOpcode::kPong, ""),
                                  Pair(WebSocketOpcode::kClose, "\x03\xe8")));
  }
}

TEST(WebSocketTest, RefusesWhatTheProtocolForbids) {
  const auto good = [](const std::string& bytes) { return WebSocketReader().Feed(bytes, [](auto, auto) {}); };
  EXPECT_TRUE(good(ClientFrame(0x81, "x")));
  EXPECT_FALSE(good(std::string("\x81\x01x", 3)));                        // not masked
  EXPECT_FALSE(good(ClientFrame(0xC1, "x")));                             // reserved bit
  EXPECT_FALSE(good(ClientFrame(0x83, "x")));                             // reserved opcode
  EXPECT_FALSE(good(ClientFrame(0x09, "x")));                             // fragmented control frame
  EXPECT_FALSE(good(ClientFrame(0x89, std::string(126, 'x'))));           // control frame longer than 125 bytes
  EXPECT_FALSE(good(ClientFrame(0x80, "x")));                             // continuation without a start
  EXPECT_FALSE(good(ClientFrame(0x01, "x") + ClientFrame(0x81, "x")));    // new message inside a fragmented one
  EXPECT_FALSE(good(ClientFrame(0x88, "x")));                             // truncated close code
  EXPECT_FALSE(good(std::string("\x82\xff\xff\0\0\0\0\0\0\0mask", 14)));  // invalid 64-bit length
}

/// A server that upgrades every request to a WebSocket and passes it to the test.
class WebSocketServer {
 public:
  explicit WebSocketServer(HttpServerOptions options = {})
      : server_(
            [this](const std::shared_ptr<HttpExchange>& exchange) {
              auto stream = exchange->AcceptWebSocket({"v2.example", "v1.example"});
              if (!stream) return exchange->Respond(400, {}, stream.error().message);
              streams_.Set(*stream);
            },
            std::move(options)) {}

  std::uint16_t port() const { return server_.port(); }
  RunningServer& server() { return server_; }
  std::shared_ptr<WebSocketStream> Open(RawClient& client, std::string_view more_headers = {}) {
    client.Send(Handshake(more_headers));
    head_ = client.ReadUntil("\r\n\r\n");
    EXPECT_THAT(head_, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
    EXPECT_THAT(head_, HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    EXPECT_THAT(head_, HasSubstr("Connection: Upgrade\r\n"));
    EXPECT_THAT(head_, Not(HasSubstr("Content-Length")));
    return streams_.Get();
  }
  static std::string Handshake(std::string_view more_headers = {}) {
    return Get("/watch",
               "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                   std::string(more_headers));
  }
  const std::string& head() const { return head_; }

 private:
  std::string head_;
  Awaited<std::shared_ptr<WebSocketStream>> streams_;
  RunningServer server_;
};

TEST(WebSocketStreamTest, SendsEachMessageAsATextFrame) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  const std::array<Buffer, 2> parts = {Buffer::Static("he"), Buffer::Static("llo")};
  EXPECT_TRUE(stream->Write(parts));
  EXPECT_TRUE(stream->Write(Buffer(std::string(300, 'x'))));
  EXPECT_TRUE(stream->Write(Buffer()));
  EXPECT_EQ(client.ReadBytes(7), "\x81\x05hello");
  EXPECT_EQ(client.ReadBytes(304), "\x81\x7e\x01\x2c" + std::string(300, 'x'));
  EXPECT_EQ(client.ReadBytes(2), std::string("\x81\x00", 2));
}

TEST(WebSocketStreamTest, ChoosesTheFirstSubprotocolThatBothKnow) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client,
                                  "Sec-WebSocket-Protocol: other, v1.example\r\n"
                                  "Sec-WebSocket-Protocol: v2.example\r\n");
  EXPECT_THAT(server.head(), HasSubstr("Sec-WebSocket-Protocol: v1.example\r\n"));
  RawClient none(server.port());
  const auto without = server.Open(none, "Sec-WebSocket-Protocol: other\r\n");
  EXPECT_THAT(server.head(), Not(HasSubstr("Sec-WebSocket-Protocol")));
}

TEST(WebSocketStreamTest, ClosesWithACodeAndWaitsForThePeers) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  stream->OnClosed([] { ADD_FAILURE() << "our own end"; });
  stream->Write(Buffer::Static("bye"));
  stream->Close(1000);
  EXPECT_FALSE(stream->Write(Buffer::Static("more")));
  EXPECT_EQ(client.ReadBytes(9), std::string("\x81\x03"
                                             "bye\x88\x02\x03\xe8",
                                             9));
  EXPECT_EQ(server.server()->ConnectionCount(), 1U);
  client.Send(ClientFrame(0x81, "unheard") + ClientFrame(0x88, std::string("\x03\xe8", 2)));
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(client.end(), RawClient::End::kFin);
}

TEST(WebSocketStreamTest, DoesNotWaitForThePeersCloseForEver) {
  WebSocketServer server({.limits = {.linger_timeout = std::chrono::milliseconds(100)}});
  RawClient client(server.port());
  server.Open(client)->Close(1001, std::string(200, 'r'));
  EXPECT_EQ(client.ReadAll(), "\x88\x7d\x03\xe9" + std::string(123, 'r'));
}

TEST(WebSocketStreamTest, DroppedItIsGoingAway) {
  WebSocketServer server;
  RawClient client(server.port());
  server.Open(client);
  EXPECT_EQ(client.ReadBytes(4), "\x88\x02\x03\xe9");
}

TEST(WebSocketStreamTest, AnswersPingsAndDropsTheRest) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  client.Send(ClientFrame(0x81, std::string(60000, 't')) + ClientFrame(0x89, "are you there") + ClientFrame(0x8A, ""));
  EXPECT_EQ(client.ReadBytes(15),
            "\x8a\x0d"
            "are you there");
  stream->Write(Buffer::Static("ok"));
  EXPECT_EQ(client.ReadBytes(4), "\x81\x02ok");
}

TEST(WebSocketStreamTest, EchoesThePeersCloseAndTellsOfIt) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  client.Send(ClientFrame(0x88, std::string("\x03\xe9gone", 6)));
  EXPECT_TRUE(closed.Get());
  EXPECT_EQ(client.ReadAll(), "\x88\x02\x03\xe9");
  EXPECT_EQ(client.end(), RawClient::End::kFin);
  EXPECT_FALSE(stream->Write(Buffer::Static("x")));
}

TEST(WebSocketStreamTest, ClosesOnAPeerThatBreaksTheProtocol) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  client.Send(std::string_view("\x81\x01x", 3));
  EXPECT_EQ(client.ReadAll(), "\x88\x02\x03\xea");
  EXPECT_TRUE(closed.Get());
}

TEST(WebSocketStreamTest, NoticesThatThePeerHasGone) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  Awaited<bool> closed;
  stream->OnClosed([&] { closed.Set(true); });
  client.Close();
  EXPECT_TRUE(closed.Get());
}

TEST(WebSocketStreamTest, CanBeReset) {
  WebSocketServer server;
  RawClient client(server.port());
  const auto stream = server.Open(client);
  stream->Raw().WriteRaw(Buffer::Static("\x81\x05he"));
  stream->Raw().Reset();
  EXPECT_EQ(client.ReadAll(), "\x81\x05he");
  EXPECT_EQ(client.end(), RawClient::End::kReset);
}

TEST(WebSocketStreamTest, WhatOpensNoneGetsAnOrdinaryAnswer) {
  WebSocketServer server;
  RawClient client(server.port());
  client.Send(Get("/"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 400"));
  client.Send(Get("/",
                  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 400"));
  client.Send(Get("/",
                  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Key: short\r\n"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 400"));
}

}  // namespace
}  // namespace kinformer::apiserver
