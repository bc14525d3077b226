#include "src/base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kinformer::internal {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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
  return {.code = ErrorCode::kMalformed,
          .message = "not valid base64: " + std::string(what) + " at character " + std::to_string(position + 1)};
}

}  // namespace

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
    if (have + padding != 4) return BadBase64(text.size(), "truncated input");
    group <<= 6 * (4 - have);
    out += static_cast<char>((group >> 16) & 0xFF);
    if (have == 3) out += static_cast<char>((group >> 8) & 0xFF);
  }
  return out;
}

}  // namespace kinformer::internal
