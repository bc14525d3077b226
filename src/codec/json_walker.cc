#include "src/codec/json_walker.h"

#include <bitset>
#include <cstring>

#include "src/codec/json_text.h"

namespace kinformer::internal {
namespace {

/// Every backslash outside a string is the beginning of a token that is none, so the walk refuses it later; here each
/// one may be taken as the beginning of an escape.
bool EscapesAreValid(std::string_view text, bool& found_any) {
  const char* const end = text.data() + text.size();
  const char* pos = text.data();
  while (pos < end) {
    if (*pos != '\\') {
      pos = static_cast<const char*>(std::memchr(pos, '\\', static_cast<std::size_t>(end - pos)));
      if (pos == nullptr) return true;
    }
    found_any = true;
    const std::size_t length = EscapeLength({pos, static_cast<std::size_t>(end - pos)});
    if (length == 0) return false;
    pos += length;
  }
  return true;
}

}  // namespace

JsonWalker::JsonWalker(std::string_view text) : text_(text), index_(text) {
  valid_ = index_.size() != 0 && EscapesAreValid(text, has_escapes_);
}

bool JsonWalker::Take(char structural) {
  if (Peek() != structural) return false;
  ++next_;
  return true;
}

bool JsonWalker::String(Span& inside) {
  if (Peek() != '"') return false;
  const std::size_t begin = Position();
  ++next_;
  // Only whitespace can lie between the closing quote and the next token.
  std::size_t end = Position();
  while (end > begin + 1 && text_[end - 1] != '"') --end;
  if (end <= begin + 1) return false;
  inside = {begin + 1, end - 1};
  return true;
}

bool JsonWalker::Scalar(std::size_t& end) {
  if (AtEnd()) return false;
  const std::size_t begin = Position();
  const std::string_view rest = text_.substr(begin);
  std::size_t length = 0;
  switch (text_[begin]) {
    case '"': {
      Span inside;
      if (!String(inside)) return false;
      end = inside.end + 1;
      return true;
    }
    case 't':
      if (rest.starts_with("true")) length = 4;
      break;
    case 'f':
      if (rest.starts_with("false")) length = 5;
      break;
    case 'n':
      if (rest.starts_with("null")) length = 4;
      break;
    default:
      length = NumberLength(rest);
  }
  if (length == 0) return false;
  end = begin + length;
  if (end < text_.size() && !EndsJsonScalar(text_[end])) return false;
  ++next_;
  return true;
}

bool JsonWalker::Value(std::size_t depth, Span& value) {
  if (AtEnd()) return false;
  value.begin = Position();
  const char first = text_[value.begin];
  if (first == '{' || first == '[') return Container(depth, value.end);
  return Scalar(value.end);
}

bool JsonWalker::Container(std::size_t depth, std::size_t& end) {
  // Which of the open containers are objects; of the innermost also in `in_object`, which every token asks for.
  std::bitset<kMaxJsonDepth + 1> objects;
  const std::size_t outermost = depth;
  bool in_object = false;
  bool closed = false;
  std::size_t ignored = 0;
  Span key;
  const auto open = [&] {
    if (++depth > kMaxJsonDepth) return false;
    in_object = Peek() == '{';
    objects[depth] = in_object;
    ++next_;
    closed = Take(in_object ? '}' : ']');
    return true;
  };

  if (!open()) return false;
  for (;;) {
    if (closed) {
      if (--depth == outermost) break;
      in_object = objects[depth];
    } else {
      if (in_object && (!String(key) || !Take(':'))) return false;
      if (const char first = Peek(); first == '{' || first == '[') {
        if (!open()) return false;
        continue;
      }
      if (!Scalar(ignored)) return false;
    }
    closed = !Take(',');
    if (closed && !Take(in_object ? '}' : ']')) return false;
  }
  end = LastEnd();
  return true;
}

bool IsValidJson(std::string_view text) {
  JsonWalker walker(text);
  Span value;
  return walker.Begin() && walker.Value(0, value) && walker.AtEnd();
}

}  // namespace kinformer::internal
