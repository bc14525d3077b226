#ifndef KINFORMER_SRC_CODEC_JSON_EXPLAIN_H_
#define KINFORMER_SRC_CODEC_JSON_EXPLAIN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::internal {

/// What is wrong with a text, and where.
struct JsonFault {
  std::size_t offset = 0;
  std::string path;  ///< An RFC 6901 pointer to the faulty value, bounded in length.
  std::string what;
};

/// The first fault of `text` as one JSON value; nullopt if it is valid. Accepts exactly what IsValidJson accepts, but
/// slowly: it is used after IsValidJson has rejected the text.
std::optional<JsonFault> ExplainJson(std::string_view text);

/// A kMalformed error: "<what> at byte <offset> (<path>)". `base` is the offset of the text in the input.
Error MalformedAt(const JsonFault& fault, std::size_t base = 0);
/// For a text that IsValidJson has rejected.
Error MalformedJson(std::string_view text, std::size_t base = 0);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_JSON_EXPLAIN_H_
