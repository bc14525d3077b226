#include <kinformer/watch/wait_condition.h>

#include <algorithm>

#include "src/base/user_code.h"
#include "src/codec/json_text.h"
#include "src/watch/wait_text.h"

namespace kinformer {
namespace {

constexpr std::size_t kMaxShownBytes = 80;
constexpr std::string_view kConditions = "/status/conditions";

std::string Shown(std::string_view text) { return internal::PrintableSnippet(text, kMaxShownBytes); }

bool IsOrIsUnder(std::string_view pointer, std::string_view parent) {
  return pointer.starts_with(parent) && (pointer.size() == parent.size() || pointer[parent.size()] == '/');
}

/// True if the value must not be shown: secret data, the whole object, and annotations that may hold a copy of it.
bool MayBeSecret(std::string_view pointer) {
  return pointer.empty() || IsOrIsUnder(pointer, "/data") || IsOrIsUnder(pointer, "/stringData") ||
         pointer == "/metadata/annotations" ||
         pointer == "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";
}

std::string ShownValue(const Value& value) {
  if (const std::optional<std::string> text = value.AsString()) return Shown(*text);
  return Shown(value.Raw().substr(0, std::size_t{4} * kMaxShownBytes));
}

Value FindStatusCondition(const Object& object, std::string_view type) {
  for (const Value& condition : object.At(kConditions).Elements()) {
    if (condition.At("/type").StringOr("") == type) return condition;
  }
  return {};
}

bool IsOfOlderGeneration(const Value& condition, const Object& object) {
  const std::optional<std::int64_t> observed = condition.At("/observedGeneration").AsInt();
  return observed && *observed < object.Generation();
}

WaitCondition HasEntry(const std::string& what, const StringMap& (Object::*map)() const, const std::string& key,
                       const std::optional<std::string>& value) {
  // Annotations may hold a copy of anything, so their values are not shown.
  const bool show = what == "label";
  const std::string description = what + " " + Shown(key) + (value ? "=" + (show ? Shown(*value) : "...") : "");
  return WaitCondition(
      description,
      [map, key, value](const ObjectPtr& object) -> Result<bool> {
        if (object == nullptr) return false;
        const std::optional<std::string_view> found = ((*object).*map)().Find(key);
        return found.has_value() && (!value || *found == *value);
      },
      [what, map, key, show](const Object& object) {
        const std::optional<std::string_view> found = (object.*map)().Find(key);
        if (!found) return "no " + what + " " + Shown(key);
        return what + " " + Shown(key) + (show ? "=" + Shown(*found) : " is set");
      });
}

}  // namespace

WaitCondition::WaitCondition(std::string description, Test test, Report report)
    : WaitCondition(Node{.description = std::move(description), .test = std::move(test), .reports = {}}) {
  if (!report) return;
  Node node = *node_;
  node.reports.push_back(std::move(report));
  node_ = std::make_shared<const Node>(std::move(node));
}

Result<bool> WaitCondition::IsMetBy(const ObjectPtr& object) const {
  if (!node_->test) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "the condition \"" + Description() + "\" has no function"};
  }
  return internal::ContainResult(
      [&] { return node_->test(object); },
      [&](const std::string& what) { return internal::ConditionThrew(Description(), what); });
}

std::string WaitCondition::Describe(const ObjectPtr& object) const {
  if (object == nullptr) return "absent";
  std::vector<std::string> parts{"exists"};
  const auto add = [&](std::string part) {
    if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  };
  if (const std::optional<std::string_view> since = object->DeletionTimestamp()) {
    std::string part = "being deleted since " + Shown(*since);
    constexpr std::size_t kMaxFinalizers = 4;
    const auto& finalizers = object->Finalizers();
    for (std::size_t i = 0; i < std::min(finalizers.size(), kMaxFinalizers); ++i) {
      part += (i == 0 ? " with finalizer " : " and ") + Shown(finalizers[i]);
    }
    add(std::move(part));
  }
  if (const std::optional<std::string> phase = object->At("/status/phase").AsString()) add("phase " + Shown(*phase));
  for (const Report& report : node_->reports) {
    if (internal::Contain([&] { add(report(*object)); })) add("(a report threw)");
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string WaitCondition::Bracketed() const { return node_->compound ? "(" + Description() + ")" : Description(); }

WaitCondition operator&&(const WaitCondition& a, const WaitCondition& b) {
  WaitCondition::Node node{.description = a.Bracketed() + " and " + b.Bracketed(),
                           .test = [a, b](const ObjectPtr& object) -> Result<bool> {
                             Result<bool> met = a.IsMetBy(object);
                             return met.ok() && *met ? b.IsMetBy(object) : met;
                           },
                           .reports = a.node_->reports,
                           .compound = true};
  node.reports.insert(node.reports.end(), b.node_->reports.begin(), b.node_->reports.end());
  return WaitCondition(std::move(node));
}

WaitCondition operator||(const WaitCondition& a, const WaitCondition& b) {
  WaitCondition::Node node{.description = a.Bracketed() + " or " + b.Bracketed(),
                           .test = [a, b](const ObjectPtr& object) -> Result<bool> {
                             Result<bool> met = a.IsMetBy(object);
                             return met.ok() && !*met ? b.IsMetBy(object) : met;
                           },
                           .reports = a.node_->reports,
                           .compound = true};
  node.reports.insert(node.reports.end(), b.node_->reports.begin(), b.node_->reports.end());
  return WaitCondition(std::move(node));
}

WaitCondition operator!(const WaitCondition& condition) {
  return WaitCondition(WaitCondition::Node{.description = "not " + condition.Bracketed(),
                                           .test = [condition](const ObjectPtr& object) -> Result<bool> {
                                             Result<bool> met = condition.IsMetBy(object);
                                             if (!met.ok()) return met;
                                             return !*met;
                                           },
                                           .reports = condition.node_->reports});
}

WaitCondition Exists() {
  return WaitCondition("existence", [](const ObjectPtr& object) -> Result<bool> { return object != nullptr; });
}

WaitCondition IsDeleted() {
  return WaitCondition("deletion", [](const ObjectPtr& object) -> Result<bool> { return object == nullptr; });
}

WaitCondition IsDeleted(const std::string& uid) {
  const std::string description = "deletion of uid " + Shown(uid);
  return WaitCondition(
      description, [uid](const ObjectPtr& object) -> Result<bool> { return object == nullptr || object->Uid() != uid; },
      [](const Object& object) { return "uid " + Shown(object.Uid()); });
}

WaitCondition IsBeingDeleted() {
  return WaitCondition("a deletionTimestamp", [](const ObjectPtr& object) -> Result<bool> {
    return object != nullptr && object->DeletionTimestamp().has_value();
  });
}

bool FieldValue::Equals(const Value& field) const {
  if (const auto* text = std::get_if<std::string>(&value_)) return field.AsString() == *text;
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return field.AsInt() == *number;
  return field.AsBool() == std::get<bool>(value_);
}

std::string FieldValue::Text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return std::to_string(*number);
  return std::get<bool>(value_) ? "true" : "false";
}

WaitCondition FieldEquals(const std::string& pointer, const FieldValue& value) {
  const bool secret = MayBeSecret(pointer);
  const std::string name = Shown(pointer);
  const std::string description = name + "=" + (secret ? "..." : Shown(value.Text()));
  return WaitCondition(
      description,
      [pointer, value](const ObjectPtr& object) -> Result<bool> {
        return object != nullptr && value.Equals(object->At(pointer));
      },
      [pointer, name, secret](const Object& object) {
        const Value field = object.At(pointer);
        if (!field.Exists()) return "no " + name;
        // Already part of Describe.
        if (pointer == "/status/phase" && field.AsString()) return std::string();
        return secret ? name + " is set" : name + "=" + ShownValue(field);
      });
}

WaitCondition FieldExists(const std::string& pointer) {
  const std::string name = Shown(pointer);
  const std::string description = "field " + name;
  return WaitCondition(
      description,
      [pointer](const ObjectPtr& object) -> Result<bool> { return object != nullptr && object->At(pointer).Exists(); },
      [pointer, name](const Object& object) { return (object.At(pointer).Exists() ? "has " : "no ") + name; });
}

WaitCondition HasStatusCondition(const std::string& type, const std::string& status) {
  const std::string description = "status condition " + Shown(type) + "=" + Shown(status);
  return WaitCondition(
      description,
      [type, status](const ObjectPtr& object) -> Result<bool> {
        if (object == nullptr) return false;
        const Value condition = FindStatusCondition(*object, type);
        return condition.At("/status").AsString() == status && !IsOfOlderGeneration(condition, *object);
      },
      [type](const Object& object) {
        const Value condition = FindStatusCondition(object, type);
        if (!condition.Exists()) return "no condition " + Shown(type);
        std::string text = Shown(type) + "=" + Shown(condition.At("/status").StringOr("?"));
        const std::string reason = condition.At("/reason").StringOr("");
        if (!reason.empty()) text += " (" + Shown(reason) + ")";
        if (IsOfOlderGeneration(condition, object)) text += " of an older generation";
        return text;
      });
}

WaitCondition GenerationIsObserved() {
  return WaitCondition(
      "the observed generation",
      [](const ObjectPtr& object) -> Result<bool> {
        return object != nullptr && object->At("/status/observedGeneration").IntOr(-1) >= object->Generation();
      },
      [](const Object& object) {
        const std::optional<std::int64_t> observed = object.At("/status/observedGeneration").AsInt();
        return "generation " + std::to_string(object.Generation()) + ", observed " +
               (observed ? std::to_string(*observed) : "none");
      });
}

WaitCondition HasLabel(const std::string& key) { return HasEntry("label", &Object::Labels, key, std::nullopt); }
WaitCondition HasLabel(const std::string& key, const std::string& value) {
  return HasEntry("label", &Object::Labels, key, value);
}
WaitCondition HasAnnotation(const std::string& key) {
  return HasEntry("annotation", &Object::Annotations, key, std::nullopt);
}
WaitCondition HasAnnotation(const std::string& key, const std::string& value) {
  return HasEntry("annotation", &Object::Annotations, key, value);
}

}  // namespace kinformer
