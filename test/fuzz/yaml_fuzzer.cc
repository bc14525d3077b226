// YAML from a client: whatever comes is refused with a message, or becomes a value within its bounds that JSON can
// write and reads back as the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "src/apiserver/yaml/yaml_reader.h"

namespace {

using nlohmann::json;

constexpr kinformer::apiserver::YamlReadLimits kLimits{.depth = 64, .nodes = 10'000, .bytes = std::size_t{1} << 18U};

// A crash that the fuzzer sees.
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

void CheckDocument(std::string_view text) {
  const auto read = kinformer::apiserver::ReadYaml(text, kLimits);
  if (!read) return Require(!read.error().message.empty());
  const Extent extent = ExtentOf(*read);
  Require(extent.depth <= kLimits.depth + 1 && extent.nodes <= kLimits.nodes + 1);
  // Strictly: what is no UTF-8 would throw.
  const json again = json::parse(read->dump(), nullptr, /*allow_exceptions=*/false);
  Require(again == *read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckDocument(text);
  for (const std::string_view document : kinformer::apiserver::YamlDocuments(text)) {
    Require(!document.empty() && document.data() >= text.data());
    Require(document.data() + document.size() <= text.data() + text.size());
    CheckDocument(document);
  }
  return 0;
}
