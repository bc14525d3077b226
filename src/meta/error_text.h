#ifndef KINFORMER_SRC_META_ERROR_TEXT_H_
#define KINFORMER_SRC_META_ERROR_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::internal {

Error InvalidArgument(std::string message);
/// kTooLarge: `what` is longer than `limit` bytes.
Error TooLarge(std::string_view what, std::size_t limit);

/// User input for an error message: quoted, with bytes that are not printable ASCII as \xNN, truncated if long.
std::string Quoted(std::string_view text);

/// Describes an object's kind within a sentence: "is a v1 Pod", "has no apiVersion and no kind".
std::string KindText(std::string_view api_version, std::string_view kind);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_META_ERROR_TEXT_H_
