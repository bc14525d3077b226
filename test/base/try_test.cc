#include <kinformer/base/try.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

Result<int> HalfOf(int n) {
  if (n % 2 != 0) return Error{.code = ErrorCode::kInvalidArgument, .message = "odd"};
  return n / 2;
}

Result<std::unique_ptr<int>> HalfAllocated(int n) {
  KI_TRY_ASSIGN(const int half, HalfOf(n));
  return std::make_unique<int>(half);
}

template <typename A, typename B>
Result<std::pair<A, B>> Pair(A a, B b) {
  return std::pair<A, B>(a, b);
}

/// Like a reconcile result: not a Result, but constructible from an Error.
struct Outcome {
  Outcome() = default;
  Outcome(const Error& error) : message(error.message) {}  // NOLINT(google-explicit-constructor)
  std::string message = "done";
};

TEST(TryTest, AnErrorReturnsFromFunctionsThatReturnAnyResult) {
  const auto of_void = [](int n) -> Result<void> {
    KI_TRY(HalfOf(n));
    return {};
  };
  EXPECT_TRUE(of_void(2).ok());
  EXPECT_EQ(of_void(3).error().message, "odd");
  const auto of_text = [&](int n) -> Result<std::string> {
    KI_TRY(of_void(n));
    return "even";
  };
  EXPECT_EQ(of_text(2).value(), "even");
  EXPECT_EQ(of_text(3).error().code, ErrorCode::kInvalidArgument);
}

TEST(TryTest, AnErrorBecomesWhateverCanBeMadeOfIt) {
  const auto reconcile = [](int n) -> Outcome {
    KI_TRY(HalfOf(n));
    return {};
  };
  EXPECT_EQ(reconcile(2).message, "done");
  EXPECT_EQ(reconcile(3).message, "odd");
}

TEST(TryTest, AssignDeclaresAndAssigns) {
  const auto quarter = [](int n) -> Result<int> {
    KI_TRY_ASSIGN(auto half, HalfOf(n));
    KI_TRY_ASSIGN(half, HalfOf(half));
    return half;
  };
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(TryTest, AssignMovesOutOfATemporaryAndCopiesOutOfANamedResult) {
  const auto moved = [](int n) -> Result<int> {
    KI_TRY_ASSIGN(const std::unique_ptr<int> half, HalfAllocated(n));
    return *half;
  };
  EXPECT_EQ(moved(4).value(), 2);
  EXPECT_EQ(moved(3).error().message, "odd");
  const Result<std::string> named = "text";
  const auto copied = [&]() -> Result<std::string> {
    KI_TRY_ASSIGN(auto text, named);
    return text + "s";
  };
  EXPECT_EQ(copied().value(), "texts");
  EXPECT_EQ(*named, "text");
  Result<int> failed = HalfOf(3);
  const auto passed_on = [&]() -> Result<int> {
    KI_TRY(failed);
    return 0;
  };
  EXPECT_EQ(passed_on().error(), failed.error());
  EXPECT_EQ(failed.error().message, "odd");
}

TEST(TryTest, TheExpressionMayHaveCommasAndIsEvaluatedOnce) {
  int calls = 0;
  const auto sum = [&]() -> Result<int> {
    KI_TRY((++calls, Pair<int, int>(1, 2)));
    KI_TRY(Pair<std::string, std::map<int, int>>("a", {{1, 2}, {3, 4}}));
    KI_TRY_ASSIGN(auto pair, Pair<int, int>(1, 2));
    return pair.first + pair.second;
  };
  EXPECT_EQ(sum().value(), 3);
  EXPECT_EQ(calls, 1);
}

TEST(TryTest, UsesMayStandOnOneLineAndInsideOneAnother) {
  const auto both = [](int a, int b) -> Result<int> {
    // clang-format off
    KI_TRY(HalfOf(a)); KI_TRY(HalfOf(b)); KI_TRY_ASSIGN(auto x, HalfOf(a)); KI_TRY_ASSIGN(auto y, HalfOf(b));
    // clang-format on
    KI_TRY([&]() -> Result<void> {
      KI_TRY(HalfOf(x + y));
      KI_TRY_ASSIGN(const auto z, HalfOf(x + y));
      return z > 100 ? Result<void>(Error{.message = "too much"}) : Result<void>();
    }());
    return x + y;
  };
  EXPECT_EQ(both(4, 4).value(), 4);
  EXPECT_EQ(both(4, 2).error().message, "odd");
  EXPECT_EQ(both(400, 400).error().message, "too much");
}

TEST(TryTest, MayBeTheOnlyStatementOfAnIf) {
  const auto maybe = [](bool check, int n) -> Result<int> {
    if (check)
      KI_TRY(HalfOf(n));
    else
      return -1;
    return n;
  };
  EXPECT_EQ(maybe(false, 3).value(), -1);
  EXPECT_EQ(maybe(true, 2).value(), 2);
  EXPECT_EQ(maybe(true, 3).error().message, "odd");
}

TEST(TryTest, AResultOfBoolIsAnErrorOnlyIfItHoldsOne) {
  const auto ask = [](const Result<bool>& answer) -> Result<std::string> {
    KI_TRY_ASSIGN(const bool yes, answer);
    return yes ? "yes" : "no";
  };
  EXPECT_EQ(ask(true).value(), "yes");
  EXPECT_EQ(ask(false).value(), "no");
  EXPECT_EQ(ask(Error{.message = "?"}).error().message, "?");
}

}  // namespace
}  // namespace kinformer
