#ifndef KINFORMER_SRC_APISERVER_TABLE_HUMAN_DURATION_H_
#define KINFORMER_SRC_APISERVER_TABLE_HUMAN_DURATION_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/meta/time.h>

namespace kinformer::apiserver {

/// A duration with two or three significant digits, as kubectl shows ages: "45s", "5m12s", "3h7m", "5d3h", "2y40d".
/// Slightly negative values, caused by clock skew, are "0s"; anything below is "<invalid>".
std::string HumanDuration(std::chrono::nanoseconds duration);

/// The age of an RFC 3339 time; "<unknown>" if unset or invalid.
std::string AgeSince(std::optional<std::string_view> moment, Timestamp now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_HUMAN_DURATION_H_
