#ifndef KINFORMER_SRC_APISERVER_SCHEMA_FORMATS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_FORMATS_H_

// In:     a text, and the form that it should have
// Out:    whether it has it; quantities as a server writes them
// Thread: any; pure
// Next:   Validate, Decode

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// By the name of OpenAPI's "format": "date-time", "date", "byte", "ipv4", "ipv6", "cidr", "uuid". Others are not
/// checked: true.
bool HasFormat(std::string_view format, std::string_view text);
/// Standard base64 with its padding.
bool IsBase64(std::string_view text);
/// "0.5" is "500m", "1024Mi" is "1Gi", "1000m" is "1". Nullopt for what is no quantity. One of more digits than we
/// count with stays as it is.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_FORMATS_H_
