// HTTP/2 through nghttpx, in front of a scripted server.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/transport/tls_material.h>

#include "src/transport/curl_transport.h"
#include "test/support/leak_check.h"
#include "test/support/nghttpx.h"
#include "test/support/scripted_server.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using testing_support::Http2Front;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;

class Http2Test : public ::testing::Test {
 protected:
  std::unique_ptr<CurlTransport> Connect(const Http2Front& front, CurlTransportOptions options = {}) {
    options.server = front.url();
    options.user_agent = "kinformer-test";
    tls_ = std::make_shared<const TlsMaterial>(TlsMaterial{.ca_pem = front.ca_pem()});
    auto transport = CurlTransport::Create(std::move(options));
    if (!transport) throw std::runtime_error(ToString(transport.error()));
    return *std::move(transport);
  }

  std::unique_ptr<ResponseStream> Watch(CurlTransport& transport, const std::string& target) const {
    return transport.Start({.target = target, .resumable = true, .tls = tls_});
  }

  /// Joins body parts up to the end of a line: a frame boundary may fall anywhere.
  static std::string NextLine(ResponseStream& stream) {
    for (std::string line;;) {
      auto part = Next(stream, {});
      if (!part) return "error: " + ToString(part.error());
      if (auto* chunk = std::get_if<std::string>(&*part)) line += *chunk;
      if (line.ends_with('\n')) return line;
      if (std::holds_alternative<ResponseEnd>(*part)) return line + "end";
    }
  }

  ScriptedServer server_;
  TlsMaterialPtr tls_;
};

/// Accepts TCP connections and never sends anything.
class SilentListener {
 public:
  SilentListener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd_, generic, size) != 0 || ::listen(fd_, 16) != 0 || ::getsockname(fd_, generic, &size) != 0) {
      throw std::system_error(errno, std::generic_category());
    }
    port_ = ntohs(address.sin_port);
  }
  ~SilentListener() { ::close(fd_); }
  SilentListener(const SilentListener&) = delete;
  SilentListener& operator=(const SilentListener&) = delete;
  int port() const { return port_; }

 private:
  int fd_;
  int port_ = 0;
};

Reply EventThenSilence(const ReceivedRequest& request) {
  if (request.target == "/version") return Reply::Json("{}");
  const StreamHandle handle;
  handle.Send(request.target + "\n");
  return Reply::Stream(handle);
}

TEST_F(Http2Test, TwoHundredWatchesShareAtMostThreeConnections) {
  server_.Handle(EventThenSilence);
  Http2Front front({.backend_port = server_.port(), .max_concurrent_streams = 100});
  const auto transport = Connect(front);
  constexpr std::size_t kWatches = 200;
  std::vector<std::unique_ptr<ResponseStream>> watches;
  for (std::size_t i = 0; i < kWatches; ++i) watches.push_back(Watch(*transport, "/watch/" + std::to_string(i)));
  for (std::size_t i = 0; i < kWatches; ++i) {
    ASSERT_EQ(NextLine(*watches[i]), "/watch/" + std::to_string(i) + "\n");
  }
  EXPECT_EQ(transport->Stats().requests_in_flight, kWatches);
  EXPECT_LE(transport->Stats().connections_opened, 3U);
  EXPECT_LE(transport->Stats().connections_open, 3U);
}

TEST_F(Http2Test, AFewWatchesShareOneConnectionAndOneThread) {
  server_.Handle(EventThenSilence);
  Http2Front front({.backend_port = server_.port()});
  const auto transport = Connect(front);
  std::vector<std::unique_ptr<ResponseStream>> watches;
  for (int i = 0; i < 5; ++i) watches.push_back(Watch(*transport, "/watch/" + std::to_string(i)));
  for (const auto& watch : watches) EXPECT_EQ(NextLine(*watch).substr(0, 7), "/watch/");
  EXPECT_EQ(transport->Stats().connections_opened, 1U);
  std::size_t io_threads = 0;
  for (const std::string& name : testing_support::ThreadNames()) io_threads += name.ends_with(" kinformer-io") ? 1 : 0;
  EXPECT_EQ(io_threads, 1U);
}

TEST_F(Http2Test, AQuietConnectionThatAnswersItsProbeStays) {
  const StreamHandle handle;
  server_.Handle(
      [&](const ReceivedRequest& r) { return r.target == "/version" ? Reply::Json("{}") : Reply::Stream(handle); });
  Http2Front front({.backend_port = server_.port()});
  const auto transport = Connect(front, {.health = {.probe_after = 50ms, .probe_timeout = 5s}});
  const auto watch = Watch(*transport, "/watch");
  ASSERT_TRUE(server_.AwaitRequests(4)) << "the watch and three probes";
  handle.Send("still here\n");
  EXPECT_EQ(NextLine(*watch), "still here\n");
  EXPECT_EQ(transport->Stats().connections_opened, 1U) << "the probe travels on the connection it is about";
}

// TCP stays open but nothing is forwarded: all streams of the dead connection fail at once, and the next request does
// not reuse it.
TEST_F(Http2Test, AllWatchesOfAStalledConnectionFailAndTheNextOnesGetThrough) {
  server_.Handle(EventThenSilence);
  Http2Front front({.backend_port = server_.port()});
  const auto transport = Connect(front, {.health = {.probe_after = 200ms, .probe_timeout = 200ms}});
  std::vector<std::unique_ptr<ResponseStream>> watches;
  for (int i = 0; i < 10; ++i) watches.push_back(Watch(*transport, "/watch/" + std::to_string(i)));
  for (const auto& watch : watches) ASSERT_EQ(NextLine(*watch).substr(0, 7), "/watch/");
  front.proxy().StallExisting();
  for (const auto& watch : watches) {
    const auto part = Next(*watch, {});
    ASSERT_FALSE(part.ok());
    EXPECT_EQ(part.error().code, ErrorCode::kDisconnected);
    EXPECT_NE(part.error().message.find("silent"), std::string::npos) << ToString(part.error());
  }
  const auto again = Watch(*transport, "/watch/again");
  EXPECT_EQ(NextLine(*again), "/watch/again\n");
  EXPECT_EQ(transport->Stats().connections_open, 1U);
}

// Cancelling a watch leaves the dead connection in libcurl's pool; the next request to reuse it must not hang.
TEST_F(Http2Test, ARequestPutOntoADeadConnectionFailsInsteadOfHanging) {
  server_.Handle(EventThenSilence);
  Http2Front front({.backend_port = server_.port()});
  const auto transport = Connect(front, {.health = {.probe_after = 100ms, .probe_timeout = 100ms}});
  {
    const auto watch = Watch(*transport, "/watch");
    ASSERT_EQ(NextLine(*watch), "/watch\n");
    front.proxy().StallExisting();
  }
  const auto dead = transport->Start({.target = "/get", .tls = tls_});
  const auto part = Next(*dead, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kDisconnected);
  const auto next = transport->Start({.target = "/get", .tls = tls_});
  EXPECT_EQ(NextLine(*next), "/get\n");
}

// The first connection is at its stream limit, so a second one is opened, whose handshake gets no answer. When a stream
// ends on the first connection, the next requests must use that one.
TEST_F(Http2Test, AConnectionThatNeverCompletesItsHandshakeHoldsBackNoRequestThatAnotherCanCarry) {
  std::map<std::string, StreamHandle> watches = {{"/watch/0", {}}, {"/watch/1", {}}};
  server_.Handle([&](const ReceivedRequest& r) {
    const auto watch = watches.find(r.target);
    return watch == watches.end() ? Reply::Json(r.target + "\n") : Reply::Stream(watch->second);
  });
  Http2Front front({.backend_port = server_.port(), .max_concurrent_streams = 2});
  const SilentListener silent;
  const auto transport = Connect(front, {.connect_timeout = 60s});
  auto first = Watch(*transport, "/watch/0");
  const auto second = Watch(*transport, "/watch/1");
  ASSERT_TRUE(Next(*first, {}).ok());
  ASSERT_TRUE(Next(*second, {}).ok());

  front.proxy().Retarget(silent.port());
  const auto stuck = transport->Start({.target = "/stuck", .tls = tls_});
  ASSERT_TRUE(front.proxy().AwaitConnections(2));
  const auto waiting = transport->Start({.target = "/waiting", .timeout = 20s, .tls = tls_});
  first = nullptr;
  EXPECT_EQ(NextLine(*waiting), "/waiting\n") << "sent before there was room";
  for (int i = 0; i < 5; ++i) {
    const std::string target = "/get/" + std::to_string(i);
    const auto get = transport->Start({.target = target, .timeout = 20s, .tls = tls_});
    EXPECT_EQ(NextLine(*get), target + "\n");
  }
  EXPECT_EQ(transport->Stats().connections_opened, 2U) << "nor does it open connections without end";
  auto part = stuck->TryNext();
  ASSERT_TRUE(part.ok());
  EXPECT_FALSE(part->has_value());
}

// A reader that does not read must not hold up the other streams of its connection.
TEST_F(Http2Test, ASlowReaderDoesNotDelayTheOtherStreamsOfItsConnection) {
  const StreamHandle live;
  server_.Handle([&](const ReceivedRequest& r) -> Reply {
    if (r.target == "/live") return Reply::Stream(live);
    return {.stream = [](testing_support::BodyWriter& writer) {
      const std::string chunk(64U << 10U, 'x');
      for (int i = 0; i < 1'024; ++i) {  // 64 MiB, twice libcurl's window
        if (!writer.Write(chunk)) return false;
      }
      return true;
    }};
  });
  Http2Front front({.backend_port = server_.port()});
  const auto transport = Connect(front, {.queue_bytes = 256U << 10U});
  const auto watch = Watch(*transport, "/live");
  live.Send("before\n");
  ASSERT_EQ(NextLine(*watch), "before\n");
  const auto slow = transport->Start({.target = "/big", .tls = tls_});
  ASSERT_TRUE(Next(*slow, {}).ok());
  // Wait until nothing more flows.
  std::uint64_t seen = 0;
  while (front.proxy().AwaitBytesToClients(seen + 1, 300ms)) seen = front.proxy().bytes_to_clients();
  for (int i = 0; i < 20; ++i) {
    const std::string event = "event " + std::to_string(i) + "\n";
    live.Send(event);
    ASSERT_EQ(NextLine(*watch), event);
  }
  std::size_t received = 0;
  for (;;) {
    auto part = Next(*slow, {});
    ASSERT_TRUE(part.ok()) << ToString(part.error());
    if (std::holds_alternative<ResponseEnd>(*part)) break;
    received += std::get<std::string>(*part).size();
  }
  EXPECT_EQ(received, std::size_t{64} << 20U);
  EXPECT_EQ(transport->Stats().connections_opened, 1U);
}

TEST_F(Http2Test, AServerThatGoesAwayFailsItsStreamsAsDisconnected) {
  server_.Handle(EventThenSilence);
  Http2Front front({.backend_port = server_.port()});
  const auto transport = Connect(front);
  const auto watch = Watch(*transport, "/watch");
  ASSERT_EQ(NextLine(*watch), "/watch\n");
  front.proxy().ResetExisting();
  const auto part = Next(*watch, {});
  ASSERT_FALSE(part.ok());
  EXPECT_EQ(part.error().code, ErrorCode::kDisconnected) << ToString(part.error());
}

}  // namespace
}  // namespace kinformer::internal
