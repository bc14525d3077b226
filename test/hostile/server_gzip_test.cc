// Servers that send decompression bombs.

#include <zlib.h>

#include <string>

#include <kinformer/transport/tls_material.h>

#include "src/transport/curl_transport.h"
#include "test/hostile/hostile_server.h"
#include "test/hostile/sizes.h"

namespace kinformer {
namespace {

using testing_support::Reply;
using testing_support::ScriptedServer;

/// A gzip stream of `size` equal bytes, about a thousandth of that size.
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

// While the reader is slow, libcurl buffers what one socket read decompresses to, up to a limit.
TEST_F(HostileGzip, ABombForASlowReaderComesPieceByPieceOrIsCutOff) {
  constexpr std::size_t kSize = 144 * kMiB;
  const std::string bomb = Bomb(kSize, ' ');
  ScriptedServer plain;
  for (ScriptedServer* server : {&server_, &plain}) {
    server->Enqueue(Gzipped(bomb));
    const auto transport = internal::CurlTransport::Create({.server = server->url()}).value();
    TlsMaterialPtr tls;
    if (server == &server_) tls = std::make_shared<const TlsMaterial>(TlsMaterial{.ca_pem = server_.ca_pem()});
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

}  // namespace
}  // namespace kinformer
