#include <gmock/gmock.h>

#include "test/apiserver/server/raw_client.h"
#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Frame {
  int opcode = 0;
  std::string payload;
};

/// Parses the server's frames, which are unmasked.
std::vector<Frame> Frames(std::string_view bytes) {
  std::vector<Frame> frames;
  while (bytes.size() >= 2) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    std::size_t size = byte(1) & 0x7FU;
    std::size_t head = 2;
    if (size == 126) {
      size = byte(2) << 8U | byte(3);
      head = 4;
    }
    frames.push_back({static_cast<int>(byte(0) & 0xFU), std::string(bytes.substr(head, size))});
    bytes.remove_prefix(std::min(bytes.size(), head + size));
  }
  return frames;
}

TEST_F(ServerTest, AWatchOverAWebSocketIsOneFrameForEachEventAndClosesWith1000) {
  StartServer();
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("b")));
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  RawClient socket(server_->Url(), context.get());
  socket.Send(
      "GET /api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1 HTTP/1.1\r\nHost: x\r\n"
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer " +
      server_->Token().Reveal() + "\r\n\r\n");
  std::string bytes = socket.Receive();
  while (bytes.find("\r\n\r\n") == std::string::npos) bytes += socket.Receive();
  EXPECT_THAT(bytes, StartsWith("HTTP/1.1 101 "));
  std::vector<Frame> frames;
  do {
    frames = Frames(std::string_view(bytes).substr(bytes.find("\r\n\r\n") + 4));
    if (!frames.empty() && frames.back().opcode == 8) break;
    const std::string more = socket.Receive();
    ASSERT_FALSE(more.empty());
    bytes += more;
  } while (true);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].opcode, 1);
  EXPECT_EQ(nlohmann::json::parse(frames[0].payload)["object"]["metadata"]["name"], "a");
  EXPECT_EQ(nlohmann::json::parse(frames[1].payload)["type"], "ADDED");
  EXPECT_EQ(frames[2].payload.substr(0, 2), std::string("\x03\xe8", 2));
}

TEST_F(ServerTest, AClientThatVanishesFromAWebSocketTakesItsWatcherAlong) {
  StartServer({.tls = false});
  {
    RawClient socket(server_->Url());
    socket.Send(
        "GET /api/v1/configmaps?watch=1&allowWatchBookmarks=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Authorization: Bearer " +
        server_->Token().Reveal() + "\r\n\r\n");
    std::string bytes;
    while (bytes.find("initial-events-end") == std::string::npos) {
      const std::string more = socket.Receive();
      ASSERT_FALSE(more.empty());
      bytes += more;
    }
    EXPECT_EQ(server_->WatchCount(), 1U);
  }
  EXPECT_TRUE(Await([&] { return server_->WatchCount() == 0; }));
}

TEST_F(ServerTest, ATrickyPathAndABadQueryAreRefused) {
  StartServer({.tls = false});
  for (const char* target : {"/api/v1/namespaces/../secrets", "/api/v1/namespaces/a%2fb/pods", "/api/v1/pods?limit=x",
                             "/api/v1/pods?labelSelector=%zz"}) {
    RawClient client(server_->Url());
    client.Send("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " +
                server_->Token().Reveal() + "\r\n\r\n");
    const std::string answer = client.ReceiveAll();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 ")) << target;
    EXPECT_THAT(answer, HasSubstr("\"reason\":\"BadRequest\"")) << target;
  }
}

}  // namespace
}  // namespace kinformer
