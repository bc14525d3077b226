#include "src/apiserver/table/cell_text.h"

#include <algorithm>
#include <utility>

#include "src/apiserver/table/human_duration.h"
#include "src/base/text.h"

namespace kinformer::apiserver {

std::string AgeOf(const Value& moment, Timestamp now) {
  const std::optional<std::string> text = moment.AsString();
  return AgeSince(text ? std::optional<std::string_view>(*text) : std::nullopt, now);
}

std::vector<std::string> Strings(const Value& array) {
  std::vector<std::string> texts;
  for (const Value& element : array.Elements()) texts.push_back(element.StringOr(""));
  return texts;
}

std::string TextOf(const Value& value) {
  if (!value.Exists() || value.IsNull()) return {};
  return value.StringOr(value.Raw());
}

std::string QuantityOf(const Value& value) {
  std::string text = TextOf(value);
  return text.empty() ? "0" : text;
}

std::string LabelsText(const Value& labels) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : labels.Members()) parts.push_back(key + "=" + value.StringOr(""));
  std::sort(parts.begin(), parts.end());
  return parts.empty() ? "<none>" : internal::Joined(parts, ",");
}

std::string SelectorText(const Value& selector) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const auto& [key, value] : selector.At("/matchLabels").Members()) {
    parts.emplace_back(key, key + "=" + value.StringOr(""));
  }
  for (const Value& expression : selector.At("/matchExpressions").Elements()) {
    const std::string key = expression.At("/key").StringOr("");
    const std::string verb = expression.At("/operator").StringOr("");
    std::vector<std::string> values = Strings(expression.At("/values"));
    std::sort(values.begin(), values.end());
    if (verb == "In" || verb == "NotIn") {
      parts.emplace_back(key, key + (verb == "In" ? " in (" : " notin (") + internal::Joined(values, ",") + ")");
    } else if (verb == "Exists") {
      parts.emplace_back(key, key);
    } else if (verb == "DoesNotExist") {
      parts.emplace_back(key, "!" + key);
    } else {
      return "<error>";
    }
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [key, part] : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string FieldOfEach(const Value& array, std::string_view pointer) {
  std::vector<std::string> parts;
  for (const Value& element : array.Elements()) parts.push_back(element.At(pointer).StringOr(""));
  return internal::Joined(parts, ",");
}

Value ConditionOf(const Value& conditions, std::string_view type) {
  for (const Value& condition : conditions.Elements()) {
    if (condition.At("/type").AsString() == type) return condition;
  }
  return {};
}

bool IsTrue(const Value& condition) { return condition.At("/status").AsString() == "True"; }

}  // namespace kinformer::apiserver
