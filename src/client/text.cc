#include "src/client/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace kinformer::internal {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kRedacted = "[redacted]";

constexpr std::array<std::int8_t, 256> MakeDecodingTable() {
  std::array<std::int8_t, 256> table{};
  for (auto& value : table) value = -1;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}
constexpr auto kDecodingTable = MakeDecodingTable();

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

Error BadBase64(std::size_t position, std::string_view what) {
  return {.code = ErrorCode::kInvalidConfig,
          .message = "not valid base64: " + std::string(what) + " at character " + std::to_string(position + 1)};
}

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '+' || c == '=' || c == '~';
}

/// How many bytes the well-formed UTF-8 character at `i` has; 0 if it is not one.
std::size_t CharacterLength(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(i);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = (group << 8) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kAlphabet[(group >> (18 - 6 * k)) & 63U] : '=';
    }
  }
  return out;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int have = 0;
  int padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsBlank(c)) continue;
    if (c == '=') {
      if (have + padding >= 4 || have < 2) return BadBase64(i, "misplaced padding");
      ++padding;
      continue;
    }
    const std::int8_t value = kDecodingTable[static_cast<unsigned char>(c)];
    if (value < 0) return BadBase64(i, "a character outside of the alphabet");
    if (padding > 0) return BadBase64(i, "data after the padding");
    group = (group << 6) | static_cast<std::uint32_t>(value);
    if (++have == 4) {
      out += static_cast<char>((group >> 16) & 0xFF);
      out += static_cast<char>((group >> 8) & 0xFF);
      out += static_cast<char>(group & 0xFF);
      group = 0;
      have = 0;
    }
  }
  if (have > 0) {
    if (have + padding != 4) return BadBase64(text.size(), "it ends in the middle of a group");
    group <<= 6 * (4 - have);
    out += static_cast<char>((group >> 16) & 0xFF);
    if (have == 3) out += static_cast<char>((group >> 8) & 0xFF);
  }
  return out;
}

bool IsHeaderValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

std::string OneLine(std::string_view text, std::size_t limit, Keep keep) {
  std::string line;
  line.reserve(std::min(text.size(), limit * 4));
  const auto add_blank = [&] {
    if (!line.empty() && line.back() != ' ') line += ' ';
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0x1B) {
      // An escape sequence: ESC [ parameters letter. The letter would otherwise stay behind as noise.
      ++i;
      if (i < text.size() && text[i] == '[') {
        ++i;
        while (i < text.size() && static_cast<unsigned char>(text[i]) >= 0x20 &&
               static_cast<unsigned char>(text[i]) < 0x40) {
          ++i;
        }
        if (i < text.size()) ++i;
      }
      continue;
    }
    if (byte <= 0x20 || byte == 0x7F) {
      add_blank();
      ++i;
      continue;
    }
    const std::size_t length = CharacterLength(text, i);
    if (length == 0) {
      line += '?';
      ++i;
    } else if (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      add_blank();  // the C1 controls
      i += 2;
    } else {
      line.append(text, i, length);
      i += length;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() <= limit) return line;
  // Cut between characters, not inside one.
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80; };
  if (keep == Keep::kEnd) {
    std::size_t from = line.size() - limit;
    while (from < line.size() && continues(from)) ++from;
    return "..." + line.substr(from);
  }
  std::size_t to = limit;
  while (to > 0 && continues(to)) --to;
  return line.substr(0, to) + "...";
}

std::string Redact(std::string text, std::span<const std::string> secrets) {
  // Longest first, so that a secret inside another does not leave the rest of the longer one behind.
  std::vector<std::string_view> ordered(secrets.begin(), secrets.end());
  std::sort(ordered.begin(), ordered.end(), [](auto a, auto b) { return a.size() > b.size(); });
  for (const std::string_view secret : ordered) {
    if (secret.empty()) continue;
    std::string next;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(secret, from)) != std::string::npos; from = at + secret.size()) {
      next.append(text, from, at - from).append(kRedacted);
    }
    next.append(text, from);
    text = std::move(next);
  }

  constexpr std::size_t kSuspiciousLength = 40;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsTokenCharacter(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string_view run(text.data() + i, end - i);
    if (run.size() >= 16 && run.substr(0, 3) == "eyJ") {
      while (end < text.size() && (IsTokenCharacter(text[end]) || text[end] == '.')) ++end;
      out += kRedacted;
    } else if (run.size() >= kSuspiciousLength) {
      out += kRedacted;
    } else {
      out += run;
    }
    i = end;
  }
  return out;
}

}  // namespace kinformer::internal
