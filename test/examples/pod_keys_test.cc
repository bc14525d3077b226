#include "examples/pod-watcher/keys.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Code = Key::Code;

Key Text(std::string text) { return {.code = Code::kText, .text = std::move(text)}; }
Key Coded(Code code) { return {.code = code}; }

std::vector<Key> Decode(std::string_view bytes) { return KeyDecoder().Feed(bytes); }

TEST(PodKeysTest, LettersAndControlKeysAreDecoded) {
  EXPECT_THAT(Decode("qß"), ElementsAre(Text("q"), Text("ß")));
  EXPECT_THAT(Decode("\r\177\b\025"), ElementsAre(Coded(Code::kEnter), Coded(Code::kBackspace), Coded(Code::kBackspace),
                                                  Coded(Code::kClearLine)));
  EXPECT_THAT(Decode("\001"), IsEmpty()) << "Ctrl-A has no meaning";
}

TEST(PodKeysTest, TheSequencesOfAllCommonTerminalsAreDecoded) {
  for (const std::string up : {"\033[A", "\033OA", "\033[1;5A"}) EXPECT_THAT(Decode(up), ElementsAre(Coded(Code::kUp)));
  for (const std::string down : {"\033[B", "\033OB"}) EXPECT_THAT(Decode(down), ElementsAre(Coded(Code::kDown)));
  for (const std::string home : {"\033[H", "\033OH", "\033[1~", "\033[7~"}) {
    EXPECT_THAT(Decode(home), ElementsAre(Coded(Code::kHome)));
  }
  for (const std::string end : {"\033[F", "\033OF", "\033[4~", "\033[8~"}) {
    EXPECT_THAT(Decode(end), ElementsAre(Coded(Code::kEnd)));
  }
  EXPECT_THAT(Decode("\033[5~\033[6~"), ElementsAre(Coded(Code::kPageUp), Coded(Code::kPageDown)));
}

TEST(PodKeysTest, UnknownSequencesAreDroppedWhole) {
  EXPECT_THAT(Decode("\033[15~\033OP\033[3~\033[200~\033[Cq"), ElementsAre(Text("q")));
  EXPECT_THAT(Decode("\033[" + std::string(40, '1')), IsEmpty()) << "a sequence without an end is no key";
}

TEST(PodKeysTest, SequencesAndCharactersMayBeSplitAtAnyByte) {
  const std::string bytes = "j\033[A\033[6~\033OHß日\033[1;2Bk";
  const std::vector<Key> whole = Decode(bytes);
  ASSERT_EQ(whole.size(), 8U);
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    KeyDecoder decoder;
    std::vector<Key> keys = decoder.Feed(bytes.substr(0, i));
    const std::vector<Key> rest = decoder.Feed(bytes.substr(i));
    keys.insert(keys.end(), rest.begin(), rest.end());
    EXPECT_EQ(keys, whole) << "split at " << i;
  }
  KeyDecoder one_by_one;
  std::vector<Key> keys;
  for (const char byte : bytes) {
    for (const Key& key : one_by_one.Feed({&byte, 1})) keys.push_back(key);
  }
  EXPECT_EQ(keys, whole);
}

TEST(PodKeysTest, ALoneEscapeIsTheKeyOnlyWhenNothingFollows) {
  KeyDecoder decoder;
  EXPECT_THAT(decoder.Feed("\033"), IsEmpty());
  ASSERT_TRUE(decoder.HasLoneEscape());
  EXPECT_EQ(decoder.TakeEscape(), Coded(Code::kEscape));
  EXPECT_FALSE(decoder.HasLoneEscape());

  EXPECT_THAT(decoder.Feed("\033["), IsEmpty());
  EXPECT_FALSE(decoder.HasLoneEscape()) << "a sequence has begun";
  EXPECT_THAT(decoder.Feed("A"), ElementsAre(Coded(Code::kUp)));

  EXPECT_THAT(decoder.Feed("\033q"), ElementsAre(Coded(Code::kEscape), Text("q")));
  EXPECT_THAT(decoder.Feed("\033\033[B"), ElementsAre(Coded(Code::kEscape), Coded(Code::kDown)));
}

}  // namespace
}  // namespace kinformer
