#ifndef KINFORMER_SRC_API_APPEND_TEXT_H_
#define KINFORMER_SRC_API_APPEND_TEXT_H_

#include <string>
#include <string_view>

namespace kinformer::api::internal {

/// Appends any text as a JSON string, with quotes. Invalid UTF-8 is replaced by U+FFFD.
void AppendText(std::string_view text, std::string& out);

}  // namespace kinformer::api::internal

#endif  // KINFORMER_SRC_API_APPEND_TEXT_H_
