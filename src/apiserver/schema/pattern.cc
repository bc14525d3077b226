#include "src/apiserver/schema/pattern.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxExpression = 4096;
constexpr int kMaxGroups = 100;
constexpr int kMaxRepeat = 1000;

/// Breadth first: no backtracking, so time is linear in the text and the stack does not grow with it.
constexpr auto kFlags = std::regex::ECMAScript | std::regex_constants::__polynomial;

Error Bad(const std::string& why) { return {.code = ErrorCode::kInvalidArgument, .message = why}; }

/// The compiler recurses by group, and copies what is repeated. Bounds are those of Kubernetes' own engine or below.
Result<void> CheckBounds(std::string_view expression) {
  if (expression.size() > kMaxExpression) return Bad("the expression is too long");
  int groups = 0;
  std::size_t copies = 1;
  bool in_class = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      ++i;
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    if (in_class) continue;
    if (c == '(' && ++groups > kMaxGroups) return Bad("too many groups");
    if (c != '{') continue;
    int number = 0;
    int largest = 0;
    for (++i; i < expression.size() && expression[i] != '}'; ++i) {
      const bool digit = std::isdigit(static_cast<unsigned char>(expression[i])) != 0;
      number = digit ? number * 10 + (expression[i] - '0') : 0;
      largest = std::max(largest, number);
      if (largest > kMaxRepeat) return Bad("invalid repeat count");
    }
    if (i == expression.size()) return Bad("a { without }");
    copies += static_cast<std::size_t>(largest);
    if (copies * expression.size() > kMaxExpression * 32) return Bad("the expression repeats too much");
  }
  return {};
}

class StandardPattern final : public Pattern {
 public:
  explicit StandardPattern(std::regex regex) : regex_(std::move(regex)) {}

  bool Matches(std::string_view text) const override {
    try {
      return std::regex_search(text.begin(), text.end(), regex_);
    } catch (const std::regex_error&) {
      return false;
    }
  }

 private:
  std::regex regex_;
};

}  // namespace

Result<std::shared_ptr<const Pattern>> Pattern::Compile(const std::string& expression) {
  if (Result<void> good = CheckBounds(expression); !good) return std::move(good).error();
  try {
    return std::shared_ptr<const Pattern>(std::make_shared<StandardPattern>(std::regex(expression, kFlags)));
  } catch (const std::regex_error& e) {
    return Bad(e.what());
  }
}

}  // namespace kinformer::apiserver
