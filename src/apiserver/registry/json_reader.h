#ifndef KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_

// In:     a request body
// Out:    its JSON value, and the paths of its duplicate fields
// Thread: any; pure
// Next:   strategy

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Parses any JSON value. The nesting depth is limited as in our own reader, because a DOM's destructor and printer
/// recurse. `what`: the prefix of a 400's message. `duplicates`: receives the paths of duplicate fields
/// ("spec.replicas"); may be null.
Result<nlohmann::json> ReadJson(std::string_view text, std::string_view what,
                                std::vector<std::string>* duplicates = nullptr);

/// Parses an object that may carry apiVersion and kind; null is read as an empty object. 400 for anything else.
Result<nlohmann::json> ReadTyped(std::string_view body, std::vector<std::string>* duplicates = nullptr);
/// Like ReadTyped; the message of a 400 names `kind`, the expected kind.
Result<nlohmann::json> ReadObject(std::string_view body, std::string_view kind,
                                  std::vector<std::string>* duplicates = nullptr);

/// 400: the body could not be recognized as `kind` or any other kind. The message shows the start of the body.
Error Unrecognized(std::string_view body, std::string_view kind, std::string_view why);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_JSON_READER_H_
