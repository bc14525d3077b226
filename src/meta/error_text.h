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

/// What an error shows of somebody's input: quoted, bytes that are not printable ASCII as \xNN, cut where it is long.
std::string Quoted(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_META_ERROR_TEXT_H_
