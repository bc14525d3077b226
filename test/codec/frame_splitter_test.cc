#include "src/codec/frame_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// All frames of a stream fed in pieces of `size` bytes, followed by the unterminated rest.
std::vector<std::string> Split(std::string_view stream, std::size_t size, bool with_rest = true) {
  FrameSplitter splitter;
  std::vector<std::string> frames;
  while (!stream.empty()) {
    // A separate copy of each piece, so that sanitizers catch reads past its end.
    const std::string chunk(stream.substr(0, size));
    stream.remove_prefix(chunk.size());
    splitter.Feed(chunk);
    for (;;) {
      const auto frame = splitter.Next();
      EXPECT_TRUE(frame);
      if (!frame || !*frame) break;
      frames.emplace_back(**frame);
    }
  }
  if (with_rest) {
    if (const auto rest = splitter.Rest()) frames.emplace_back(*rest);
  }
  return frames;
}

TEST(FrameSplitterTest, ManyEventsInOneChunkComeOneByOne) {
  EXPECT_THAT(Split("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n", 1000), ElementsAre("{\"a\":1}", "{\"b\":2}", "{\"c\":3}"));
}

TEST(FrameSplitterTest, OneByteChunksGiveTheSameEvents) {
  EXPECT_THAT(Split("{\"a\":1}\n{\"b\":2}\n", 1), ElementsAre("{\"a\":1}", "{\"b\":2}"));
}

TEST(FrameSplitterTest, EveryChunkingGivesTheSameEvents) {
  const std::string stream = "{\"a\":\"\xC3\xA9\"}\r\n\n\r\n{\"b\":\"\xF0\x9F\x98\x80\"}\n{}\r\n{\"rest\":1}";
  const auto whole = Split(stream, stream.size());
  EXPECT_THAT(whole, ElementsAre("{\"a\":\"\xC3\xA9\"}", "{\"b\":\"\xF0\x9F\x98\x80\"}", "{}", "{\"rest\":1}"));
  for (std::size_t size = 1; size < stream.size(); ++size) EXPECT_EQ(Split(stream, size), whole) << size;
}

TEST(FrameSplitterTest, AMultiByteCharacterCutInHalfArrivesWhole) {
  FrameSplitter splitter;
  splitter.Feed("{\"a\":\"\xE2\x82");
  ASSERT_TRUE(splitter.Next());
  splitter.Feed("\xAC\"}\n");
  const auto frame = splitter.Next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ(**frame, "{\"a\":\"\xE2\x82\xAC\"}");
}

TEST(FrameSplitterTest, CarriageReturnsAreNotPartOfAnEvent) {
  EXPECT_THAT(Split("a\r\nb\r\n", 2), ElementsAre("a", "b"));
  EXPECT_THAT(Split("a\rb\r\n", 100), ElementsAre("a\rb"));
}

TEST(FrameSplitterTest, EmptyLinesAreSkipped) {
  EXPECT_THAT(Split("\n\r\n\n", 1), ElementsAre());
  EXPECT_THAT(Split("\n\na\n\n\nb\n\n", 3), ElementsAre("a", "b"));
}

TEST(FrameSplitterTest, AnEventOfSeveralMebibytesArrivesWhole) {
  const std::string big = "{\"data\":\"" + std::string(5U << 20U, 'x') + "\"}";
  EXPECT_THAT(Split(big + "\n{}\n", 16U << 10U), ElementsAre(big, "{}"));
}

TEST(FrameSplitterTest, AFrameInsideOneChunkIsNotCopied) {
  FrameSplitter splitter;
  const std::string chunk = "first\nsecond\n";
  splitter.Feed(chunk);
  const auto first = splitter.Next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->data(), chunk.data());
  const auto second = splitter.Next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->data(), chunk.data() + 6);
}

TEST(FrameSplitterTest, TheRestIsALineWithoutItsNewline) {
  EXPECT_THAT(Split("a\nb", 1), ElementsAre("a", "b"));
  EXPECT_THAT(Split("a\nb\r", 1), ElementsAre("a", "b"));
  EXPECT_THAT(Split("a\n", 1), ElementsAre("a"));
  EXPECT_THAT(Split("a\nb", 1, /*with_rest=*/false), ElementsAre("a"));
  FrameSplitter splitter;
  splitter.Feed("a");
  ASSERT_TRUE(splitter.Next());
  EXPECT_EQ(splitter.Rest(), "a");
  EXPECT_EQ(splitter.Rest(), std::nullopt);
}

TEST(FrameSplitterTest, AnEventBeyondTheLimitIsAnErrorThatStays) {
  FrameSplitter splitter({.max_frame_bytes = 10});
  splitter.Feed("0123456789\n01234567");
  const auto good = splitter.Next();
  ASSERT_TRUE(good && *good);
  EXPECT_EQ(**good, "0123456789");
  ASSERT_TRUE(splitter.Next());
  splitter.Feed("890\n{}\n");
  const auto bad = splitter.Next();
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(bad.error().message, HasSubstr("10 bytes"));
  EXPECT_FALSE(splitter.Next());
  EXPECT_EQ(splitter.Rest(), std::nullopt);
}

}  // namespace
}  // namespace kinformer::internal
