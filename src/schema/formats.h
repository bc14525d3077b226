#ifndef KINFORMER_SRC_SCHEMA_FORMATS_H_
#define KINFORMER_SRC_SCHEMA_FORMATS_H_

// In:     a string, and its expected format
// Out:    whether it has the format; canonical quantities
// Thread: any; pure
// Next:   Validate, Decode

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// `format`: OpenAPI's "date-time", "date", "byte", "ipv4", "ipv6", "cidr" or "uuid". True for other formats, which are
/// not checked.
bool HasFormat(std::string_view format, std::string_view text);
/// Standard base64 with padding.
bool IsBase64(std::string_view text);
/// The canonical form: "500m" for "0.5", "1Gi" for "1024Mi", "1" for "1000m". Nullopt if the text is not a quantity.
/// Returns the text unchanged if it has more digits than we compute with.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_FORMATS_H_
