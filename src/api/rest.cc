#include <kinformer/api/rest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

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
  // Complete before it is added: half a member must not stay if memory runs out.
  std::string member;
  member.reserve(raw_name.size() + value.size() + 4);
  if (rest.text_ != nullptr) member.push_back(',');
  member.push_back('"');
  member.append(raw_name);
  member.append("\":");
  AppendCompact(value, member);
  if (rest.text_ == nullptr) {
    rest.text_ = new std::string(std::move(member));
  } else {
    rest.text_->append(member);
  }
}

void RestAccess::Replace(Rest& rest, std::string text) {
  if (text.empty()) {
    rest.Clear();
  } else if (rest.text_ == nullptr) {
    rest.text_ = new std::string(std::move(text));
  } else {
    *rest.text_ = std::move(text);
  }
}

bool SameEntries(std::vector<RestEntry> a, std::vector<RestEntry> b) {
  if (a.size() != b.size()) return false;
  const auto by_name = [](const RestEntry& x, const RestEntry& y) { return x.name < y.name; };
  std::sort(a.begin(), a.end(), by_name);
  std::sort(b.begin(), b.end(), by_name);
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](const RestEntry& x, const RestEntry& y) { return x.name == y.name && x.value == y.value; });
}

void KeepLast(std::vector<RestEntry>& entries) {
  if (entries.size() < 2) return;
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const int names = entries[x].name.compare(entries[y].name);
    return names != 0 ? names < 0 : x < y;
  });
  std::vector<bool> is_repeated(entries.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    is_repeated[order[i - 1]] = entries[order[i - 1]].name == entries[order[i]].name;
  }
  std::size_t index = 0;
  std::erase_if(entries, [&](const RestEntry& /*entry*/) { return is_repeated[index++]; });
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
  // A new text, since `name` may be in the present one, which must also stay as it is if memory runs out.
  std::string member;
  internal::AppendText(name, member);
  // The name as it is written: invalid UTF-8 was replaced.
  const std::string written = kinformer::internal::Unescape(std::string_view(member).substr(1, member.size() - 2));
  member.push_back(':');
  member.append(value.text());
  std::string text;
  internal::RestCursor cursor(*this);
  while (cursor.Next()) {
    if (!cursor.NameIs(written)) text.append(cursor.Text()).push_back(',');
  }
  internal::RestAccess::Replace(*this, text + member);
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
  if (internal::RestAccess::Text(a) == internal::RestAccess::Text(b)) return true;
  const auto never = [](std::string_view /*name*/) { return false; };
  return internal::SameEntries(internal::EntriesOf(a, never), internal::EntriesOf(b, never));
}

}  // namespace kinformer::api
