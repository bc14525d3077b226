#include "src/base/user_code.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

Error Threw(const std::string& what) { return {.code = ErrorCode::kInternal, .message = "it threw: " + what}; }

TEST(UserCode, ContainReturnsWhatWasThrown) {
  EXPECT_EQ(Contain([] {}), std::nullopt);
  EXPECT_EQ(Contain([] { throw std::runtime_error("no"); }), "no");
  EXPECT_EQ(Contain([] { throw 1; }), "an exception that is not a std::exception");
}

TEST(UserCode, ContainResultPassesValuesAndErrorsThrough) {
  const Result<int> value = ContainResult([] { return 1; }, Threw);
  EXPECT_EQ(value.value(), 1);
  const Result<int> error =
      ContainResult([]() -> Result<int> { return Error{.code = ErrorCode::kCancelled, .message = "none"}; }, Threw);
  EXPECT_EQ(error.error().code, ErrorCode::kCancelled);
  bool called = false;
  const Result<void> nothing = ContainResult([&] { called = true; }, Threw);
  EXPECT_TRUE(nothing.ok() && called);
}

TEST(UserCode, ContainResultMakesAnErrorOfAnException) {
  const Result<int> threw = ContainResult([]() -> int { throw std::runtime_error("no"); }, Threw);
  EXPECT_EQ(threw.error().message, "it threw: no");
  const Result<void> other = ContainResult([] { throw 1; }, Threw);
  EXPECT_EQ(other.error().message, "it threw: an exception that is not a std::exception");
}

}  // namespace
}  // namespace kinformer::internal
