#include "src/config/redactor.h"

#include <gtest/gtest.h>

#include "src/base/base64.h"

namespace kinformer::internal {
namespace {

TEST(RedactorTest, ATokenThatBeginsWithAnOlderOneLeavesNothingBehind) {
  Redactor redactor;
  redactor.Learn({{"Authorization", "Bearer hunter2"}});
  redactor.Learn({{"Authorization", "Bearer hunter2-rotated"}});
  EXPECT_EQ(redactor.Hide(std::string("no hunter2-rotated, no hunter2!")), "no [redacted], no [redacted]!");
}

TEST(RedactorTest, APasswordIsHiddenInEachPartOfAnError) {
  Redactor redactor;
  redactor.Learn({{"Authorization", "Basic " + EncodeBase64("user:hunter2")}});
  Error error{.code = ErrorCode::kServer, .message = "hunter2 " + EncodeBase64("user:hunter2")};
  error.details.causes.push_back({.reason = "hunter2", .message = "x", .field = ".hunter2"});
  error = redactor.Hide(std::move(error));
  EXPECT_EQ(error.message, "[redacted] [redacted]");
  EXPECT_EQ(error.details.causes[0].reason, "[redacted]");
  EXPECT_EQ(error.details.causes[0].field, ".[redacted]");
}

}  // namespace
}  // namespace kinformer::internal
