#include <algorithm>
#include <charconv>
#include <utility>

#include <kinformer/meta/selector.h>
#include <kinformer/meta/validation.h>

#include "src/meta/error_text.h"

namespace kinformer {

using internal::InvalidArgument;
using internal::Quoted;

namespace {

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

enum class TokenType { kEnd, kWord, kSymbol };

struct Token {
  TokenType type = TokenType::kEnd;
  std::string_view text;
  std::size_t position = 0;

  bool IsSymbol(std::string_view symbol) const { return type == TokenType::kSymbol && text == symbol; }
  bool IsWord() const { return type == TokenType::kWord; }
};

// Splits the text into words and symbols. "in" and "notin" are ordinary words here: their position makes them
// operators.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Advance(); }

  const Token& Peek() const { return next_; }
  Token Take() {
    const Token taken = next_;
    Advance();
    return taken;
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool IsSymbolByte(char c) { return std::string_view("=!(),<>").find(c) != std::string_view::npos; }

  void Advance() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
    const std::size_t begin = position_;
    if (begin == text_.size()) {
      next_ = {TokenType::kEnd, {}, begin};
      return;
    }
    if (IsSymbolByte(text_[begin])) {
      const std::string_view two = text_.substr(begin, 2);
      position_ += two == "==" || two == "!=" ? 2 : 1;
      next_ = {TokenType::kSymbol, text_.substr(begin, position_ - begin), begin};
      return;
    }
    while (position_ < text_.size() && !IsSpace(text_[position_]) && !IsSymbolByte(text_[position_])) ++position_;
    next_ = {TokenType::kWord, text_.substr(begin, position_ - begin), begin};
  }

  std::string_view text_;
  std::size_t position_ = 0;
  Token next_;
};

Error LabelErrorAt(std::size_t position, std::string_view what) {
  return InvalidArgument("label selector: at byte " + std::to_string(position) + ": " + std::string(what));
}

Error Unexpected(const Token& token, std::string_view expected) {
  const std::string found = token.type == TokenType::kEnd ? "the end" : Quoted(token.text);
  return LabelErrorAt(token.position, "found " + found + ", expected " + std::string(expected));
}

class LabelSelectorParser {
 public:
  explicit LabelSelectorParser(std::string_view text) : lexer_(text) {}

  Result<LabelSelector> Parse() {
    std::vector<LabelRequirement> requirements;
    if (lexer_.Peek().type == TokenType::kEnd) return LabelSelector();
    while (true) {
      auto requirement = ParseRequirement();
      if (!requirement) return std::move(requirement).error();
      requirements.push_back(*std::move(requirement));
      const Token separator = lexer_.Take();
      if (separator.type == TokenType::kEnd) return LabelSelector(std::move(requirements));
      if (!separator.IsSymbol(",")) return Unexpected(separator, "',' or the end");
    }
  }

 private:
  Result<LabelRequirement> ParseRequirement() {
    const bool negated = lexer_.Peek().IsSymbol("!");
    if (negated) lexer_.Take();
    const Token key = lexer_.Take();
    if (!key.IsWord()) return Unexpected(key, negated ? "a label key" : "a label key or '!'");
    if (auto valid = ValidateLabelKey(key.text); !valid) return LabelErrorAt(key.position, valid.error().message);
    if (negated) return LabelRequirement::Create(key.text, LabelOperator::kDoesNotExist);

    const Token& next = lexer_.Peek();
    if (next.type == TokenType::kEnd || next.IsSymbol(",")) {
      return LabelRequirement::Create(key.text, LabelOperator::kExists);
    }
    const Token word = lexer_.Take();
    const std::optional<LabelOperator> op = OperatorOf(word);
    if (!op) return Unexpected(word, "one of =, ==, !=, in, notin, <, >, ',' or the end");
    auto values = *op == LabelOperator::kIn || *op == LabelOperator::kNotIn ? ParseSet() : ParseSingle();
    if (!values) return std::move(values).error();
    auto requirement = LabelRequirement::Create(key.text, *op, *std::move(values));
    if (!requirement) return LabelErrorAt(word.position, requirement.error().message);
    return requirement;
  }

  static std::optional<LabelOperator> OperatorOf(const Token& token) {
    if (token.type == TokenType::kEnd) return std::nullopt;
    static constexpr std::pair<std::string_view, LabelOperator> kOperators[] = {
        {"=", LabelOperator::kEquals},   {"==", LabelOperator::kEquals},   {"!=", LabelOperator::kNotEquals},
        {"in", LabelOperator::kIn},      {"notin", LabelOperator::kNotIn}, {">", LabelOperator::kGreaterThan},
        {"<", LabelOperator::kLessThan},
    };
    for (const auto& [text, op] : kOperators) {
      if (token.text == text) return op;
    }
    return std::nullopt;
  }

  // A single value; a missing one is the empty value.
  Result<std::vector<std::string>> ParseSingle() {
    std::vector<std::string> values(1);
    const Token& next = lexer_.Peek();
    if (next.type == TokenType::kEnd || next.IsSymbol(",")) return values;
    auto value = TakeValue("a value, ',' or the end");
    if (!value) return std::move(value).error();
    values.front() = *std::move(value);
    return values;
  }

  // Values in parentheses, separated by commas; a missing one is the empty value.
  Result<std::vector<std::string>> ParseSet() {
    if (const Token open = lexer_.Take(); !open.IsSymbol("(")) return Unexpected(open, "'('");
    std::vector<std::string> values;
    while (true) {
      if (lexer_.Peek().IsSymbol(",") || lexer_.Peek().IsSymbol(")")) {
        values.emplace_back();
      } else {
        auto value = TakeValue("a value, ',' or ')'");
        if (!value) return std::move(value).error();
        values.push_back(*std::move(value));
      }
      const Token separator = lexer_.Take();
      if (separator.IsSymbol(")")) return values;
      if (!separator.IsSymbol(",")) return Unexpected(separator, "',' or ')'");
    }
  }

  Result<std::string> TakeValue(std::string_view expected) {
    const Token value = lexer_.Take();
    if (!value.IsWord()) return Unexpected(value, expected);
    if (auto valid = ValidateLabelValue(value.text); !valid) return LabelErrorAt(value.position, valid.error().message);
    return std::string(value.text);
  }

  Lexer lexer_;
};

std::string_view Spelling(LabelOperator op) {
  switch (op) {
    case LabelOperator::kEquals:
      return "=";
    case LabelOperator::kNotEquals:
      return "!=";
    case LabelOperator::kIn:
      return " in ";
    case LabelOperator::kNotIn:
      return " notin ";
    case LabelOperator::kGreaterThan:
      return ">";
    case LabelOperator::kLessThan:
      return "<";
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      return "";
  }
  return "";
}

}  // namespace

Result<LabelRequirement> LabelRequirement::Create(std::string_view key, LabelOperator op,
                                                  std::vector<std::string> values) {
  if (auto valid = ValidateLabelKey(key); !valid) return valid.error();
  for (const std::string& value : values) {
    if (auto valid = ValidateLabelValue(value); !valid) return valid.error();
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());

  const std::string label = "label " + Quoted(key) + ": ";
  LabelRequirement requirement;
  switch (op) {
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      if (values.empty()) return InvalidArgument(label + "'in' and 'notin' need at least one value");
      break;
    case LabelOperator::kEquals:
    case LabelOperator::kNotEquals:
      if (values.size() != 1) return InvalidArgument(label + "'=' and '!=' need exactly one value");
      break;
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      if (!values.empty()) return InvalidArgument(label + "a test for existence takes no values");
      break;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan: {
      const auto bound = values.size() == 1 ? ParseInteger(values.front()) : std::nullopt;
      if (!bound) return InvalidArgument(label + "'>' and '<' need exactly one value, an integer");
      requirement.bound_ = *bound;
      break;
    }
  }
  requirement.key_ = key;
  requirement.op_ = op;
  requirement.values_ = std::move(values);
  return requirement;
}

bool LabelRequirement::Matches(LabelLookup labels) const {
  const std::optional<std::string_view> value = labels(key_);
  const auto listed = [&] {
    return std::binary_search(values_.begin(), values_.end(), *value,
                              [](std::string_view a, std::string_view b) { return a < b; });
  };
  switch (op_) {
    case LabelOperator::kExists:
      return value.has_value();
    case LabelOperator::kDoesNotExist:
      return !value;
    case LabelOperator::kEquals:
    case LabelOperator::kIn:
      return value && listed();
    case LabelOperator::kNotEquals:
    case LabelOperator::kNotIn:
      return !value || !listed();
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan: {
      const auto number = value ? ParseInteger(*value) : std::nullopt;
      if (!number) return false;
      return op_ == LabelOperator::kGreaterThan ? *number > bound_ : *number < bound_;
    }
  }
  return false;
}

std::string ToString(const LabelRequirement& requirement) {
  const bool set = requirement.op() == LabelOperator::kIn || requirement.op() == LabelOperator::kNotIn;
  std::string text = requirement.op() == LabelOperator::kDoesNotExist ? "!" : "";
  text += requirement.key();
  text += Spelling(requirement.op());
  if (set) text += '(';
  for (std::size_t i = 0; i < requirement.values().size(); ++i) {
    if (i > 0) text += ',';
    text += requirement.values()[i];
  }
  if (set) text += ')';
  return text;
}

LabelSelector::LabelSelector(std::vector<LabelRequirement> requirements) : requirements_(std::move(requirements)) {
  std::sort(requirements_.begin(), requirements_.end());
  requirements_.erase(std::unique(requirements_.begin(), requirements_.end()), requirements_.end());
}

LabelSelector LabelSelector::Nothing() {
  // The grammar cannot express "nothing", so use a contradiction, which servers understand too.
  return LabelSelector({*LabelRequirement::Create("nothing", LabelOperator::kExists),
                        *LabelRequirement::Create("nothing", LabelOperator::kDoesNotExist)});
}

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  if (text.size() > kMaxSelectorBytes) return internal::TooLarge("label selector", kMaxSelectorBytes);
  return LabelSelectorParser(text).Parse();
}

Result<LabelSelector> LabelSelector::FromApi(const std::map<std::string, std::string>& match_labels,
                                             const std::vector<LabelSelectorExpression>& match_expressions) {
  std::vector<LabelRequirement> requirements;
  requirements.reserve(match_labels.size() + match_expressions.size());
  for (const auto& [key, value] : match_labels) {
    auto requirement = LabelRequirement::Create(key, LabelOperator::kEquals, {value});
    if (!requirement) return Annotate(std::move(requirement).error(), "matchLabels");
    requirements.push_back(*std::move(requirement));
  }
  static constexpr std::pair<std::string_view, LabelOperator> kOperators[] = {
      {"In", LabelOperator::kIn},
      {"NotIn", LabelOperator::kNotIn},
      {"Exists", LabelOperator::kExists},
      {"DoesNotExist", LabelOperator::kDoesNotExist},
  };
  for (std::size_t i = 0; i < match_expressions.size(); ++i) {
    const LabelSelectorExpression& expression = match_expressions[i];
    const std::string where = "matchExpressions[" + std::to_string(i) + "]";
    const auto* const op = std::find_if(std::begin(kOperators), std::end(kOperators),
                                        [&](const auto& known) { return known.first == expression.op; });
    if (op == std::end(kOperators)) {
      return InvalidArgument(where + ": operator " + Quoted(expression.op) +
                             " is not one of In, NotIn, Exists, DoesNotExist");
    }
    auto requirement = LabelRequirement::Create(expression.key, op->second, expression.values);
    if (!requirement) return Annotate(std::move(requirement).error(), where);
    requirements.push_back(*std::move(requirement));
  }
  return LabelSelector(std::move(requirements));
}

bool LabelSelector::Matches(LabelLookup labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const LabelRequirement& requirement) { return requirement.Matches(labels); });
}

std::optional<std::string> LabelSelector::RequiresExactMatch(std::string_view key) const {
  for (const LabelRequirement& requirement : requirements_) {
    const bool lists_all = requirement.op() == LabelOperator::kEquals || requirement.op() == LabelOperator::kIn;
    if (requirement.key() == key && lists_all && requirement.values().size() == 1) return requirement.values().front();
  }
  return std::nullopt;
}

LabelSelector LabelSelector::And(const LabelSelector& other) const {
  std::vector<LabelRequirement> both = requirements_;
  both.insert(both.end(), other.requirements_.begin(), other.requirements_.end());
  return LabelSelector(std::move(both));
}

std::string ToString(const LabelSelector& selector) {
  std::string text;
  for (const LabelRequirement& requirement : selector.requirements()) {
    if (!text.empty()) text += ',';
    text += ToString(requirement);
  }
  return text;
}

}  // namespace kinformer
