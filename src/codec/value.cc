#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include <kinformer/codec/object.h>

#include "src/codec/block_scanner.h"
#include "src/codec/json_text.h"

// The text of a Value was validated with its object: nothing here checks it again.

namespace kinformer {
namespace {

using internal::IsJsonSpace;
using internal::StringEnd;
using internal::ValueEnd;

std::size_t SkipSpace(std::string_view text, std::size_t pos) {
  while (pos < text.size() && IsJsonSpace(text[pos])) ++pos;
  return pos;
}

/// Iterates over the elements of the array or the members of the object `text`.
class Children {
 public:
  explicit Children(std::string_view text)
      : text_(text), is_object_(!text.empty() && text.front() == '{'), pos_(SkipSpace(text, 1)) {}

  bool Next() {
    if (pos_ >= text_.size() || text_[pos_] == ']' || text_[pos_] == '}') return false;
    if (is_object_) {
      const std::size_t key_end = StringEnd(text_, pos_);
      key_ = text_.substr(pos_ + 1, key_end - pos_ - 2);
      pos_ = SkipSpace(text_, SkipSpace(text_, key_end) + 1);
    }
    const std::size_t end = ValueEnd(text_, pos_);
    value_ = text_.substr(pos_, end - pos_);
    pos_ = SkipSpace(text_, end);
    if (pos_ < text_.size() && text_[pos_] == ',') pos_ = SkipSpace(text_, pos_ + 1);
    return true;
  }
  /// The contents of the key, not unescaped.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  std::string_view text_;
  bool is_object_;
  std::size_t pos_;
  std::string_view key_;
  std::string_view value_;
};

std::string_view FindMember(std::string_view object, std::string_view name) {
  std::string_view found;
  // To the end: the last of equal keys counts, as in a DOM.
  for (Children members(object); members.Next();) {
    if (internal::KeyEquals(members.key(), name)) found = members.value();
  }
  return found;
}

std::string_view FindElement(std::string_view array, std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return {};
  std::size_t wanted = 0;
  const auto [stop, ec] = std::from_chars(token.data(), token.data() + token.size(), wanted);
  if (ec != std::errc() || stop != token.data() + token.size()) return {};
  Children elements(array);
  for (std::size_t i = 0; elements.Next(); ++i) {
    if (i == wanted) return elements.value();
  }
  return {};
}

/// Resolves ~0 and ~1; nullopt for any other use of '~'.
std::optional<std::string> UnescapeToken(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out.push_back(token[i]);
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    out.push_back(token[i] == '0' ? '~' : '/');
  }
  return out;
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view raw) {
  Number number{};
  const auto [stop, ec] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (ec != std::errc() || stop != raw.data() + raw.size()) return std::nullopt;
  return number;
}

}  // namespace

Value internal::MakeValue(std::string_view valid_json) { return Value(valid_json); }

std::optional<std::string> Value::AsString() const {
  if (raw_.size() < 2 || raw_.front() != '"') return std::nullopt;
  return internal::Unescape(raw_.substr(1, raw_.size() - 2));
}

std::optional<std::int64_t> Value::AsInt() const { return ParseNumber<std::int64_t>(raw_); }

std::optional<double> Value::AsDouble() const { return ParseNumber<double>(raw_); }

std::optional<bool> Value::AsBool() const {
  if (raw_ == "true") return true;
  if (raw_ == "false") return false;
  return std::nullopt;
}

std::string Value::StringOr(std::string_view otherwise) const {
  auto text = AsString();
  return text ? *std::move(text) : std::string(otherwise);
}

Value Value::At(std::string_view pointer) const {
  std::string_view value = raw_;
  while (!pointer.empty() && !value.empty()) {
    if (pointer.front() != '/') return Value();
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string_view token = pointer.substr(0, end);
    pointer.remove_prefix(end);
    std::optional<std::string> unescaped;
    if (token.find('~') != std::string_view::npos) {
      unescaped = UnescapeToken(token);
      if (!unescaped) return Value();
      token = *unescaped;
    }
    if (value.front() == '{') {
      value = FindMember(value, token);
    } else if (value.front() == '[') {
      value = FindElement(value, token);
    } else {
      return Value();
    }
  }
  return Value(value);
}

std::vector<Value> Value::Elements() const {
  std::vector<Value> elements;
  if (raw_.empty() || raw_.front() != '[') return elements;
  for (Children children(raw_); children.Next();) elements.push_back(Value(children.value()));
  return elements;
}

std::vector<std::pair<std::string, Value>> Value::Members() const {
  std::vector<std::pair<std::string, Value>> members;
  if (raw_.empty() || raw_.front() != '{') return members;
  for (Children children(raw_); children.Next();) {
    members.emplace_back(internal::Unescape(children.key()), Value(children.value()));
  }
  // Only the last of equal keys is kept, as in a DOM.
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&members](std::size_t a, std::size_t b) {
    const int compared = members[a].first.compare(members[b].first);
    return compared != 0 ? compared < 0 : a < b;
  });
  std::vector<bool> hidden(members.size());
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (members[order[i]].first == members[order[i + 1]].first) hidden[order[i]] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (hidden[i]) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
  return members;
}

std::size_t Value::Size() const {
  if (raw_.empty()) return 0;
  if (raw_.front() == '{') return Members().size();
  std::size_t size = 0;
  if (raw_.front() == '[') {
    for (Children children(raw_); children.Next();) ++size;
  }
  return size;
}

nlohmann::json Value::ToJson() const {
  if (raw_.empty()) return nullptr;
  // Never discarded: nlohmann accepts everything that our validation accepts.
  return nlohmann::json::parse(raw_, nullptr, /*allow_exceptions=*/false);
}

}  // namespace kinformer
