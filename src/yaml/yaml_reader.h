#ifndef KINFORMER_SRC_YAML_YAML_READER_H_
#define KINFORMER_SRC_YAML_YAML_READER_H_

// In:     a YAML text from a client
// Out:    the JSON value that a real server reads
// Thread: any; pure
// Next:   ApiHandler

#include <cstddef>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct YamlReadLimits {
  std::size_t depth = 256;
  /// Limits on values and their bytes; aliased ones count each time they are referenced.
  std::size_t nodes = 500'000;
  std::size_t bytes = std::size_t{16} << 20;
};

/// Parses the first document of `text`. Unquoted scalars are resolved as by Kubernetes' Go library: yes, on and y are
/// true, 010 is eight, 1_000 a thousand, 2001-01-01 a string. Rejects duplicate keys, non-scalar keys, numbers that
/// JSON cannot represent, and invalid UTF-8. Syntax errors name the line.
Result<nlohmann::json> ReadYaml(std::string_view text, const YamlReadLimits& limits = {});

/// Parses all documents of `text`, likewise. Empty documents are omitted. The limits apply to each document; all
/// together may have 16 times as many values and bytes.
Result<std::vector<nlohmann::json>> ReadYamlDocuments(std::string_view text, const YamlReadLimits& limits = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_YAML_YAML_READER_H_
