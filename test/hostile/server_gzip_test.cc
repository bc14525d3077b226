// Servers that compress what nobody can hold, and HTTP/2 servers that end streams and connections as they like.

#include <zlib.h>

#include <string>

#include "src/transport/curl_transport.h"
#include "src/transport/tls_material.h"
#include "test/hostile/hostile_server.h"
#include "test/support/leak_check.h"
#include "test/support/nghttpx.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using testing_support::Http2Front;
using testing_support::ReceivedRequest;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::StreamHandle;

const bool kLeakChecked = testing_support::InstallLeakCheck();
constexpr std::size_t kMiB = std::size_t{1} << 20U;

/// Of that many equal bytes; a thousandth of them.
std::string Bomb(std::size_t size, char byte) {
  std::string packed(size / 500 + 1000, '\0');
  const std::string block(kMiB, byte);
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  for (std::size_t done = 0; done < size; done += block.size()) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));  // zlib does not write there
    stream.avail_in = static_cast<uInt>(block.size());
    deflate(&stream, done + block.size() < size ? Z_NO_FLUSH : Z_FINISH);
  }
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

Reply Gzipped(std::string body, const std::string& encoding = "gzip") {
  return {.headers = {{"Content-Encoding", encoding}}, .body = std::move(body)};
}

class HostileGzip : public HostileServerTest {
 protected:
  HostileGzip() : HostileServerTest({.max_retries = 0, .compression = true}) {}
};

TEST_F(HostileGzip, ABombIsUnpackedNoFurtherThanAnAnswerMayBe) {
  const std::string bomb = Bomb(96 * kMiB, ' ');
  ASSERT_LT(bomb.size(), kMiB);
  const Error of_get = ErrorOfGet(Gzipped(bomb));
  EXPECT_EQ(of_get.code, ErrorCode::kTooLarge) << ToString(of_get);
  const Error of_list = ErrorOfList(Gzipped(bomb));
  EXPECT_EQ(of_list.code, ErrorCode::kTooLarge) << ToString(of_list);
  ExpectRecovery();
}

TEST_F(HostileGzip, WhatIsNoGzipIsAnError) {
  EXPECT_EQ(ErrorOfGet(Gzipped("{}")).code, ErrorCode::kMalformed);
  const std::string good = Bomb(kMiB, ' ');
  const Error cut = ErrorOfGet(Gzipped(good.substr(0, good.size() / 2)));
  EXPECT_NE(cut.message, "no error");
  const Error many = ErrorOfGet(Gzipped(good, "gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip"));
  EXPECT_EQ(many.code, ErrorCode::kMalformed) << ToString(many);
  EXPECT_NE(ErrorOfGet(Gzipped("{}", "br")).message, "no error");
  ExpectRecovery();
}

// What one read of the socket unpacks to is kept by libcurl while the reader does not read, and that has a bound.
TEST_F(HostileGzip, ABombForASlowReaderComesPieceByPieceOrIsCutOff) {
  constexpr std::size_t kSize = 144 * kMiB;
  const std::string bomb = Bomb(kSize, ' ');
  ScriptedServer plain;
  for (ScriptedServer* server : {&server_, &plain}) {
    server->Enqueue(Gzipped(bomb));
    const auto transport = internal::CurlTransport::Create({.server = server->url()}).value();
    internal::TlsMaterialPtr tls;
    if (server == &server_)
      tls = std::make_shared<const internal::TlsMaterial>(internal::TlsMaterial{.ca_pem = server_.ca_pem()});
    const auto stream = transport->Start({.target = "/", .headers = {{"Accept-Encoding", "gzip"}}, .tls = tls});
    std::size_t received = 0;
    for (;;) {
      Result<ResponsePart> part = Next(*stream, {});
      if (!part) {
        EXPECT_EQ(part.error().code, ErrorCode::kTooLarge) << ToString(part.error());
        break;
      }
      if (const auto* chunk = std::get_if<std::string>(&*part)) received += chunk->size();
      if (!std::holds_alternative<ResponseEnd>(*part)) continue;
      EXPECT_EQ(received, kSize);
      break;
    }
  }
  ExpectRecovery();
}

class HostileHttp2 : public ::testing::Test {
 protected:
  static Client Connect(const Http2Front& front) {
    return Client::Create({.server = front.url(), .ca_data = front.ca_pem()}, {.max_retries = 0}).value();
  }
  static std::string NextName(WatchStream& watch) {
    const auto event = watch.Next();
    if (!event)
      return ToString(event.error().code) == ToString(ErrorCode::kDisconnected) ? "disconnected"
                                                                                : ToString(event.error());
    return *event ? std::string((*event)->object->Name()) : "end";
  }

  ScriptedServer server_;
};

TEST_F(HostileHttp2, AResetStreamIsADisconnectAndTheConnectionServesTheOthers) {
  const StreamHandle doomed;
  const StreamHandle other;
  server_.Handle([&](const ReceivedRequest& request) {
    if (request.Query("watch") != "true") return Reply::Json(PodJson("a", "1").dump());
    return Reply::Stream(request.path.find("doomed") != std::string::npos ? doomed : other);
  });
  Http2Front front({.backend_port = server_.port()});
  const Client client = Connect(front);
  const auto pods = client.For<core::v1::Pod>();
  auto first = pods.Untyped().Watch({.namespace_name = "doomed"});
  auto second = pods.Untyped().Watch({.namespace_name = "other"});
  ASSERT_TRUE(first.ok() && second.ok());
  doomed.Send(EventLine("ADDED", PodJson("a", "1")) + R"({"type":"ADDED","obj)");
  EXPECT_EQ(NextName(*first), "a");
  doomed.Abort();  // nghttpx says RST_STREAM
  EXPECT_EQ(NextName(*first), "disconnected");
  other.Send(EventLine("ADDED", PodJson("b", "2")));
  EXPECT_EQ(NextName(*second), "b");
  EXPECT_TRUE(pods.Get("default", "a").ok());
  EXPECT_EQ(front.proxy().connections(), 1U);
}

TEST_F(HostileHttp2, AfterGoawayRunningStreamsGoOnAndNewOnesHaveAnotherConnection) {
  const StreamHandle watch;
  server_.Handle([&](const ReceivedRequest& request) {
    return request.Query("watch") == "true" ? Reply::Stream(watch) : Reply::Json(PodJson("a", "1").dump());
  });
  // After every second request.
  Http2Front front({.backend_port = server_.port(), .max_requests_per_connection = 2});
  const Client client = Connect(front);
  const auto pods = client.For<core::v1::Pod>();
  auto stream = pods.Untyped().Watch({.namespace_name = "default"});
  ASSERT_TRUE(stream.ok());
  for (int i = 0; i < 10; ++i) {
    const auto pod = pods.Get("default", "a");
    ASSERT_TRUE(pod.ok()) << i << ": " << ToString(pod.error());
  }
  watch.Send(EventLine("ADDED", PodJson("late", "3")));
  EXPECT_EQ(NextName(*stream), "late");
  EXPECT_GE(front.proxy().connections(), 5U);
}

}  // namespace
}  // namespace kinformer
