// Parses arbitrary bytes as YAML: the result is an error with a message, or a value within the limits that survives a
// round trip through JSON.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "src/yaml/yaml_reader.h"

namespace {

using nlohmann::json;

constexpr kinformer::apiserver::YamlReadLimits kLimits{.depth = 64, .nodes = 10'000, .bytes = std::size_t{1} << 18U};

// Aborts, which the fuzzer reports as a crash.
void Require(bool condition) {
  if (!condition) std::abort();
}

struct Extent {
  std::size_t depth = 0;
  std::size_t nodes = 1;
};

Extent ExtentOf(const json& value) {
  Extent extent;
  if (!value.is_structured()) return extent;
  for (const json& inner : value) {
    const Extent of_inner = ExtentOf(inner);
    extent.depth = std::max(extent.depth, of_inner.depth);
    extent.nodes += of_inner.nodes;
  }
  ++extent.depth;
  return extent;
}

void CheckValue(const json& value) {
  const Extent extent = ExtentOf(value);
  Require(extent.depth <= kLimits.depth + 1 && extent.nodes <= kLimits.nodes + 1);
  // dump() throws on invalid UTF-8.
  const json again = json::parse(value.dump(), nullptr, /*allow_exceptions=*/false);
  Require(again == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = kinformer::apiserver::ReadYaml(text, kLimits);
  if (first) {
    CheckValue(*first);
  } else {
    Require(!first.error().message.empty());
  }
  const auto documents = kinformer::apiserver::ReadYamlDocuments(text, kLimits);
  if (!documents) {
    Require(!documents.error().message.empty());
    return 0;
  }
  Require(first.ok());
  Require(documents->size() <= kLimits.nodes);
  for (const json& document : *documents) CheckValue(document);
  return 0;
}
