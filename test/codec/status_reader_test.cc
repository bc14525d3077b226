#include "src/codec/status_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace kinformer::internal {
namespace {

using ::testing::HasSubstr;

TEST(StatusReaderTest, AStatusBodyIsRead) {
  const Error error = ErrorFromResponse(
      409,
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"object was modified",)"
      R"("reason":"Conflict","details":{"name":"web","group":"apps","kind":"deployments","uid":"u-1",)"
      R"("causes":[{"reason":"FieldValueInvalid","message":"bad","field":"spec.replicas"}],"retryAfterSeconds":3},"code":409})");
  EXPECT_EQ(error.code, ErrorCode::kServer);
  EXPECT_EQ(error.http_status, 409);
  EXPECT_EQ(error.reason, "Conflict");
  EXPECT_EQ(error.message, "object was modified");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(3));
  EXPECT_EQ(error.details,
            (ErrorDetails{"web", "apps", "deployments", "u-1", {{"FieldValueInvalid", "bad", "spec.replicas"}}}));
}

TEST(StatusReaderTest, WhatAStatusLeavesOutComesFromTheStatusLine) {
  const Error error = ErrorFromResponse(404, R"( {"kind":"Status","status":"Failure"} )");
  EXPECT_EQ(error.http_status, 404);
  EXPECT_EQ(error.reason, "NotFound");
  EXPECT_FALSE(error.message.empty());
  EXPECT_EQ(error.retry_after, std::nullopt);
}

TEST(StatusReaderTest, FieldsOfTheWrongTypeAreIgnored) {
  const auto error = ErrorFromStatus(
      R"({"kind":"Status","status":"Failure","message":7,"reason":[],"code":"x","details":{"causes":{},"retryAfterSeconds":"1"}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->http_status, 0);
  EXPECT_EQ(error->retry_after, std::nullopt);
  EXPECT_TRUE(error->details.causes.empty());
  EXPECT_TRUE(ErrorFromStatus(R"({"kind":"Status","details":null,"code":-5})"));
}

TEST(StatusReaderTest, WhatIsNoFailureStatusGivesNothing) {
  EXPECT_FALSE(ErrorFromStatus(R"({"kind":"Pod","metadata":{}})"));
  EXPECT_FALSE(ErrorFromStatus(R"({"kind":"Status","status":"Success"})"));
  EXPECT_FALSE(ErrorFromStatus(R"({"kind":"Status","status":"Failure")"));
  EXPECT_FALSE(ErrorFromStatus("[]"));
  EXPECT_FALSE(ErrorFromStatus(""));
  EXPECT_FALSE(ErrorFromStatus("404 page not found"));
}

TEST(StatusReaderTest, AReasonFollowsFromTheHttpStatus) {
  const std::pair<int, const char*> expected[] = {
      {400, "BadRequest"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "NotFound"},
      {405, "MethodNotAllowed"},
      {406, "NotAcceptable"},
      {409, "Conflict"},
      {410, "Gone"},
      {413, "RequestEntityTooLarge"},
      {415, "UnsupportedMediaType"},
      {422, "Invalid"},
      {429, "TooManyRequests"},
      {500, "InternalError"},
      {502, "InternalError"},
      {503, "ServiceUnavailable"},
      {504, "Timeout"},
      {418, ""},
      {302, ""},
  };
  for (const auto& [status, reason] : expected) {
    const Error error = ErrorFromResponse(status, "");
    EXPECT_EQ(error.reason, reason) << status;
    EXPECT_EQ(error.http_status, status);
    EXPECT_EQ(error.code, ErrorCode::kServer);
    EXPECT_THAT(error.message, HasSubstr(std::to_string(status)));
  }
}

TEST(StatusReaderTest, AProxysTextIsShortenedAndPrintable) {
  const Error error = ErrorFromResponse(
      502, "<html>\r\n<head>\x1B[2J<title>502 Bad Gateway</title>\xFF" + std::string(10U << 20U, 'x'));
  EXPECT_EQ(error.reason, "InternalError");
  EXPECT_THAT(error.message, HasSubstr("<html> <head> [2J<title>502 Bad Gateway</title>?"));
  EXPECT_LT(error.message.size(), 400U);
  for (const char c : error.message) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
}

TEST(StatusReaderTest, AHugeMessageIsBoundedAtAWholeCharacter) {
  std::string message = "x";
  for (int i = 0; i < 20000; ++i) message += "\xC3\xA9";
  const auto error = ErrorFromStatus(R"({"kind":"Status","message":")" + message + R"("})");
  ASSERT_TRUE(error);
  EXPECT_LT(error->message.size(), 17000U);
  EXPECT_TRUE(error->message.ends_with("\xC3\xA9..."));
}

TEST(StatusReaderTest, AnAbsurdRetryAfterIsBounded) {
  const auto error = ErrorFromStatus(R"({"kind":"Status","details":{"retryAfterSeconds":9223372036854775807}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->retry_after, std::chrono::hours(24));
}

}  // namespace
}  // namespace kinformer::internal
