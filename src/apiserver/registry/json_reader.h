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

/// An object that may say of which kind it is; null is an empty one. 400 for everything else.
Result<nlohmann::json> ReadTyped(std::string_view body, std::vector<std::string>* duplicates = nullptr);
/// The same of one that is to be of a kind; the message of a 400 names it.
Result<nlohmann::json> ReadObject(std::string_view body, std::string_view kind,
                                  std::vector<std::string>* duplicates = nullptr);

/// 400: the body is not even known to be of a kind, `kind` or another. Shows how it begins.
Error Unrecognized(std::string_view body, std::string_view kind, std::string_view why);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_
