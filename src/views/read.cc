#include "src/views/read.h"

#include <utility>

#include "src/base/base64.h"
#include "src/codec/json_text.h"

namespace kinformer::internal {
namespace {

Error Malformed(std::string message) {
  Error error;
  error.code = ErrorCode::kMalformed;
  error.message = "selector: " + std::move(message);
  return error;
}

bool IsAbsent(const Value& value) { return !value.Exists() || value.IsNull(); }
bool IsArray(const Value& value) { return value.Raw().starts_with('['); }
bool IsObject(const Value& value) { return value.Raw().starts_with('{'); }

Result<std::map<std::string, std::string>> MatchLabels(const Value& labels) {
  if (IsAbsent(labels)) return std::map<std::string, std::string>();
  if (!IsObject(labels)) return Malformed("matchLabels is not an object");
  std::map<std::string, std::string> match;
  for (const auto& [key, value] : labels.Members()) {
    auto text = value.AsString();
    if (!text) return Malformed("matchLabels has an entry that is not a string");
    match.insert_or_assign(key, *std::move(text));
  }
  return match;
}

Result<std::vector<LabelSelectorExpression>> MatchExpressions(const Value& expressions) {
  if (IsAbsent(expressions)) return std::vector<LabelSelectorExpression>();
  if (!IsArray(expressions)) return Malformed("matchExpressions is not an array");
  std::vector<LabelSelectorExpression> match;
  for (const Value& element : expressions.Elements()) {
    const Value values = element.At("/values");
    LabelSelectorExpression expression{Text(element.At("/key")), Text(element.At("/operator")), Texts(values)};
    if (!IsAbsent(values) && (!IsArray(values) || values.Size() != expression.values.size())) {
      return Malformed("matchExpressions has values that are not an array of strings");
    }
    match.push_back(std::move(expression));
  }
  return match;
}

}  // namespace

std::string TextOrNumber(const Value& value, std::string_view otherwise) {
  if (const auto number = value.AsInt()) return std::to_string(*number);
  return value.StringOr(otherwise);
}

std::optional<Timestamp> Time(const Value& value) {
  const auto text = value.AsString();
  return text ? ParseTimestamp(*text) : std::nullopt;
}

std::vector<std::string> Texts(const Value& array) {
  std::vector<std::string> texts;
  for (const Value& element : array.Elements()) {
    if (auto text = element.AsString()) texts.push_back(*std::move(text));
  }
  return texts;
}

std::vector<std::string> Names(const Value& array) {
  std::vector<std::string> names;
  for (const Value& element : array.Elements()) {
    if (auto name = element.At("/name").AsString()) names.push_back(*std::move(name));
  }
  return names;
}

std::map<std::string, std::string> TextsByKey(const Value& object) {
  std::map<std::string, std::string> texts;
  for (const auto& [key, value] : object.Members()) {
    if (auto text = value.AsString()) texts.insert_or_assign(key, *std::move(text));
  }
  return texts;
}

std::map<std::string, std::string> BytesByKey(const Value& object) {
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : object.Members()) {
    if (auto bytes = Bytes(value)) all.insert_or_assign(key, *std::move(bytes));
  }
  return all;
}

std::optional<std::string> Bytes(const Value& value) {
  const auto text = value.AsString();
  if (!text) return std::nullopt;
  Result<std::string> decoded = DecodeBase64(*text);
  return decoded ? std::optional(*std::move(decoded)) : std::nullopt;
}

Value Member(const Value& object, std::string_view name) {
  std::string pointer;
  AppendPointerToken(name, pointer);
  return IsObject(object) ? object.At(pointer) : Value();
}

Result<LabelSelector> Selector(const Value& selector) {
  if (IsAbsent(selector)) return LabelSelector::Nothing();
  if (!IsObject(selector)) return Malformed("not an object");
  auto labels = MatchLabels(selector.At("/matchLabels"));
  if (!labels) return std::move(labels).error();
  auto expressions = MatchExpressions(selector.At("/matchExpressions"));
  if (!expressions) return std::move(expressions).error();
  return LabelSelector::FromApi(*labels, *expressions);
}

}  // namespace kinformer::internal
