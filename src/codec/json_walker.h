#ifndef KINFORMER_SRC_CODEC_JSON_WALKER_H_
#define KINFORMER_SRC_CODEC_JSON_WALKER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/codec/structural_index.h"

namespace kinformer::internal {

/// A range of the text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  std::string_view In(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// Walks a JSON text once, token by token, and validates every byte. The caller requests what it expects next; false
/// means that the text is not valid JSON, or not what was requested, and ends the walk.
class JsonWalker {
 public:
  explicit JsonWalker(std::string_view text);

  /// False if the text as a whole is invalid: encoding, strings, escapes.
  bool Begin() const { return valid_; }
  /// First byte of the next token, or 0 at the end.
  char Peek() const { return next_ < index_.size() ? text_[Position()] : '\0'; }
  /// Where the next token begins; the text's size at the end.
  std::size_t Position() const { return next_ < index_.size() ? index_.begin()[next_] : text_.size(); }
  /// False if the text contains no escapes.
  bool HasEscapes() const { return has_escapes_; }
  bool AtEnd() const { return next_ == index_.size(); }

  /// The position after the bracket, comma or colon that was taken last.
  std::size_t LastEnd() const { return index_.begin()[next_ - 1] + std::size_t{1}; }

  /// Takes one of { } [ ] : , if it comes next.
  bool Take(char structural) {
    if (Peek() != structural) return false;
    ++next_;
    return true;
  }
  /// Takes a string; `inside` is the range between the quotes, not unescaped.
  bool String(Span& inside) {
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
  /// Takes any value with its contents. `depth`: the number of containers that are open around it.
  bool Value(std::size_t depth, Span& value);

 private:
  bool Scalar(std::size_t& end);
  bool Container(std::size_t depth, std::size_t& end);

  std::string_view text_;
  StructuralIndex index_;
  std::size_t next_ = 0;
  bool has_escapes_ = false;
  bool valid_ = false;
};

/// True if `text` is one valid JSON value, nested no deeper than kMaxJsonDepth.
bool IsValidJson(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_JSON_WALKER_H_
