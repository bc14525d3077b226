#include "src/apiserver/protobuf/json_values.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "src/base/utc_text.h"
#include "src/base/utf8.h"

namespace kinformer::apiserver::protobuf {
namespace {

void AppendEscaped(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kDigits[code >> 4U];
  out += kDigits[code & 0xFU];
}

}  // namespace

void AppendString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = internal::Utf8Length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      length = 1;
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\')) {
      AppendEscaped(c, out);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

bool AppendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) return false;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
  return true;
}

bool AppendTime(std::int64_t seconds, std::int32_t nanos, bool micros, std::string& out) {
  // 0000-01-01T00:00:00Z and 10000-01-01T00:00:00Z.
  constexpr std::int64_t kFirst = -62167219200;
  constexpr std::int64_t kEnd = 253402300800;
  if (seconds < kFirst || seconds >= kEnd || nanos < 0 || nanos >= 1000000000) return false;
  out += '"';
  out += internal::UtcText(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  if (micros) {
    out += '.';
    internal::AppendDigits(out, nanos / 1000, 6);
  }
  out += "Z\"";
  return true;
}

void AppendDuration(std::int64_t nanos, std::string& out) {
  // The minimum has no positive counterpart.
  std::uint64_t rest =
      nanos < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(nanos) : static_cast<std::uint64_t>(nanos);
  out += nanos < 0 ? "\"-" : "\"";
  // A decimal number without trailing zeros.
  const auto fraction = [&out](std::uint64_t value, std::uint64_t unit) {
    out += std::to_string(value / unit);
    std::uint64_t part = value % unit;
    if (part == 0) return;
    out += '.';
    for (unit /= 10; part > 0; unit /= 10) {
      out += static_cast<char>('0' + part / unit);
      part %= unit;
    }
  };
  if (rest == 0) {
    out += "0s";
  } else if (rest < 1000) {
    out += std::to_string(rest) + "ns";
  } else if (rest < 1000000) {
    fraction(rest, 1000);
    out += "\xC2\xB5s";
  } else if (rest < 1000000000) {
    fraction(rest, 1000000);
    out += "ms";
  } else {
    constexpr std::uint64_t kSecond = 1000000000;
    const std::uint64_t minutes = rest / kSecond / 60;
    if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
    if (minutes > 0) out += std::to_string(minutes % 60) + "m";
    fraction(rest % (60 * kSecond), kSecond);
    out += "s";
  }
  out += '"';
}

}  // namespace kinformer::apiserver::protobuf
