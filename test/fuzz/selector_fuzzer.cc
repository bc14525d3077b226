// Parses arbitrary bytes as selectors: what parses has one canonical form, which parses to an equal selector.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <kinformer/meta/selector.h>

namespace {

using kinformer::FieldSelector;
using kinformer::LabelSelector;

// Aborts, which the fuzzer reports as a crash.
void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckLabelSelector(std::string_view text) {
  const auto selector = LabelSelector::Parse(text);
  if (!selector) {
    Check(!selector.error().message.empty());
    return;
  }
  const std::string canonical = ToString(*selector);
  const auto again = LabelSelector::Parse(canonical);
  Check(again.ok() && *again == *selector && ToString(*again) == canonical);

  // Labels close to what the selector requires, so that both matches and mismatches occur.
  std::map<std::string, std::string> labels;
  Check(selector->Matches(labels) == again->Matches(labels));
  for (const auto& requirement : selector->requirements()) {
    labels[requirement.key()] = requirement.values().empty() ? "" : requirement.values().front();
    Check(selector->Matches(labels) == again->Matches(labels));
  }
  for (const auto& requirement : selector->requirements()) {
    const auto exact = selector->RequiresExactMatch(requirement.key());
    if (exact && selector->Matches(labels)) Check(labels[requirement.key()] == *exact);
  }
  Check(selector->And(*again) == *selector);
}

void CheckFieldSelector(std::string_view text) {
  const auto selector = FieldSelector::Parse(text);
  if (!selector) {
    Check(!selector.error().message.empty());
    return;
  }
  const auto again = FieldSelector::Parse(ToString(*selector));
  Check(again.ok() && *again == *selector && ToString(*again) == ToString(*selector));

  std::map<std::string, std::string, std::less<>> fields;
  const auto value_of = [&](std::string_view field) {
    const auto it = fields.find(field);
    return it == fields.end() ? std::string() : it->second;
  };
  Check(selector->Matches(value_of) == again->Matches(value_of));
  for (const auto& requirement : selector->requirements()) {
    fields[requirement.field] = requirement.value;
    Check(selector->Matches(value_of) == again->Matches(value_of));
  }
  Check(selector->And(*again) == *selector);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The canonical form may be longer ("a in(b)" gains a blank), so near the size limit it need not parse.
  if (size > kinformer::kMaxSelectorBytes / 2) return 0;
  CheckLabelSelector(text);
  CheckFieldSelector(text);
  return 0;
}
