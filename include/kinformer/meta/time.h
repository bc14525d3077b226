#ifndef KINFORMER_META_TIME_H_
#define KINFORMER_META_TIME_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer {

/// A moment as the API writes it: in UTC, on people's clock.
using Timestamp = std::chrono::system_clock::time_point;

/// RFC 3339, as in `metadata.creationTimestamp` or, with a fraction, a Lease's `spec.renewTime`. Nothing for a text
/// that is none, names no real day or lies outside of what Timestamp can hold.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

/// "2024-05-01T12:30:00Z"; parts of a second are cut off.
std::string FormatTimestamp(Timestamp time);
/// "2024-05-01T12:30:00.123456Z": the form of MicroTime fields, such as a Lease's `spec.renewTime`.
std::string FormatMicroTime(Timestamp time);

}  // namespace kinformer

#endif  // KINFORMER_META_TIME_H_
