#include <kinformer/views/lens.h>

#include <algorithm>

#include "src/views/read.h"

namespace kinformer {

using internal::Text;
using internal::Time;

std::string Condition::Type() const { return Text(At("/type")); }
std::string Condition::Status() const { return Text(At("/status")); }
std::string Condition::Reason() const { return Text(At("/reason")); }
std::string Condition::Message() const { return Text(At("/message")); }
std::optional<Timestamp> Condition::LastTransitionTime() const { return Time(At("/lastTransitionTime")); }
std::optional<std::int64_t> Condition::ObservedGeneration() const { return At("/observedGeneration").AsInt(); }

std::optional<Condition> FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto it = std::find_if(conditions.begin(), conditions.end(),
                               [&](const Condition& condition) { return condition.Type() == type; });
  return it == conditions.end() ? std::nullopt : std::optional(*it);
}

std::string ObjectReference::ApiVersion() const { return Text(At("/apiVersion")); }
std::string ObjectReference::Kind() const { return Text(At("/kind")); }
std::string ObjectReference::Namespace() const { return Text(At("/namespace")); }
std::string ObjectReference::Name() const { return Text(At("/name")); }
std::string ObjectReference::Uid() const { return Text(At("/uid")); }
std::string ObjectReference::ResourceVersion() const { return Text(At("/resourceVersion")); }
std::string ObjectReference::FieldPath() const { return Text(At("/fieldPath")); }

}  // namespace kinformer
