#ifndef KINFORMER_SRC_CLIENT_YAML_TREE_H_
#define KINFORMER_SRC_CLIENT_YAML_TREE_H_

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

/// One value of a YAML document, with its place in the text. An alias is the very node that it refers to, so aliases
/// of aliases cost nothing until somebody walks them; ToJson bounds its walk.
struct YamlNode {
  enum class Kind { kNull, kBool, kInteger, kFloat, kString, kSequence, kMap };

  Kind kind = Kind::kNull;
  std::string text;  ///< Of a scalar, as written.
  bool truth = false;
  std::vector<YamlNodePtr> items;
  std::vector<std::pair<std::string, YamlNodePtr>> entries;
  std::size_t height = 1;  ///< How many levels it has, those behind aliases included.
  int line = 0;
  int column = 0;

  /// nullptr if the map has no such key, or its value is null.
  const YamlNode* Find(std::string_view key) const;
};

/// "a map", "a number": what an error calls it.
std::string_view KindName(YamlNode::Kind kind);

struct YamlLimits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t depth = 64;
  std::size_t nodes = 500'000;
};

/// The first document of the text; nullptr for one that says nothing. Errors say line and column and quote nothing.
Result<YamlNodePtr> ParseYaml(std::string_view text, const YamlLimits& limits = {});

/// As compact JSON; kTooLarge beyond `limit` bytes.
Result<std::string> ToJson(const YamlNode& node, std::size_t limit);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_YAML_TREE_H_
