#include "src/apiserver/endpoints/selector_errors.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/apiserver/registry/name_rules.h"
#include "src/meta/go_quoted.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kSpecial = "=!(),<>";
constexpr std::string_view kSpace = " \t\r\n";

/// `text` is the identifier or the symbol itself; empty at the end.
struct Token {
  enum class Kind { kIdentifier, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text{};

  bool Is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  bool IsIdentifier() const { return kind == Kind::kIdentifier; }
};

std::vector<Token> Tokens(std::string_view text) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    if (kSpace.find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
      continue;
    }
    std::size_t length = 1;
    const bool symbol = kSpecial.find(text.front()) != std::string_view::npos;
    if (symbol) {
      const std::string_view two = text.substr(0, 2);
      if (two == "==" || two == "!=") length = 2;
    } else {
      const auto ends = [](char c) {
        return kSpecial.find(c) != std::string_view::npos || kSpace.find(c) != std::string_view::npos;
      };
      length = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends) - text.begin());
    }
    tokens.push_back({symbol ? Token::Kind::kSymbol : Token::Kind::kIdentifier, std::string(text.substr(0, length))});
    text.remove_prefix(length);
  }
  tokens.emplace_back();
  return tokens;
}

bool IsInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size();
}

/// Parses a label selector like a real server and stops at the same error. Each function returns the error message, or
/// an empty string.
class LabelSelectorReader {
 public:
  explicit LabelSelectorReader(std::string_view text) : tokens_(Tokens(text)) {}

  std::string Read() {
    for (;;) {
      const Token& token = Peek();
      if (token.kind == Token::Kind::kEnd) return {};
      if (!token.IsIdentifier() && !token.Is("!")) return Found(token, "!, identifier, or 'end of string'");
      if (const std::string wrong = Requirement(); !wrong.empty()) return "unable to parse requirement: " + wrong;
      const Token next = Take();
      if (next.kind == Token::Kind::kEnd) return {};
      if (!next.Is(",")) return Found(next, "',' or 'end of string'");
      if (!Peek().IsIdentifier() && !Peek().Is("!")) return Found(Peek(), "identifier after ','");
    }
  }

 private:
  const Token& Peek() const { return tokens_[at_]; }
  Token Take() {
    Token token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool RequirementEnds() const { return Peek().kind == Token::Kind::kEnd || Peek().Is(","); }

  static std::string Found(const Token& token, std::string_view expected) {
    return "found '" + token.text + "', expected: " + std::string(expected);
  }

  std::string Requirement() {
    Token key = Take();
    const bool absent = key.Is("!");
    if (absent) key = Take();
    if (!key.IsIdentifier()) return Found(key, "identifier");
    std::string wrongs;
    for (const std::string& wrong : WrongsOfLabelKey(key.text)) wrongs += (wrongs.empty() ? "" : "; ") + wrong;
    if (!wrongs.empty()) return "<nil>: Invalid value: " + internal::GoQuoted(key.text) + ": " + wrongs;
    if (absent || RequirementEnds()) return {};
    const Token operation = Take();
    const bool set = operation.IsIdentifier() && (operation.text == "in" || operation.text == "notin");
    const bool compared = operation.Is("<") || operation.Is(">");
    if (!set && !compared && !operation.Is("=") && !operation.Is("==") && !operation.Is("!=")) {
      return Found(operation, "in, notin, =, ==, !=, gt, lt");
    }
    std::set<std::string> values;
    if (std::string wrong = set ? Values(values) : Value(values); !wrong.empty()) return wrong;
    if (compared && !IsInteger(*values.begin())) {
      return "values[0]: Invalid value: " + internal::GoQuoted(*values.begin()) +
             ": for 'Gt', 'Lt' operators, the value must be an integer";
    }
    std::size_t i = 0;
    for (const std::string& value : values) {
      if (const std::string wrong = WrongLabelValue(value); !wrong.empty()) {
        return "values[" + std::to_string(i) + "][" + key.text + "]: Invalid value: " + internal::GoQuoted(value) +
               ": " + wrong;
      }
      ++i;
    }
    return {};
  }

  std::string Value(std::set<std::string>& values) {
    if (RequirementEnds()) {
      values.insert("");
      return {};
    }
    const Token value = Take();
    if (!value.IsIdentifier()) return Found(value, "identifier");
    values.insert(value.text);
    return {};
  }

  std::string Values(std::set<std::string>& values) {
    const Token open = Take();
    if (!open.Is("(")) return "found '" + open.text + "' expected: '('";
    const Token first = Peek();
    if (first.Is(")")) {
      Take();
      values.insert("");
      return {};
    }
    if (!first.IsIdentifier() && !first.Is(",")) return Found(first, "',', ')' or identifier");
    for (;;) {
      const Token token = Take();
      if (token.IsIdentifier()) {
        values.insert(token.text);
        if (Peek().Is(",")) continue;
        if (!Peek().Is(")")) return Found(Peek(), "',' or ')'");
      } else if (token.Is(",")) {
        if (values.empty()) values.insert("");
        if (Peek().Is(",")) {
          Take();
          values.insert("");
        }
        if (!Peek().Is(")")) continue;
        values.insert("");
      } else {
        return Found(token, "',', or identifier");
      }
      Take();  // the closing parenthesis
      return {};
    }
  }

  const std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// The parts between unescaped commas.
std::vector<std::string_view> Terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '\\') {
      ++i;
    } else if (i == text.size() || text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (begin < text.size()) terms.push_back(text.substr(begin));
  return terms;
}

std::string WrongFieldValue(std::string_view value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '=' || value[i] == ',') {
      return "invalid field selector: unescaped character in value: " + std::to_string(static_cast<int>(value[i]));
    }
    if (value[i] != '\\') continue;
    ++i;
    if (i < value.size() && (value[i] == '\\' || value[i] == ',' || value[i] == '=')) continue;
    return "invalid field selector: invalid escape sequence: " + std::string(value.substr(i - 1, 2));
  }
  return {};
}

}  // namespace

std::string WhyNoLabelSelector(std::string_view text) { return LabelSelectorReader(text).Read(); }

std::string WhyNoFieldSelector(std::string_view text) {
  for (const std::string_view term : Terms(text)) {
    if (term.empty()) continue;
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      return "invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(term) + "'";
    }
    const bool twice = term.substr(equals, 2) == "==" && (equals == 0 || term[equals - 1] != '!');
    if (std::string wrong = WrongFieldValue(term.substr(equals + (twice ? 2 : 1))); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace kinformer::apiserver
