#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_WARNING_HEADERS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_WARNING_HEADERS_H_

// In:     what a client should know of a request that went well all the same
// Out:    values of Warning headers
// Thread: any; pure
// Next:   ApiHandler

#include <string>
#include <vector>

namespace kinformer::apiserver {

/// `299 - "unknown field \"spec.foo\""`, each text once. Texts come from clients: what cannot be in a header is a
/// blank, and all together they are no longer than a head may be; what goes beyond is left out.
std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_WARNING_HEADERS_H_
