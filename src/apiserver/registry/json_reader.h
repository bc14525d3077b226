#ifndef KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_

// In:     a body
// Out:    its value, and what was in it twice
// Thread: any; pure
// Next:   strategy

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Any JSON, nested no deeper than our own reader allows: a DOM's destructor and printer recurse. `what` begins the
/// message of a 400. `duplicates`: the paths of fields that are there more than once ("spec.replicas"), if anyone
/// cares.
Result<nlohmann::json> ReadJson(std::string_view text, std::string_view what,
                                std::vector<std::string>* duplicates = nullptr);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_
