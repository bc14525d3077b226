#include "src/apiserver/compression/gzip.h"

#include <zlib.h>

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

HttpRequest Accepting(const std::string& encodings) {
  HttpRequest request;
  request.headers.push_back({"accept-encoding", encodings});
  return request;
}

std::string Joined(const std::vector<Buffer>& parts) {
  std::string text;
  for (const Buffer& part : parts) text += part.bytes;
  return text;
}

/// Empty unless `bytes` are one complete gzip stream.
std::string Unzipped(const std::string& bytes, std::size_t room) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return {};
  std::string out(room, '\0');
  std::string in = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  const bool complete = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return complete ? out : std::string();
}

TEST(GzipTest, ALargeAnswerIsCompressedForWhoAcceptsIt) {
  std::vector<HttpHeader> headers;
  std::vector<Buffer> body;
  std::string all;
  for (int i = 0; i < 20000; ++i) {
    const std::string part = "{\"item\":" + std::to_string(i) + "},";
    all += part;
    body.emplace_back(part);
  }
  CompressAnswer(Accepting("deflate, gzip"), headers, body);
  EXPECT_EQ(headers, (std::vector<HttpHeader>{{"Content-Encoding", "gzip"}, {"Vary", "Accept-Encoding"}}));
  const std::string bytes = Joined(body);
  EXPECT_LT(bytes.size(), all.size() / 3);
  EXPECT_EQ(Unzipped(bytes, all.size() + 100), all);
}

TEST(GzipTest, WhatDoesNotGetSmallerComesBackAllTheSame) {
  std::minstd_rand random(1);
  std::string noise(1000000, '\0');
  for (char& c : noise) c = static_cast<char>(random() >> 7U);
  std::vector<HttpHeader> headers;
  std::vector<Buffer> body;
  body.emplace_back(noise);
  CompressAnswer(Accepting("gzip"), headers, body);
  EXPECT_GT(body.size(), 10U);
  EXPECT_EQ(Unzipped(Joined(body), noise.size() + 100), noise);
}

TEST(GzipTest, ASmallAnswerIsNot) {
  for (const std::size_t size : {kGzipThreshold - 1, kGzipThreshold}) {
    std::vector<HttpHeader> headers;
    std::vector<Buffer> body;
    body.emplace_back(std::string(size, 'x'));
    CompressAnswer(Accepting("gzip"), headers, body);
    EXPECT_EQ(headers.empty(), size < kGzipThreshold);
  }
}

TEST(GzipTest, OnlyAClientThatNamesGzipGetsIt) {
  EXPECT_TRUE(AcceptsGzip(Accepting("gzip")));
  EXPECT_TRUE(AcceptsGzip(Accepting("br , gzip,deflate")));
  for (const char* other : {"", "identity", "gzip;q=0", "gzipped", "*"})
    EXPECT_FALSE(AcceptsGzip(Accepting(other))) << other;
  EXPECT_FALSE(AcceptsGzip({}));
  std::vector<HttpHeader> headers;
  std::vector<Buffer> body;
  body.emplace_back(std::string(2 * kGzipThreshold, 'x'));
  CompressAnswer({}, headers, body);
  EXPECT_TRUE(headers.empty());
  EXPECT_EQ(Joined(body), std::string(2 * kGzipThreshold, 'x'));
}

}  // namespace
}  // namespace kinformer::apiserver
