#ifndef KINFORMER_SRC_APISERVER_ENDPOINTS_SELECTOR_ERRORS_H_
#define KINFORMER_SRC_APISERVER_ENDPOINTS_SELECTOR_ERRORS_H_

// In:     a selector that could not be parsed
// Out:    the error message of a real server
// Thread: any; pure
// Next:   request_options

#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// Empty if a real server's parser accepts the text.
std::string WhyNoLabelSelector(std::string_view text);
std::string WhyNoFieldSelector(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ENDPOINTS_SELECTOR_ERRORS_H_
