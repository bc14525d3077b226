#include "src/codec/json_walker.h"

#include <bitset>
#include <cstring>

#include "src/codec/json_text.h"

namespace kinformer::internal {
namespace {

/// A backslash outside of a string is an invalid token, which the walk rejects later; so each one can be treated as the
/// start of an escape here.
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

/// The length of the number, true, false or null at the start of `text`; 0 if there is none, or if a byte follows that
/// cannot end it.
std::size_t LiteralLength(std::string_view text) {
  std::size_t length = 0;
  switch (text.front()) {
    case 't':
      length = text.starts_with("true") ? 4 : 0;
      break;
    case 'f':
      length = text.starts_with("false") ? 5 : 0;
      break;
    case 'n':
      length = text.starts_with("null") ? 4 : 0;
      break;
    default:
      length = NumberLength(text);
  }
  return length < text.size() && !EndsJsonScalar(text[length]) ? 0 : length;
}

}  // namespace

JsonWalker::JsonWalker(std::string_view text) : text_(text), index_(text) {
  valid_ = index_.size() != 0 && EscapesAreValid(text, has_escapes_);
}

bool JsonWalker::Scalar(std::size_t& end) {
  const std::size_t begin = Position();
  if (text_[begin] == '"') {
    Span inside;
    if (!String(inside)) return false;
    end = inside.end + 1;
    return true;
  }
  const std::size_t length = LiteralLength(text_.substr(begin));
  end = begin + length;
  ++next_;
  return length != 0;
}

bool JsonWalker::Value(std::size_t depth, Span& value) {
  if (AtEnd()) return false;
  value.begin = Position();
  const char first = text_[value.begin];
  if (first == '{' || first == '[') return Container(depth, value.end);
  return Scalar(value.end);
}

bool JsonWalker::Container(std::size_t depth, std::size_t& end) {
  // Nearly all tokens of a text pass through here, so the state is kept in locals.
  const char* const text = text_.data();
  const std::uint32_t* next = index_.begin() + next_;
  const std::uint32_t* const last = index_.begin() + index_.size();
  // Which of the open containers are objects; for the innermost also in `closer`, which every token needs.
  std::bitset<kMaxJsonDepth + 1> objects;
  const std::size_t outermost = depth;
  char closer = '\0';
  bool closed = false;
  const auto peek = [&] { return next != last ? text[*next] : '\0'; };
  const auto open = [&](char bracket) {
    if (++depth > kMaxJsonDepth) return false;
    closer = bracket == '{' ? '}' : ']';
    objects[depth] = bracket == '{';
    ++next;
    closed = peek() == closer;
    if (closed) ++next;
    return true;
  };

  if (!open(peek())) return false;
  for (;;) {
    if (closed) {
      if (--depth == outermost) break;
      closer = objects[depth] ? '}' : ']';
    } else {
      if (closer == '}') {
        // The opening quote of a string is enough: it is already known to be closed and free of control characters.
        if (last - next < 2 || text[next[0]] != '"' || text[next[1]] != ':') return false;
        next += 2;
      }
      switch (const char first = peek(); first) {
        case '"':
          ++next;
          break;
        case '{':
        case '[':
          if (!open(first)) return false;
          continue;
        default:
          if (next == last || LiteralLength(text_.substr(*next)) == 0) return false;
          ++next;
      }
    }
    const char after = peek();
    if (after != ',' && after != closer) return false;
    closed = after == closer;
    ++next;
  }
  next_ = static_cast<std::size_t>(next - index_.begin());
  end = LastEnd();
  return true;
}

bool IsValidJson(std::string_view text) {
  JsonWalker walker(text);
  Span value;
  return walker.Begin() && walker.Value(0, value) && walker.AtEnd();
}

}  // namespace kinformer::internal
