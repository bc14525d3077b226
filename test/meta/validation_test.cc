#include <kinformer/meta/validation.h>

#include <string>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

TEST(ValidationTest, LabelKeysOfTheApiAreAccepted) {
  for (const char* good : {"app", "App", "a", "1", "app.kubernetes.io/name", "a-b.c/x_y.z-0", "in", "notin"}) {
    EXPECT_TRUE(ValidateLabelKey(good)) << good;
  }
  EXPECT_TRUE(ValidateLabelKey(std::string(63, 'a')));
  EXPECT_TRUE(ValidateLabelKey(std::string(253, 'a') + "/" + std::string(63, 'a')));
}

TEST(ValidationTest, LabelKeysThatAServerWouldRefuseAreRefused) {
  for (const char* bad : {"", "/", "a/", "/a", "-a", "a-", "a b", "A.com/a", "a/b/c", "a..b/c", "-a.b/c", "\xc3\xa4"}) {
    auto valid = ValidateLabelKey(bad);
    ASSERT_FALSE(valid) << bad;
    EXPECT_EQ(valid.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(valid.error().message.empty());
  }
  EXPECT_FALSE(ValidateLabelKey(std::string(64, 'a')));
  EXPECT_FALSE(ValidateLabelKey(std::string(254, 'a') + "/a"));
}

TEST(ValidationTest, ALabelValueMayBeEmptyAndHas63BytesAtMost) {
  EXPECT_TRUE(ValidateLabelValue(""));
  EXPECT_TRUE(ValidateLabelValue("v1.2_3-x"));
  EXPECT_TRUE(ValidateLabelValue(std::string(63, 'v')));
  EXPECT_FALSE(ValidateLabelValue(std::string(64, 'v')));
  for (const char* bad : {"-", "a-", ".a", "a b", "a/b", "a=b"}) EXPECT_FALSE(ValidateLabelValue(bad)) << bad;
}

TEST(ValidationTest, ADnsSubdomainIsMadeOfLowerCaseParts) {
  EXPECT_TRUE(ValidateDnsSubdomain("example.com"));
  EXPECT_TRUE(ValidateDnsSubdomain("0"));
  for (const char* bad : {"", ".", "a.", ".a", "a-.b", "A", "a_b"}) EXPECT_FALSE(ValidateDnsSubdomain(bad)) << bad;
}

}  // namespace
}  // namespace kinformer
