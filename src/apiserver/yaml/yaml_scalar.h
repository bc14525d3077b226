#ifndef KINFORMER_SRC_APISERVER_YAML_YAML_SCALAR_H_
#define KINFORMER_SRC_APISERVER_YAML_YAML_SCALAR_H_

#include <string_view>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {

/// What a scalar without quotes and tag means. Infinity and what is no number come as such doubles.
nlohmann::json ResolveYamlScalar(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_YAML_YAML_SCALAR_H_
