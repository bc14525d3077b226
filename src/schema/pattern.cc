#include "src/schema/pattern.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxExpression = 4096;
constexpr int kMaxGroups = 100;
constexpr std::size_t kMaxRepeat = 1000;
constexpr std::size_t kMaxStates = 2000;
/// Limit per match: a text that would need more steps does not match.
constexpr std::size_t kMaxSteps = 20'000'000;

/// Breadth-first matching, without backtracking: the stack does not grow with the text, and each character costs at
/// most one step per state. Groups are not captured.
constexpr auto kFlags = std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;

Error Bad(const std::string& why) { return {.code = ErrorCode::kInvalidArgument, .message = why}; }

/// Counts the states of an expression with all repetitions expanded, including nested groups.
class StateCounter {
 public:
  /// Limits are at most those of Kubernetes' own engine. The compiler recurses per group and copies what is repeated.
  Result<std::size_t> Count(std::string_view expression) {
    if (expression.size() > kMaxExpression) return Bad("the expression is too long");
    for (std::size_t i = 0; i < expression.size(); ++i) {
      switch (expression[i]) {
        case '\\':
          ++i;
          // Not supported without backtracking, and the compiler does not limit their numbers.
          if (i < expression.size() && expression[i] >= '1' && expression[i] <= '9') return Bad("a back-reference");
          Add({.states = 1});
          break;
        case '[':
          for (++i; i < expression.size() && expression[i] != ']'; ++i) i += expression[i] == '\\' ? 1 : 0;
          Add({.states = 1});
          break;
        case '(':
          if (++groups_ > kMaxGroups) return Bad("too many groups");
          open_.emplace_back();
          break;
        case ')':
          if (open_.size() > 1) {
            const Part group = open_.back();
            open_.pop_back();
            Add({.states = group.states + 1, .repeats = group.repeats});
          }
          break;
        case '{':
          if (Result<void> good = Repeat(expression, i); !good) return std::move(good).error();
          break;
        default:
          Add({.states = 1});
      }
      if (open_.back().states > kMaxStates) return Bad("the expression repeats too much");
    }
    return open_.front().states;
  }

 private:
  struct Part {
    std::size_t states = 0;
    std::size_t repeats = 1;  ///< The largest product of nested repetitions.
  };

  void Add(Part part) {
    last_ = part;
    open_.back().states += part.states;
    open_.back().repeats = std::max(open_.back().repeats, part.repeats);
  }

  /// Repeats the last part. `i` is at the opening brace on entry and at the closing one on return.
  Result<void> Repeat(std::string_view expression, std::size_t& i) {
    std::size_t number = 0;
    std::size_t largest = 1;
    for (++i; i < expression.size() && expression[i] != '}'; ++i) {
      const bool digit = std::isdigit(static_cast<unsigned char>(expression[i])) != 0;
      number = digit ? number * 10 + static_cast<std::size_t>(expression[i] - '0') : 0;
      largest = std::max(largest, number);
      if (largest > kMaxRepeat) return Bad("invalid repeat count");
    }
    if (i == expression.size()) return Bad("a { without }");
    if (last_.repeats * largest > kMaxRepeat) return Bad("invalid repeat count");
    Add({.states = last_.states * (largest - 1), .repeats = last_.repeats * largest});
    return {};
  }

  int groups_ = 0;
  std::vector<Part> open_{1};
  Part last_{};
};

class StandardPattern final : public Pattern {
 public:
  StandardPattern(std::regex regex, std::size_t states) : regex_(std::move(regex)), states_(states) {}

  bool Matches(std::string_view text) const override {
    if (text.size() > kMaxSteps / states_) return false;
    try {
      return std::regex_match(text.begin(), text.end(), regex_);
    } catch (const std::regex_error&) {
      return false;
    }
  }

 private:
  std::regex regex_;
  const std::size_t states_;
};

}  // namespace

Result<std::shared_ptr<const Pattern>> Pattern::Compile(const std::string& expression) {
  const Result<std::size_t> states = StateCounter().Count(expression);
  if (!states) return states.error();
  try {
    // Compile it on its own first: wrapped in a group, an expression with unbalanced parentheses could become valid.
    (void)std::regex(expression, kFlags);
    // regex_search would restart at each character and take quadratic time.
    std::regex anywhere("[\\s\\S]*(?:" + expression + ")[\\s\\S]*", kFlags);
    return std::shared_ptr<const Pattern>(std::make_shared<StandardPattern>(std::move(anywhere), *states + 4));
  } catch (const std::regex_error& e) {
    return Bad(e.what());
  }
}

}  // namespace kinformer::apiserver
