#include "src/gen/names.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kinformer::gen {
namespace {

// Sorted. Keywords, alternative tokens, and macros of the C library and of compilers in gnu mode.
constexpr std::array kReserved = std::to_array<std::string_view>({
    "BUFSIZ",       "Crd",
    "EOF",          "HUGE_VAL",
    "INFINITY",     "NAN",
    "NULL",         "RAND_MAX",
    "alignas",      "alignof",
    "alloca",       "and",
    "and_eq",       "asm",
    "assert",       "auto",
    "bitand",       "bitor",
    "bool",         "break",
    "case",         "catch",
    "char",         "char16_t",
    "char32_t",     "char8_t",
    "class",        "co_await",
    "co_return",    "co_yield",
    "compl",        "concept",
    "const",        "const_cast",
    "consteval",    "constexpr",
    "constinit",    "continue",
    "decltype",     "default",
    "delete",       "do",
    "double",       "dynamic_cast",
    "else",         "enum",
    "errno",        "explicit",
    "export",       "extern",
    "false",        "float",
    "for",          "friend",
    "goto",         "i386",
    "if",           "inline",
    "int",          "kInfo",
    "kType",        "linux",
    "long",         "major",
    "makedev",      "minor",
    "mutable",      "namespace",
    "new",          "noexcept",
    "not",          "not_eq",
    "nullptr",      "offsetof",
    "operator",     "or",
    "or_eq",        "private",
    "protected",    "public",
    "register",     "reinterpret_cast",
    "requires",     "return",
    "setjmp",       "short",
    "signed",       "sizeof",
    "static",       "static_assert",
    "static_cast",  "stderr",
    "stdin",        "stdout",
    "struct",       "switch",
    "template",     "this",
    "thread_local", "throw",
    "true",         "try",
    "typedef",      "typeid",
    "typename",     "typeof",
    "union",        "unix",
    "unsigned",     "using",
    "va_arg",       "va_copy",
    "va_end",       "va_start",
    "virtual",      "void",
    "volatile",     "wchar_t",
    "while",        "xor",
    "xor_eq",
});
static_assert(std::is_sorted(kReserved.begin(), kReserved.end()));

bool IsReserved(std::string_view name) { return std::binary_search(kReserved.begin(), kReserved.end(), name); }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Other characters become _, and a leading digit gets one.
std::string Identifier(std::string_view text) {
  std::string name;
  for (const char c : text) name += IsLetter(c) || IsDigit(c) ? c : '_';
  if (name.empty() || IsDigit(name.front())) name.insert(0, "_");
  return name;
}

}  // namespace

bool IsIdentifier(std::string_view text) {
  return !text.empty() && !IsDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
}

bool IsTableName(std::string_view json_name) {
  return !json_name.empty() && json_name.size() <= 0xFFFF &&
         std::all_of(json_name.begin(), json_name.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

std::string MemberName(std::string_view json_name) {
  std::string name = Identifier(json_name);
  if (name.back() == '_' || IsReserved(name)) name += '_';
  return name;
}

std::vector<std::string> MemberNames(const std::vector<MemberModel>& members) {
  std::set<std::string> used = {"rest_"};
  // Names that need no change are as written, whatever else there is.
  for (const MemberModel& member : members) {
    if (MemberName(member.json_name) == member.json_name) used.insert(member.json_name);
  }
  std::vector<std::string> names;
  for (const MemberModel& member : members) {
    std::string name = MemberName(member.json_name);
    if (name != member.json_name) {
      while (!used.insert(name).second) name += '_';
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string TypeNamePart(std::string_view json_name) {
  std::string name;
  bool begins = true;
  for (const char c : json_name) {
    if (!IsLetter(c) && !IsDigit(c)) {
      begins = true;
      continue;
    }
    name += begins ? Upper(c) : c;
    begins = false;
  }
  return name;
}

std::string NamespaceOfGroup(std::string_view group) {
  std::string name = Identifier(group);
  if (IsReserved(name) || name == "std" || name == "posix" || name == "kinformer") name += '_';
  return name;
}

bool IsNamespace(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find("::");
    const std::string_view part = text.substr(0, end);
    if (!IsIdentifier(part) || IsReserved(part)) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

std::vector<Constant> ConstantsOf(const std::vector<std::string>& values) {
  std::vector<Constant> constants;
  std::set<std::string> names;
  for (const std::string& value : values) {
    if (!IsIdentifier(value) || value.front() == '_') return {};
    std::string name = value;
    name.front() = Upper(name.front());
    if (!names.insert(name).second) return {};
    constants.push_back({.name = std::move(name), .value = value});
  }
  return constants;
}

}  // namespace kinformer::gen
