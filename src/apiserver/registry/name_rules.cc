#include "src/apiserver/registry/name_rules.h"

#include <algorithm>
#include <cctype>

#include <kinformer/meta/validation.h>

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxSubdomain = 253;

constexpr const char* kSubdomainMessage =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr const char* kLabelMessage =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kLabel1035Message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kNamePartMessage =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr const char* kLabelValueMessage =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr const char* kConfigKeyMessage =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsLowerAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// A real server counts bytes in both cases, but says "characters" in the second.
std::string TooLong(std::size_t most) { return "must be no more than " + std::to_string(most) + " bytes"; }
std::string NameTooLong(std::size_t most) { return "must be no more than " + std::to_string(most) + " characters"; }

/// Only characters accepted by `letter` or in `between`; the first and last must be accepted by `letter`.
template <typename Letter>
bool Consists(std::string_view text, Letter letter, std::string_view between) {
  if (text.empty() || !letter(text.front()) || !letter(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || between.find(c) != std::string_view::npos; });
}

/// `what`: what messages call such a name.
std::vector<std::string> QualifiedNameProblems(std::string_view name, std::string_view what) {
  std::vector<std::string> all;
  const std::size_t slash = name.find('/');
  std::string_view own = name;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, slash);
    own = name.substr(slash + 1);
    if (own.find('/') != std::string_view::npos) {
      return {std::string(what) + " " + (kNamePartMessage + std::string_view("name part ").size()) +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) {
      all.emplace_back("prefix part must be non-empty");
    } else if (prefix.size() > kMaxSubdomain) {
      all.push_back("prefix part " + TooLong(kMaxSubdomain));
    } else if (const std::string wrong = WrongName(NameRule::kSubdomain, prefix); !wrong.empty()) {
      all.push_back("prefix part " + wrong);
    }
  }
  if (own.empty()) all.emplace_back("name part must be non-empty");
  if (own.size() > kMaxLabel) all.push_back("name part " + TooLong(kMaxLabel));
  if (!Consists(own, IsAlnum, "-_.")) all.emplace_back(kNamePartMessage);
  return all;
}

}  // namespace

std::string WrongDnsLabel(std::string_view name) {
  if (name.size() > kMaxLabel) return NameTooLong(kMaxLabel);
  return Consists(name, IsLowerAlnum, "-") ? "" : kLabelMessage;
}

std::string WrongDns1035Label(std::string_view name) {
  if (name.size() > kMaxLabel) return NameTooLong(kMaxLabel);
  const bool digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return !digit && Consists(name, IsLowerAlnum, "-") ? "" : kLabel1035Message;
}

std::string WrongName(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::kLabel:
      if (name.find('.') != std::string_view::npos) return "must not contain dots";
      return WrongDnsLabel(name);
    case NameRule::kPathSegment:
      if (name == "." || name == "..") return "may not be '" + std::string(name) + "'";
      for (const char c : {'/', '%'}) {
        if (name.find(c) != std::string_view::npos) return std::string("may not contain '") + c + "'";
      }
      return {};
    case NameRule::kSubdomain:
      break;
  }
  if (name.size() > kMaxSubdomain) return NameTooLong(kMaxSubdomain);
  return ValidateDnsSubdomain(name) ? "" : kSubdomainMessage;
}

std::vector<std::string> WrongsOfQualifiedName(std::string_view name) {
  return QualifiedNameProblems(name, "a qualified name");
}

std::vector<std::string> WrongsOfLabelKey(std::string_view key) {
  return QualifiedNameProblems(key, "a valid label key");
}

std::string WrongQualifiedName(std::string_view name) {
  const std::vector<std::string> all = WrongsOfQualifiedName(name);
  return all.empty() ? std::string() : all.front();
}

std::string WrongLabelValue(std::string_view value) {
  if (value.size() > kMaxLabel) return TooLong(kMaxLabel);
  return value.empty() || Consists(value, IsAlnum, "-_.") ? "" : kLabelValueMessage;
}

std::string WrongConfigKey(std::string_view key) {
  if (key.size() > kMaxSubdomain) return NameTooLong(kMaxSubdomain);
  if (key == ".") return "must not be '.'";
  if (key == "..") return "must not be '..'";
  if (key.starts_with("..")) return "must not start with '..'";
  const bool good = !key.empty() && std::all_of(key.begin(), key.end(),
                                                [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
  return good ? "" : kConfigKeyMessage;
}

}  // namespace kinformer::apiserver
