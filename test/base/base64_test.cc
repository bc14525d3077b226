#include "src/base/base64.h"

#include <string>

#include <gtest/gtest.h>

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
       {Case{"Zm9v*mFy", "character 5"}, Case{"Zm9vY", "truncated input"}, Case{"Zm9vYg=", "truncated input"},
        Case{"Zg==Zg==", "after the padding at character 5"}, Case{"=", "misplaced padding at character 1"},
        Case{"Zg===", "misplaced padding"}, Case{"Zm9v=", "misplaced padding"}, Case{"Zm-_", "character 3"}}) {
    const auto decoded = DecodeBase64(c.text);
    ASSERT_FALSE(decoded.ok()) << c.text;
    EXPECT_NE(decoded.error().message.find(c.where), std::string::npos) << decoded.error().message;
    EXPECT_EQ(decoded.error().message.find("Zm9v"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinformer::internal
