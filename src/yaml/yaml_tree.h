#ifndef KINFORMER_SRC_YAML_YAML_TREE_H_
#define KINFORMER_SRC_YAML_YAML_TREE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::internal {

struct YamlNode;
using YamlNodePtr = std::shared_ptr<const YamlNode>;

/// One value of a YAML document, with its position in the text. An alias shares the node it refers to, so nested
/// aliases cost nothing until they are walked; ToJson bounds its walk.
struct YamlNode {
  enum class Kind { kNull, kBool, kInteger, kFloat, kString, kSequence, kMap };

  Kind kind = Kind::kNull;
  std::string text;  ///< For a scalar: the text as written.
  bool truth = false;
  std::vector<YamlNodePtr> items;
  std::vector<std::pair<std::string, YamlNodePtr>> entries;
  std::size_t height = 1;  ///< Number of levels, including those behind aliases.
  int line = 0;
  int column = 0;

  /// nullptr if the map has no such key, or if its value is null.
  const YamlNode* Find(std::string_view key) const;
};

/// The kind's name in error messages: "a map", "a number".
std::string_view KindName(YamlNode::Kind kind);

struct YamlLimits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t depth = 64;
  std::size_t nodes = 500'000;
};

/// Parses a single document; nullptr if it is empty. A second non-empty document is an error. Errors give line and
/// column and do not quote the text.
Result<YamlNodePtr> ParseYaml(std::string_view text, const YamlLimits& limits = {});

/// Compact JSON; kTooLarge beyond `limit` bytes.
Result<std::string> ToJson(const YamlNode& node, std::size_t limit);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_YAML_YAML_TREE_H_
