#include "src/views/base64.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

TEST(Base64Test, TextsOfEveryLengthAreDecoded) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYmE="), "fooba");
  EXPECT_EQ(DecodeBase64("+/8="), "\xfb\xff");
}

TEST(Base64Test, LineEndsAreSkipped) { EXPECT_EQ(DecodeBase64("Zm\r\n9v\n"), "foo"); }

TEST(Base64Test, WhatIsNotBase64IsNothing) {
  for (const char* bad :
       {"Z", "Zg", "Zg=", "Zg===", "=", "====", "Zm9v=", "Z===", "Zg==Zg==", "Zm9_", "Zm 9v", "Z-8="}) {
    EXPECT_EQ(DecodeBase64(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace kinformer::internal
