#include <kinformer/reflector/transforms.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "src/codec/json_text.h"

namespace kinformer {
namespace {

/// The members to keep: everything below (`whole`), or the named ones.
struct Kept {
  bool whole = false;
  std::map<std::string, Kept, std::less<>> members{};
};

/// The parts of an RFC 6901 pointer; nullopt if invalid. "" has no parts.
std::optional<std::vector<std::string>> PointerParts(std::string_view pointer) {
  std::vector<std::string> parts;
  while (!pointer.empty()) {
    if (pointer.front() != '/') return std::nullopt;
    pointer.remove_prefix(1);
    const std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string& part = parts.emplace_back();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '~') {
        part += raw[i];
        continue;
      }
      ++i;
      if (i == raw.size() || (raw[i] != '0' && raw[i] != '1')) return std::nullopt;
      part += raw[i] == '0' ? '~' : '/';
    }
  }
  return parts;
}

void Keep(Kept& root, const std::vector<std::string>& parts) {
  Kept* at = &root;
  for (const std::string& part : parts) at = &at->members[part];
  at->whole = true;
}

/// Appends the kept part of `value`; returns whether anything was left out.
bool Write(const Value& value, const Kept& kept, std::string& out) {
  const bool is_object = value.Raw().starts_with('{');
  if (kept.whole || !is_object) {
    out += value.Raw();
    return false;
  }
  bool reduced = false;
  bool first = true;
  out += '{';
  for (const auto& [key, member] : value.Members()) {
    const auto wanted = kept.members.find(key);
    if (wanted == kept.members.end()) {
      reduced = true;
      continue;
    }
    if (!std::exchange(first, false)) out += ',';
    internal::AppendQuoted(key, out);
    out += ':';
    reduced = Write(member, wanted->second, out) || reduced;
  }
  out += '}';
  return reduced;
}

}  // namespace

NamedTransform Project(std::vector<std::string> fields) {
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());

  std::string name = "project";
  const auto kept = std::make_shared<Kept>();
  std::optional<Error> wrong;
  for (const char* always : {"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "/metadata/uid",
                             "/metadata/resourceVersion"}) {
    Keep(*kept, *PointerParts(always));
  }
  for (const std::string& field : fields) {
    name += ' ' + field;
    if (const auto parts = PointerParts(field)) {
      Keep(*kept, *parts);
    } else {
      wrong = Error{.code = ErrorCode::kInvalidArgument,
                    .message = "\"" + field + "\" is not a JSON pointer (example: \"/spec/nodeName\")"};
    }
  }
  auto function = [kept, wrong](ObjectPtr object) -> Result<ObjectPtr> {
    if (wrong) return *wrong;
    std::string text;
    if (!Write(object->At(""), *kept, text)) return object;
    return Object::Parse(text, {.keep_managed_fields = true, .partial = true});
  };
  return {.name = std::move(name), .function = std::move(function)};
}

}  // namespace kinformer
