#include "src/config/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinformer::internal {
namespace {

TEST(OneLineTest, ControlCharactersAndColoursAreTakenOut) {
  EXPECT_EQ(OneLine("\x1b[31merror:\x1b[0m\r\n\tno\x07 luck \n\n", 100, Keep::kEnd), "error: no luck");
  EXPECT_EQ(OneLine("a\xC2\x9B"
                    "b",
                    100, Keep::kEnd),
            "a b");
  EXPECT_EQ(OneLine("bad \xFF utf", 100, Keep::kEnd), "bad ? utf");
  // Overlong forms and surrogates are no UTF-8 either.
  EXPECT_EQ(OneLine("a \xE0\x80\x80 \xED\xA0\x80", 100, Keep::kEnd), "a ??? ???");
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
