#include "bench/kinformer_load/response_reader.h"

#include <gmock/gmock.h>

namespace kinformer::bench {
namespace {

using ::testing::HasSubstr;

const ResponseReader::Sink kNowhere = [](std::string_view) {};

std::string Refused(const std::string& bytes) {
  ResponseReader reader;
  const auto taken = reader.Take(bytes, kNowhere);
  return taken ? "taken" : taken.error().message;
}

TEST(ResponseReader, ABodyIsTheSameHoweverItsBytesAreCut) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nc\r\n, and so on\n\r\n0\r\n\r\n";
  const std::string whole = "HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\nhello, and so on\n\n";
  for (const std::string& bytes : {chunked, whole}) {
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      ResponseReader reader;
      std::string body;
      for (std::size_t at = 0; at < bytes.size(); at += size) {
        EXPECT_FALSE(reader.Done());
        const auto taken = reader.Take(std::string_view(bytes).substr(at, size),
                                       [&body](std::string_view piece) { body.append(piece); });
        ASSERT_TRUE(taken) << taken.error().message << ", in pieces of " << size;
      }
      EXPECT_TRUE(reader.Done());
      EXPECT_TRUE(reader.KeepsAlive());
      EXPECT_EQ(reader.status(), 200);
      EXPECT_THAT(body, HasSubstr("hello, and so on\n"));
    }
  }
}

TEST(ResponseReader, TheHeadIsKnownBeforeTheBodyComes) {
  ResponseReader reader;
  ASSERT_TRUE(reader.Take("HTTP/1.1 410 Gone\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n", kNowhere));
  EXPECT_FALSE(reader.HeadDone());
  ASSERT_TRUE(reader.Take("\r\n", kNowhere));
  EXPECT_TRUE(reader.HeadDone());
  EXPECT_FALSE(reader.Done());
  EXPECT_FALSE(reader.KeepsAlive());
  EXPECT_EQ(reader.status(), 410);
}

TEST(ResponseReader, AnotherAnswerFollowsAReset) {
  const std::string bytes = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
  ResponseReader reader;
  ASSERT_TRUE(reader.Take(bytes, kNowhere));
  EXPECT_FALSE(reader.Take(bytes, kNowhere));
  reader.Reset();
  ASSERT_TRUE(reader.Take(bytes, kNowhere));
  EXPECT_TRUE(reader.Done());
}

TEST(ResponseReader, WhatIsNoAnswerIsAnError) {
  EXPECT_THAT(Refused("SSH-2.0-OpenSSH\r\n\r\n"), HasSubstr("no answer of HTTP/1.1"));
  EXPECT_THAT(Refused("HTTP/1.1 200 OK\r\n\r\n"), HasSubstr("neither chunked nor has a length"));
  EXPECT_THAT(Refused("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}x"), HasSubstr("after the end"));
  EXPECT_THAT(Refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"), HasSubstr("no size of a chunk"));
  EXPECT_THAT(Refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n"), HasSubstr("longer than"));
  EXPECT_THAT(Refused(std::string(100'000, 'x')), HasSubstr("no end"));
}

}  // namespace
}  // namespace kinformer::bench
