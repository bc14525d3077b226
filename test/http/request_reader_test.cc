#include "src/http/request_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/http/response_head.h"

namespace kinformer::apiserver {
namespace {

constexpr RequestLimits kLimits = {.max_body_bytes = 1000, .max_header_bytes = 4096, .max_target_bytes = 1000};

/// All requests in `bytes`, fed in pieces of `size`.
std::vector<HttpRequest> ReadInPieces(std::string_view bytes, std::size_t size) {
  RequestReader reader(kLimits);
  std::vector<HttpRequest> requests;
  std::string waiting;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    waiting += bytes.substr(at, size);
    for (;;) {
      const RequestProgress progress = reader.Feed(waiting);
      waiting.erase(0, progress.consumed);
      EXPECT_NE(progress.kind, RequestProgress::Kind::kRefused) << progress.message;
      if (progress.kind != RequestProgress::Kind::kComplete) break;
      requests.push_back(reader.Take());
    }
  }
  EXPECT_EQ(waiting, "");
  EXPECT_FALSE(reader.HasBegun());
  return requests;
}

TEST(RequestReaderTest, ReadsTheSameRequestsFromAnyPieces) {
  const std::string bytes =
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      "\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
      "PUT /c?d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;e=f\r\nworld\r\n1\r\n!\r\n0\r\nT: 1\r\n\r\n"
      "DELETE /e HTTP/1.0\r\n\r\n";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    const auto requests = ReadInPieces(bytes, size);
    ASSERT_EQ(requests.size(), 4U) << size;
    EXPECT_EQ(requests[0].path, "/a");
    EXPECT_EQ(requests[1].body, "hello");
    EXPECT_EQ(requests[2].body, "world!");
    EXPECT_EQ(requests[2].query, "d");
    EXPECT_EQ(requests[2].FindHeader("T"), nullptr);
    EXPECT_EQ(requests[3].minor_version, 0);
  }
}

TEST(RequestReaderTest, ABodyWithoutAnyChunkMayComeByteByByte) {
  const std::string bytes =
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: 1\r\n\r\n";
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    const auto requests = ReadInPieces(bytes, size);
    ASSERT_EQ(requests.size(), 2U) << size;
    EXPECT_EQ(requests[0].body + requests[1].body, "");
  }
}

TEST(RequestReaderTest, KnowsListsInHeaders) {
  HttpRequest request;
  request.headers = {{"Connection", "keep-alive , UPGRADE"}, {"connection", "x"}};
  EXPECT_TRUE(request.HeaderNames("Connection", "upgrade"));
  EXPECT_TRUE(request.HeaderNames("CONNECTION", "X"));
  EXPECT_FALSE(request.HeaderNames("Connection", "grade"));
  EXPECT_FALSE(request.HeaderNames("Connection", ""));
}

TEST(ResponseHeadTest, WritesTheDateAsHttpWantsIt) {
  EXPECT_EQ(HttpDate(std::chrono::system_clock::from_time_t(784111777)), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace kinformer::apiserver
