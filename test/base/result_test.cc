#include <kinformer/base/result.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

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

TEST(ResultTest, OfBoolSaysNothingInACondition) {
  static_assert(!std::is_constructible_v<bool, Result<bool>>);
  static_assert(std::is_constructible_v<bool, Result<int>> && std::is_constructible_v<bool, Result<void>>);
  const Result<bool> no = false;
  EXPECT_TRUE(no.ok());
  EXPECT_FALSE(*no);
}

TEST(ResultTest, ValueOrMovesOutOfATemporary) {
  EXPECT_EQ(*Result<std::unique_ptr<int>>(std::make_unique<int>(5)).value_or(nullptr), 5);
  EXPECT_EQ(Result<std::unique_ptr<int>>(Error{}).value_or(nullptr), nullptr);
}

TEST(ResultTest, AndThenGoesOnWithTheValueAndPassesAnErrorOn) {
  Result<int> eight = 8;
  const Result<int> odd = 3;
  EXPECT_EQ(eight.and_then(Half).and_then(Half).value(), 2);
  EXPECT_EQ(odd.and_then(Half).error().message, "odd");
  EXPECT_EQ(Half(3).and_then([](int) -> Result<std::string> { throw std::logic_error("called"); }).error().message,
            "odd");
  EXPECT_TRUE(eight
                  .and_then([](int& n) -> Result<void> {
                    n = 9;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(*eight, 9) << "a function may change the value of a named result";
}

TEST(ResultTest, AndThenMovesOutOfATemporary) {
  const auto made = Result<std::unique_ptr<int>>(std::make_unique<int>(5))
                        .and_then([](std::unique_ptr<int> value) -> Result<std::unique_ptr<int>> {
                          ++*value;
                          return value;
                        });
  EXPECT_EQ(**made, 6);
}

TEST(ResultTest, TransformChangesTheValueAndPassesAnErrorOn) {
  const auto text = [](int n) { return std::to_string(n); };
  EXPECT_EQ(Half(4).transform(text).value(), "2");
  EXPECT_EQ(Half(3).transform(text).error().message, "odd");
  const Result<int> four = 4;
  EXPECT_EQ(four.transform(text).value(), "4");
  int seen = 0;
  const Result<void> done = four.transform([&](int n) { seen = n; });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(**Half(4).transform([](int n) { return std::make_unique<int>(n); }), 2);
}

TEST(ResultTest, OrElseTakesThePlaceOfAnErrorAndLeavesAValueAlone) {
  const auto one = [](const Error&) -> Result<int> { return 1; };
  EXPECT_EQ(Half(3).or_else(one).value(), 1);
  EXPECT_EQ(Half(4).or_else(one).value(), 2);
  const Result<int> failed = Half(3);
  EXPECT_EQ(failed.or_else([](const Error& error) { return Annotate(error, "again"); }).error().message, "again: odd");
  EXPECT_EQ(failed.error().message, "odd");
  EXPECT_EQ(**Result<std::unique_ptr<int>>(std::make_unique<int>(5)).or_else([](Error&& error) { return error; }), 5);
}

TEST(ResultTest, OfVoidGoesOnWithoutAValue) {
  const Result<void> done;
  const Result<void> failed = Error{.message = "no"};
  EXPECT_EQ(done.and_then([] { return Half(4); }).value(), 2);
  EXPECT_EQ(failed.and_then([] { return Half(4); }).error().message, "no");
  EXPECT_EQ(done.transform([] { return 7; }).value(), 7);
  EXPECT_EQ(Result<void>(failed).transform([] {}).error().message, "no");
  EXPECT_TRUE(failed.or_else([](const Error&) -> Result<void> { return {}; }).ok());
  EXPECT_EQ(Result<void>(failed).or_else([](Error&& error) { return Annotate(error, "again"); }).error().message,
            "again: no");
  EXPECT_TRUE(done.or_else([](const Error& error) { return error; }).ok());
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
