#include "src/api/append_text.h"

#include <array>
#include <cstddef>

#include "src/base/utf8.h"

namespace kinformer::api::internal {
namespace {

/// True for the bytes that a JSON string contains as they are, without a look at their neighbours.
constexpr std::array<bool, 256> MakePlain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = MakePlain();

void AppendEscaped(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      out.push_back('\\');
      out.push_back(c);
      break;
    case '\n':
      out.append("\\n");
      break;
    case '\r':
      out.append("\\r");
      break;
    case '\t':
      out.append("\\t");
      break;
    default:
      out.append("\\u00");
      out.push_back(kHex[static_cast<unsigned char>(c) >> 4U]);
      out.push_back(kHex[static_cast<unsigned char>(c) & 0xFU]);
  }
}

}  // namespace

void AppendText(std::string_view text, std::string& out) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  out.push_back('"');
  std::size_t copied = 0;
  std::size_t pos = 0;
  while (pos < text.size()) {
    if (kPlain[static_cast<unsigned char>(text[pos])]) {
      ++pos;
      continue;
    }
    const bool is_ascii = static_cast<unsigned char>(text[pos]) < 0x80U;
    const std::size_t length = is_ascii ? 0 : kinformer::internal::Utf8Length(text.substr(pos));
    if (length != 0) {
      pos += length;
      continue;
    }
    out.append(text.substr(copied, pos - copied));
    if (is_ascii) {
      AppendEscaped(text[pos], out);
    } else {
      out.append(kReplacement);
    }
    copied = ++pos;
  }
  out.append(text.substr(copied));
  out.push_back('"');
}

}  // namespace kinformer::api::internal
