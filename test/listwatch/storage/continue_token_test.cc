#include "src/listwatch/storage/continue_token.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "src/base/base64.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kPrefix = "/registry/pods/";

std::string Token(std::string_view json) {
  std::string text = internal::EncodeBase64(json);
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text.substr(0, text.find('='));
}

TEST(ContinueTokenTest, IsWhatKubernetesWrites) {
  const std::string start = std::string("/registry/pods/default/web-0") + '\0';
  const std::string text = EncodeContinue({.start = start, .revision = 1234}, kPrefix);
  EXPECT_EQ(text, Token(R"({"v":"meta.k8s.io/v1","rv":1234,"start":"default/web-0\u0000"})"));
  const Result<ContinueToken> token = DecodeContinue(text, kPrefix);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->start, start);
  EXPECT_EQ(token->revision, 1234);
}

TEST(ContinueTokenTest, MayAskForTheNewest) {
  const Result<ContinueToken> token =
      DecodeContinue(Token(R"({"v":"meta.k8s.io/v1","rv":-1,"start":"default/a\u0000"})"), kPrefix);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->revision, -1);
}

class BadTokenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(BadTokenTest, Is400) {
  const Result<ContinueToken> token = DecodeContinue(GetParam(), kPrefix);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().http_status, 400);
  EXPECT_TRUE(IsBadRequest(token.error()));
}

INSTANTIATE_TEST_SUITE_P(Tokens, BadTokenTest,
                         ::testing::Values("!", "abc=", "e30", Token("[]"), Token("nonsense"),
                                           Token(R"({"v":"v2","rv":1,"start":"a"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":"1","start":"a"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":""})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":7})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"../secrets/a"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a/../../secrets"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a//b"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a/./b"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a/"})"),
                                           Token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"/"})"),
                                           std::string(100'000, 'a')));

TEST(ContinueTokenTest, AnExpiredOneComesWithAnotherThatGoesOnAsOfNow) {
  const std::string start = std::string("/registry/pods/default/b") + '\0';
  Error error = ContinueExpiredError(start, kPrefix);
  EXPECT_EQ(error.http_status, 410);
  EXPECT_TRUE(IsResourceExpired(error));
  const std::optional<std::string> text = TakeContinue(error);
  ASSERT_TRUE(text);
  EXPECT_TRUE(error.details.causes.empty());
  const Result<ContinueToken> token = DecodeContinue(*text, kPrefix);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->start, start);
  EXPECT_EQ(token->revision, -1);
  EXPECT_FALSE(TakeContinue(error));
}

}  // namespace
}  // namespace kinformer::apiserver
