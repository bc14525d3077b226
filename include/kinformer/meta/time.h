#ifndef KINFORMER_META_TIME_H_
#define KINFORMER_META_TIME_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer {

/// A point in time as the API writes it: UTC wall-clock time.
using Timestamp = std::chrono::system_clock::time_point;

/// Parses RFC 3339, as in `metadata.creationTimestamp` or, with a fraction, a Lease's `spec.renewTime`. nullopt if the
/// text is malformed, is not a valid date, or is out of range for a Timestamp.
std::optional<Timestamp> ParseTimestamp(std::string_view text);

/// "2024-05-01T12:30:00Z"; fractions of a second are truncated.
std::string FormatTimestamp(Timestamp time);
/// "2024-05-01T12:30:00.123456Z": the format of MicroTime fields, such as a Lease's `spec.renewTime`.
std::string FormatMicroTime(Timestamp time);

}  // namespace kinformer

#endif  // KINFORMER_META_TIME_H_
