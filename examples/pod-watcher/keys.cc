#include "keys.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace {

using Code = Key::Code;

/// Longer sequences are not those of keys.
constexpr std::size_t kLongestSequence = 16;

/// By the last byte of ESC [ … and ESC O …, and the number in front of '~'.
std::optional<Code> CodeOf(std::string_view sequence) {
  switch (sequence.back()) {
    case 'A':
      return Code::kUp;
    case 'B':
      return Code::kDown;
    case 'H':
      return Code::kHome;
    case 'F':
      return Code::kEnd;
    case 'M':
      return sequence[1] == 'O' ? std::optional(Code::kEnter) : std::nullopt;  // of the keypad
    case '~':
      break;
    default:
      return std::nullopt;
  }
  switch (sequence[2]) {
    case '1':
    case '7':
      return sequence.size() == 4 || sequence[3] == ';' ? std::optional(Code::kHome) : std::nullopt;  // else F1 to F8
    case '4':
    case '8':
      return Code::kEnd;
    case '5':
      return Code::kPageUp;
    case '6':
      return Code::kPageDown;
    default:
      return std::nullopt;
  }
}

std::optional<Code> ControlCode(char byte) {
  switch (byte) {
    case '\r':
    case '\n':
      return Code::kEnter;
    case '\b':
    case '\177':
      return Code::kBackspace;
    case '\025':  // Ctrl-U
      return Code::kClearLine;
    case '\002':  // Ctrl-B
      return Code::kPageUp;
    case '\006':  // Ctrl-F
      return Code::kPageDown;
    default:
      return std::nullopt;
  }
}

/// Bytes of the character or sequence at the start of `text`; 0 if its end is still to come.
std::size_t LengthOf(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte == 0x1b) {
    if (text.size() == 1) return 0;
    if (text[1] == 'O') return text.size() < 3 ? 0 : 3;
    if (text[1] != '[') return 1;  // the Escape key, then another one
    const auto end = std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    if (end != text.end()) return static_cast<std::size_t>(end - text.begin()) + 1;
    return text.size() < kLongestSequence ? 0 : text.size();
  }
  const std::size_t length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return text.size() < length ? 0 : length;
}

}  // namespace

std::vector<Key> KeyDecoder::Feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<Key> keys;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const std::size_t length = LengthOf(rest);
    if (length == 0) break;
    const std::string_view sequence = rest.substr(0, length);
    rest.remove_prefix(length);
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (first == 0x1b) {
      const std::optional<Code> code = length == 1 ? Code::kEscape : CodeOf(sequence);
      if (code) keys.push_back({.code = *code});
    } else if (first < 0x20 || first == 0x7f) {
      if (const std::optional<Code> code = ControlCode(sequence[0])) keys.push_back({.code = *code});
    } else {
      keys.push_back({.code = Code::kText, .text = std::string(sequence)});
    }
  }
  pending_ = std::string(rest);
  return keys;
}

Key KeyDecoder::TakeEscape() {
  pending_.clear();
  return {.code = Code::kEscape};
}
