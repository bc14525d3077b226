#include <kinformer/meta/validation.h>

#include <algorithm>
#include <string>

#include "src/meta/error_text.h"

namespace kinformer {

using internal::InvalidArgument;
using internal::Quoted;

namespace {

constexpr std::size_t kMaxSubdomain = 253;
constexpr std::size_t kMaxLabelName = 63;

constexpr bool IsLowerAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
constexpr bool IsAlnum(char c) { return IsLowerAlnum(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool IsNameByte(char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; }

bool IsDnsPart(std::string_view part) {
  return !part.empty() && IsLowerAlnum(part.front()) && IsLowerAlnum(part.back()) &&
         std::all_of(part.begin(), part.end(), [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

// What is wrong with the name in a label key, or with a non-empty label value; empty if it is valid.
std::string NameProblem(std::string_view name) {
  if (name.size() > kMaxLabelName) {
    return "is longer than " + std::to_string(kMaxLabelName) + " bytes";
  }
  if (!std::all_of(name.begin(), name.end(), IsNameByte)) {
    return "may contain only letters, digits, '-', '_' and '.'";
  }
  if (!IsAlnum(name.front()) || !IsAlnum(name.back())) return "must begin and end with a letter or digit";
  return {};
}

}  // namespace

Result<void> ValidateDnsSubdomain(std::string_view name) {
  if (name.empty()) return InvalidArgument("a DNS subdomain must not be empty");
  if (name.size() > kMaxSubdomain) {
    return InvalidArgument("DNS subdomain " + Quoted(name) + " is longer than " + std::to_string(kMaxSubdomain) +
                           " bytes");
  }
  std::string_view rest = name;
  while (true) {
    const std::size_t dot = rest.find('.');
    if (!IsDnsPart(rest.substr(0, dot))) {
      return InvalidArgument("DNS subdomain " + Quoted(name) +
                             " must consist of parts of lower-case letters, digits and '-', separated by '.', each "
                             "beginning and ending with a letter or digit");
    }
    if (dot == std::string_view::npos) return {};
    rest.remove_prefix(dot + 1);
  }
}

Result<void> ValidateLabelKey(std::string_view key) {
  std::string_view name = key;
  if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
    if (auto prefix = ValidateDnsSubdomain(key.substr(0, slash)); !prefix) {
      return InvalidArgument("label key " + Quoted(key) + ": before the '/': " + prefix.error().message);
    }
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) return InvalidArgument("label key " + Quoted(key) + ": the name must not be empty");
  if (const std::string wrong = NameProblem(name); !wrong.empty()) {
    return InvalidArgument("label key " + Quoted(key) + ": the name " + wrong);
  }
  return {};
}

Result<void> ValidateLabelValue(std::string_view value) {
  if (value.empty()) return {};
  if (const std::string wrong = NameProblem(value); !wrong.empty()) {
    return InvalidArgument("label value " + Quoted(value) + " " + wrong);
  }
  return {};
}

}  // namespace kinformer
