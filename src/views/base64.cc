#include "src/views/base64.h"

#include <cstdint>

namespace kinformer::internal {
namespace {

int SextetOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int sextets = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int sextet = SextetOf(c);
    if (sextet < 0 || padding > 0) return std::nullopt;
    group = group << 6U | static_cast<std::uint32_t>(sextet);
    if (++sextets == 4) {
      decoded += static_cast<char>(group >> 16U & 0xffU);
      decoded += static_cast<char>(group >> 8U & 0xffU);
      decoded += static_cast<char>(group & 0xffU);
      group = 0;
      sextets = 0;
    }
  }
  if (sextets == 0) return padding == 0 ? std::optional(decoded) : std::nullopt;
  if (sextets == 1 || sextets + padding != 4) return std::nullopt;
  decoded += static_cast<char>((sextets == 2 ? group >> 4U : group >> 10U) & 0xffU);
  if (sextets == 3) decoded += static_cast<char>(group >> 2U & 0xffU);
  return decoded;
}

}  // namespace kinformer::internal
