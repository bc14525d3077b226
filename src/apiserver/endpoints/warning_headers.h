#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_WARNING_HEADERS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_WARNING_HEADERS_H_

// In:     warnings about a successful request
// Out:    values of Warning headers
// Thread: any; pure
// Next:   ApiHandler

#include <string>
#include <vector>

namespace kinformer::apiserver {

/// `299 - "unknown field \"spec.foo\""`, without repetitions. Texts come from clients: control characters become
/// spaces, and texts beyond a total of 4096 bytes are dropped.
std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_WARNING_HEADERS_H_
