#ifndef KINFORMER_SRC_BASE_UTC_TEXT_H_
#define KINFORMER_SRC_BASE_UTC_TEXT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kinformer::internal {

/// "2024-05-01T12:30:00": RFC 3339 up to the second, without the zone. Years outside 0 to 9999 are clamped.
std::string UtcText(std::chrono::sys_seconds time);

/// Appends a non-negative number, padded with zeros to `width` digits.
void AppendDigits(std::string& text, std::int64_t value, std::size_t width);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_UTC_TEXT_H_
