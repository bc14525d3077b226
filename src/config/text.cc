#include "src/config/text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/base/text.h"
#include "src/base/utf8.h"

namespace kinformer::internal {
namespace {

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '+' || c == '=' || c == '~';
}

}  // namespace

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
      // An escape sequence: ESC [ parameters letter. Skip the letter too.
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
    const std::size_t length = Utf8Length(text.substr(i));
    if (length == 0) {
      line += '?';
      ++i;
    } else if (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      add_blank();  // C1 control characters
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

std::string HideSecrets(std::string text, std::span<const std::string_view> secrets) {
  std::vector<std::string_view> ordered(secrets.begin(), secrets.end());
  std::sort(ordered.begin(), ordered.end(), [](auto a, auto b) { return a.size() > b.size(); });
  for (const std::string_view secret : ordered) {
    if (!secret.empty()) text = ReplaceAll(text, secret, kRedacted);
  }
  return text;
}

std::string Redact(std::string text, std::span<const std::string> secrets) {
  text = HideSecrets(std::move(text), std::vector<std::string_view>(secrets.begin(), secrets.end()));

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
