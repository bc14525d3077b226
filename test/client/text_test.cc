#include "src/client/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinformer::internal {
namespace {

TEST(Base64Test, EveryLengthComesBackAsItWas) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    const auto decoded = DecodeBase64(EncodeBase64(bytes));
    ASSERT_TRUE(decoded.ok()) << i;
    EXPECT_EQ(*decoded, bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64Test, KnownValues) {
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("foob"), "Zm9vYg==");
  EXPECT_EQ(EncodeBase64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(EncodeBase64("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, LineBreaksAreSkipped) { EXPECT_EQ(*DecodeBase64("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64Test, ErrorsSayWhereAndQuoteNothing) {
  struct Case {
    const char* text;
    const char* where;
  };
  for (const Case& c :
       {Case{"Zm9v*mFy", "character 5"}, Case{"Zm9vY", "middle of a group"}, Case{"Zm9vYg=", "middle of a group"},
        Case{"Zg==Zg==", "after the padding at character 5"}, Case{"=", "misplaced padding at character 1"},
        Case{"Zg===", "misplaced padding"}, Case{"Zm9v=", "misplaced padding"}, Case{"Zm-_", "character 3"}}) {
    const auto decoded = DecodeBase64(c.text);
    ASSERT_FALSE(decoded.ok()) << c.text;
    EXPECT_NE(decoded.error().message.find(c.where), std::string::npos) << decoded.error().message;
    EXPECT_EQ(decoded.error().message.find("Zm9v"), std::string::npos);
  }
}

TEST(OneLineTest, ControlCharactersAndColoursAreTakenOut) {
  EXPECT_EQ(OneLine("\x1b[31merror:\x1b[0m\r\n\tno\x07 luck \n\n", 100, Keep::kEnd), "error: no luck");
  EXPECT_EQ(OneLine("a\xC2\x9B"
                    "b",
                    100, Keep::kEnd),
            "a b");
  EXPECT_EQ(OneLine("bad \xFF utf", 100, Keep::kEnd), "bad ? utf");
  EXPECT_EQ(OneLine("\x1b[", 100, Keep::kEnd), "");
}

TEST(OneLineTest, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(OneLine("0123456789", 4, Keep::kEnd), "...6789");
  EXPECT_EQ(OneLine("0123456789", 4, Keep::kBeginning), "0123...");
  EXPECT_EQ(OneLine("ää", 3, Keep::kEnd), "...ä");
  EXPECT_EQ(OneLine("ää", 3, Keep::kBeginning), "ä...");
}

TEST(RedactTest, KnownSecretsAndWhatLooksLikeOneDisappear) {
  const std::vector<std::string> secrets = {"hunter2", "hunter22", ""};
  EXPECT_EQ(Redact("no hunter22, no hunter2!", secrets), "no [redacted], no [redacted]!");
  EXPECT_EQ(Redact("got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln here", {}), "got [redacted] here");
  EXPECT_EQ(Redact("id " + std::string(40, 'a') + " end", {}), "id [redacted] end");
  EXPECT_EQ(Redact("profile dev not found in /home/x/.aws/config", {}), "profile dev not found in /home/x/.aws/config");
}

TEST(HeaderValueTest, LineBreaksAreRefused) {
  EXPECT_TRUE(IsHeaderValue("abc def\tghi ü"));
  EXPECT_FALSE(IsHeaderValue("abc\r\nX-Evil: 1"));
  EXPECT_FALSE(IsHeaderValue(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace kinformer::internal
