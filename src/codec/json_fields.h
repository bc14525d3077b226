#ifndef KINFORMER_SRC_CODEC_JSON_FIELDS_H_
#define KINFORMER_SRC_CODEC_JSON_FIELDS_H_

// Reads documents from untrusted sources: what is absent or of another type reads as empty, and nothing throws.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace kinformer::internal {

/// The member, or a JSON null if it is absent or `object` is not an object.
const nlohmann::json& FieldOf(const nlohmann::json& object, const char* name);

/// Empty if absent or not a string.
const std::string& TextOf(const nlohmann::json& object, const char* name);

/// False if absent or not a boolean.
bool FlagOf(const nlohmann::json& object, const char* name);

std::optional<std::int64_t> IntegerOf(const nlohmann::json& object, const char* name);

/// Null, an empty object or array, or an empty string.
bool IsBlank(const nlohmann::json& value);

/// On one line; invalid UTF-8 in strings becomes U+FFFD.
std::string JsonText(const nlohmann::json& value);

/// "path[3]"
std::string AtIndex(std::string_view path, std::size_t index);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_JSON_FIELDS_H_
