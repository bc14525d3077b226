#include <kinformer/base/result.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Error{.code = ErrorCode::kInvalidArgument, .message = "odd"};
  return n / 2;
}

TEST(ResultTest, HoldsTheValueThatWasReturned) {
  const auto result = Half(4);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, 2);
}

TEST(ResultTest, HoldsTheErrorThatWasReturned) {
  const auto result = Half(3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().message, "odd");
  EXPECT_EQ(result.value_or(7), 7);
}

TEST(ResultTest, ValueOfAnErrorThrowsWithTheErrorsText) {
  try {
    (void)Half(3).value();
    FAIL() << "value() returned";
  } catch (const BadResultAccess& e) {
    EXPECT_NE(std::string(e.what()).find("odd"), std::string::npos);
  }
}

TEST(ResultTest, MovesTypesThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, ConvertsWhatConvertsToItsValue) {
  const Result<std::string> text = "hello";
  EXPECT_EQ(text.value(), "hello");
}

TEST(ResultTest, OfVoidIsSuccessUnlessGivenAnError) {
  EXPECT_TRUE(Result<void>().ok());
  const Result<void> failed = Error{.message = "no"};
  EXPECT_FALSE(failed.ok());
  EXPECT_THROW(failed.value(), BadResultAccess);
}

TEST(ErrorTest, TextNamesStatusAndReasonOfAServersAnswer) {
  const Error error{
      .code = ErrorCode::kServer, .message = "pods \"x\" not found", .http_status = 404, .reason = "NotFound"};
  EXPECT_EQ(ToString(error), "pods \"x\" not found (HTTP 404 NotFound)");
}

TEST(ErrorTest, TextOfALocalErrorNamesItsCode) {
  EXPECT_EQ(ToString(Error{.code = ErrorCode::kTls, .message = "certificate expired"}), "certificate expired (TLS)");
  EXPECT_EQ(ToString(Error{.code = ErrorCode::kCancelled}), "cancelled");
}

TEST(ErrorTest, AnnotatePutsTheContextInFrontAndKeepsTheRest) {
  const Error inner{.code = ErrorCode::kServer, .message = "gone", .http_status = 410, .reason = "Expired"};
  const Error outer = Annotate(inner, "listing pods");
  EXPECT_EQ(outer.message, "listing pods: gone");
  EXPECT_EQ(outer.http_status, 410);
  EXPECT_EQ(outer.reason, "Expired");
}

}  // namespace
}  // namespace kinformer
