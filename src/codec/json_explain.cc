#include "src/codec/json_explain.h"

#include <utility>
#include <vector>

#include "src/base/utf8.h"
#include "src/codec/json_text.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kMaxPathBytes = 200;

/// A validator that tracks its position. Works byte by byte, without recursion.
class Explainer {
 public:
  explicit Explainer(std::string_view text) : text_(text) {}

  std::optional<JsonFault> Run() {
    if (!Value()) return Fault();
    while (!open_.empty()) {
      if (!(open_.back().is_object ? ObjectStep() : ArrayStep())) return Fault();
    }
    SkipSpace();
    if (pos_ < text_.size()) {
      Fail(pos_, "unexpected text after the value");
      return Fault();
    }
    return std::nullopt;
  }

 private:
  struct Container {
    bool is_object = false;
    bool begun = false;
    std::size_t index = 0;
    std::string key;
  };

  std::optional<JsonFault> Fault() {
    JsonFault fault{fault_offset_, {}, std::move(what_)};
    for (const Container& container : open_) {
      if (!container.begun) break;
      AppendPointerToken(
          container.is_object ? PrintableSnippet(container.key, kMaxPathBytes) : std::to_string(container.index),
          fault.path);
      if (fault.path.size() > kMaxPathBytes) {
        fault.path = PrintableSnippet(fault.path, kMaxPathBytes);
        break;
      }
    }
    return fault;
  }

  bool Fail(std::size_t offset, std::string what) {
    fault_offset_ = offset;
    what_ = std::move(what);
    return false;
  }
  bool FailHere(std::string_view expected) {
    if (pos_ >= text_.size()) return Fail(text_.size(), "unexpected end of text, expected " + std::string(expected));
    return Fail(pos_, "expected " + std::string(expected));
  }

  void SkipSpace() {
    while (pos_ < text_.size() && IsJsonSpace(text_[pos_])) ++pos_;
  }
  bool Take(char c) {
    SkipSpace();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }

  bool ObjectStep() {
    Container& object = open_.back();
    if (Take('}')) {
      if (object.begun && after_comma_) return Fail(pos_ - 1, "expected a key after the comma");
      return Close();
    }
    if (object.begun && !after_comma_) {
      if (!Take(',')) return FailHere("',' or '}'");
      after_comma_ = true;
      return true;
    }
    SkipSpace();
    if (pos_ >= text_.size() || text_[pos_] != '"') return FailHere(object.begun ? "a key" : "a key or '}'");
    const std::size_t begin = pos_;
    if (!String()) return false;
    object.begun = true;
    object.key = Unescape(text_.substr(begin + 1, pos_ - begin - 2));
    if (!Take(':')) return FailHere("':'");
    after_comma_ = false;
    return Value();
  }

  bool ArrayStep() {
    Container& array = open_.back();
    if (Take(']')) {
      if (array.begun && after_comma_) return Fail(pos_ - 1, "expected a value after the comma");
      return Close();
    }
    if (array.begun && !after_comma_) {
      if (!Take(',')) return FailHere("',' or ']'");
      after_comma_ = true;
      ++array.index;
      return true;
    }
    array.begun = true;
    after_comma_ = false;
    return Value();
  }

  bool Close() {
    open_.pop_back();
    after_comma_ = false;
    return true;
  }

  bool Value() {
    SkipSpace();
    if (pos_ >= text_.size()) return FailHere("a value");
    const char first = text_[pos_];
    if (first == '{' || first == '[') {
      if (open_.size() >= kMaxJsonDepth) {
        return Fail(pos_, "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
      }
      ++pos_;
      open_.push_back({first == '{', false, 0, {}});
      after_comma_ = false;
      return true;
    }
    if (first == '"') return String();
    const std::string_view rest = text_.substr(pos_);
    std::size_t length = 0;
    for (const std::string_view literal : {"true", "false", "null"}) {
      if (rest.starts_with(literal)) length = literal.size();
    }
    if (length == 0) length = NumberLength(rest);
    if (length == 0 || (length < rest.size() && !EndsJsonScalar(rest[length]))) {
      const bool number = first == '-' || (first >= '0' && first <= '9');
      return Fail(pos_, number ? "not a valid number" : "expected a value");
    }
    pos_ += length;
    return true;
  }

  bool String() {
    const std::size_t begin = pos_++;
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '"') {
        ++pos_;
        return true;
      }
      std::size_t length = 0;
      if (static_cast<unsigned char>(c) < 0x20U) return Fail(pos_, "control character in a string");
      if (c == '\\') {
        length = EscapeLength(text_.substr(pos_));
        if (length == 0) return Fail(pos_, "not a valid escape sequence");
      } else {
        length = Utf8Length(text_.substr(pos_));
        if (length == 0) return Fail(pos_, "not valid UTF-8");
      }
      pos_ += length;
    }
    return Fail(begin, "string is not closed");
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  bool after_comma_ = false;
  std::vector<Container> open_;
  std::size_t fault_offset_ = 0;
  std::string what_;
};

}  // namespace

std::optional<JsonFault> ExplainJson(std::string_view text) { return Explainer(text).Run(); }

Error MalformedAt(const JsonFault& fault, std::size_t base) {
  Error error;
  error.code = ErrorCode::kMalformed;
  error.message = fault.what + " at byte " + std::to_string(base + fault.offset);
  if (!fault.path.empty()) error.message += " (" + fault.path + ")";
  return error;
}

Error MalformedJson(std::string_view text, std::size_t base) {
  if (const auto fault = ExplainJson(text)) return MalformedAt(*fault, base);
  return MalformedAt({0, {}, "text could not be read as JSON"}, base);
}

}  // namespace kinformer::internal
