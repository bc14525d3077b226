#ifndef KINFORMER_SRC_APISERVER_YAML_YAML_READER_H_
#define KINFORMER_SRC_APISERVER_YAML_YAML_READER_H_

// In:     a YAML text from a client
// Out:    the JSON value that a real server takes it for
// Thread: any; pure
// Next:   ApiHandler

#include <cstddef>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct YamlReadLimits {
  std::size_t depth = 256;
  /// Values, and bytes in them, those behind aliases counted each time that they are named.
  std::size_t nodes = 500'000;
  std::size_t bytes = std::size_t{16} << 20;
};

/// The first document of `text`. Scalars without quotes are what Kubernetes' Go library takes them for: yes, on and y
/// are true, 010 is eight, 1_000 a thousand, 2001-01-01 a text. A key that comes twice is refused, as are keys that are
/// no scalars, numbers that JSON does not have, and text that is not UTF-8. Errors say the line.
Result<nlohmann::json> ReadYaml(std::string_view text, const YamlReadLimits& limits = {});

/// The documents of a text that has several: lines that begin with "---" are between them. Empty ones are left out.
std::vector<std::string_view> YamlDocuments(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_YAML_YAML_READER_H_
