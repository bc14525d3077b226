#ifndef KINFORMER_SRC_YAML_YAML_SCALAR_H_
#define KINFORMER_SRC_YAML_YAML_SCALAR_H_

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace kinformer::apiserver {

/// Resolves a scalar without quotes or tag. Infinities and NaN are returned as such doubles.
nlohmann::json ResolveYamlScalar(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_YAML_YAML_SCALAR_H_
