#include <algorithm>
#include <utility>

#include <kinformer/meta/selector.h>

#include "src/meta/error_text.h"

namespace kinformer {

using internal::InvalidArgument;
using internal::Quoted;

namespace {

bool IsSpecial(char c) { return c == ',' || c == '=' || c == '\\'; }

// The name of a field cannot be escaped, so it must not contain delimiters.
bool IsFieldByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte != 0x7f && !IsSpecial(c) && c != '!';
}

Error FieldErrorAt(std::size_t position, const std::string& what) {
  return InvalidArgument("field selector: at byte " + std::to_string(position) + ": " + what);
}

// Parses one term ("field=value") at a time.
class FieldSelectorParser {
 public:
  explicit FieldSelectorParser(std::string_view text) : text_(text) {}

  Result<std::vector<FieldRequirement>> Parse() {
    std::vector<FieldRequirement> requirements;
    while (position_ < text_.size()) {
      if (text_[position_] == ',') {
        ++position_;
        continue;
      }
      auto requirement = ParseTerm();
      if (!requirement) return std::move(requirement).error();
      requirements.push_back(*std::move(requirement));
    }
    return requirements;
  }

 private:
  Result<FieldRequirement> ParseTerm() {
    FieldRequirement requirement;
    const std::size_t begin = position_;
    while (position_ < text_.size() && IsFieldByte(text_[position_])) ++position_;
    requirement.field = text_.substr(begin, position_ - begin);
    if (requirement.field.empty()) return Unexpected("the name of a field");
    if (Skip("!=")) {
      requirement.op = FieldOperator::kNotEquals;
    } else if (!Skip("==") && !Skip("=")) {
      return Unexpected("one of =, ==, !=");
    }
    auto value = ParseValue();
    if (!value) return std::move(value).error();
    requirement.value = *std::move(value);
    return requirement;
  }

  Result<std::string> ParseValue() {
    std::string value;
    for (; position_ < text_.size() && text_[position_] != ','; ++position_) {
      char c = text_[position_];
      if (c == '=') return FieldErrorAt(position_, "found '=' in a value, expected '\\=' or ',' or the end");
      if (c == '\\') {
        const std::size_t escape = position_++;
        if (position_ == text_.size() || !IsSpecial(text_[position_])) {
          return FieldErrorAt(escape, "found " + Quoted(text_.substr(escape, 2)) + ", expected one of \\, \\= \\\\");
        }
        c = text_[position_];
      }
      value += c;
    }
    return value;
  }

  bool Skip(std::string_view symbol) {
    if (!text_.substr(position_).starts_with(symbol)) return false;
    position_ += symbol.size();
    return true;
  }

  Error Unexpected(const std::string& expected) const {
    const std::string found = position_ == text_.size() ? "the end" : Quoted(text_.substr(position_, 1));
    return FieldErrorAt(position_, "found " + found + ", expected " + expected);
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  if (text.size() > kMaxSelectorBytes) return internal::TooLarge("field selector", kMaxSelectorBytes);
  auto requirements = FieldSelectorParser(text).Parse();
  if (!requirements) return std::move(requirements).error();
  return From(*std::move(requirements));
}

Result<FieldSelector> FieldSelector::From(std::vector<FieldRequirement> requirements) {
  for (const FieldRequirement& requirement : requirements) {
    const std::string& field = requirement.field;
    if (field.empty() || !std::all_of(field.begin(), field.end(), IsFieldByte)) {
      return InvalidArgument("field selector: " + Quoted(field) +
                             " is not the name of a field: it must not be empty nor contain blanks, ',', '=', '!' or "
                             "'\\'");
    }
  }
  FieldSelector selector;
  selector.requirements_ = std::move(requirements);
  selector.Normalize();
  return selector;
}

std::optional<std::string> FieldSelector::RequiresExactMatch(std::string_view field) const {
  for (const FieldRequirement& requirement : requirements_) {
    if (requirement.field == field && requirement.op == FieldOperator::kEquals) return requirement.value;
  }
  return std::nullopt;
}

FieldSelector FieldSelector::And(const FieldSelector& other) const {
  FieldSelector both = *this;
  both.requirements_.insert(both.requirements_.end(), other.requirements_.begin(), other.requirements_.end());
  both.Normalize();
  return both;
}

void FieldSelector::Normalize() {
  std::sort(requirements_.begin(), requirements_.end());
  requirements_.erase(std::unique(requirements_.begin(), requirements_.end()), requirements_.end());
}

std::string ToString(const FieldSelector& selector) {
  std::string text;
  for (const FieldRequirement& requirement : selector.requirements()) {
    if (!text.empty()) text += ',';
    text += requirement.field;
    text += requirement.op == FieldOperator::kEquals ? "=" : "!=";
    for (const char c : requirement.value) {
      if (IsSpecial(c)) text += '\\';
      text += c;
    }
  }
  return text;
}

}  // namespace kinformer
