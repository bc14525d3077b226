#include <kinformer/api/rest.h>

#include <algorithm>
#include <utility>

#include "src/api/append_text.h"
#include "src/api/rest_access.h"
#include "src/codec/json_text.h"

namespace kinformer::api {
namespace internal {
namespace {

/// The position after the value that begins at `pos`. Precondition: valid JSON without white space between tokens.
std::size_t ValueEnd(std::string_view text, std::size_t pos) {
  std::size_t depth = 0;
  while (pos < text.size()) {
    switch (text[pos]) {
      case '"':
        pos = kinformer::internal::StringEnd(text, pos);
        if (depth == 0) return pos;
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return pos + 1;
        break;
      case ',':
        if (depth == 0) return pos;
        break;
      default:
        break;
    }
    ++pos;
  }
  return pos;
}

}  // namespace

void AppendCompact(std::string_view json, std::string& out) {
  constexpr std::string_view kSpace = " \t\r\n";
  if (json.find_first_of(kSpace) == std::string_view::npos) {
    out.append(json);
    return;
  }
  std::size_t pos = 0;
  while (pos < json.size()) {
    const std::size_t stop = std::min(json.find_first_of(" \t\r\n\"", pos), json.size());
    out.append(json.substr(pos, stop - pos));
    pos = stop;
    if (pos == json.size()) return;
    if (json[pos] == '"') {
      pos = kinformer::internal::StringEnd(json, stop);
      out.append(json.substr(stop, pos - stop));
    } else {
      ++pos;
    }
  }
}

void RestAccess::Add(Rest& rest, std::string_view raw_name, std::string_view value) {
  if (rest.text_ == nullptr) {
    rest.text_ = new std::string();
  } else {
    rest.text_->push_back(',');
  }
  rest.text_->push_back('"');
  rest.text_->append(raw_name);
  rest.text_->append("\":");
  AppendCompact(value, *rest.text_);
}

bool RestCursor::Next() {
  begin_ = end_ == 0 ? 0 : end_ + 1;
  if (begin_ >= text_.size()) return false;
  colon_ = kinformer::internal::StringEnd(text_, begin_);
  end_ = ValueEnd(text_, colon_ + 1);
  return true;
}

std::string RestCursor::Name() const {
  return kinformer::internal::Unescape(text_.substr(begin_ + 1, colon_ - begin_ - 2));
}

bool RestCursor::NameIs(std::string_view name) const {
  return kinformer::internal::KeyEquals(text_.substr(begin_ + 1, colon_ - begin_ - 2), name);
}

}  // namespace internal

Rest::Rest(const Rest& other) : text_(other.text_ == nullptr ? nullptr : new std::string(*other.text_)) {}

Rest& Rest::operator=(const Rest& other) {
  Rest copy(other);
  std::swap(text_, copy.text_);
  return *this;
}

Rest& Rest::operator=(Rest&& other) noexcept {
  Rest moved(std::move(other));
  std::swap(text_, moved.text_);
  return *this;
}

void Rest::Clear() noexcept {
  delete text_;
  text_ = nullptr;
}

std::string_view Rest::Find(std::string_view name) const {
  internal::RestCursor cursor(*this);
  while (cursor.Next()) {
    if (cursor.NameIs(name)) return cursor.Value();
  }
  return {};
}

void Rest::Set(std::string_view name, const RawJson& value) {
  Erase(name);
  std::string quoted;
  internal::AppendText(name, quoted);
  internal::RestAccess::Add(*this, std::string_view(quoted).substr(1, quoted.size() - 2), value.text());
}

void Rest::Erase(std::string_view name) {
  internal::RestCursor cursor(*this);
  while (cursor.Next()) {
    if (!cursor.NameIs(name)) continue;
    std::size_t begin = cursor.begin();
    std::size_t end = cursor.end();
    // With the comma on one of its sides.
    if (end < text_->size()) {
      ++end;
    } else if (begin > 0) {
      --begin;
    }
    text_->erase(begin, end - begin);
    if (text_->empty()) Clear();
    return;
  }
}

std::string Rest::ToJson() const { return '{' + std::string(internal::RestAccess::Text(*this)) + '}'; }

bool Rest::Equal(const Rest& a, const Rest& b) {
  const auto contains = [](const Rest& all, const Rest& some) {
    internal::RestCursor cursor(some);
    while (cursor.Next()) {
      if (all.Find(cursor.Name()) != cursor.Value()) return false;
    }
    return true;
  };
  return contains(a, b) && contains(b, a);
}

}  // namespace kinformer::api
