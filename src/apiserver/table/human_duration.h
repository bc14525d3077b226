#ifndef KINFORMER_SRC_APISERVER_TABLE_HUMAN_DURATION_H_
#define KINFORMER_SRC_APISERVER_TABLE_HUMAN_DURATION_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <kinformer/meta/time.h>

namespace kinformer::apiserver {

/// Two or three digits of a duration, as kubectl shows ages: "45s", "5m12s", "3h7m", "5d3h", "2y40d". A little below
/// zero, which clocks of two machines bring about, counts as zero; "<invalid>" further below.
std::string HumanDuration(std::chrono::nanoseconds duration);

/// Since a moment in RFC 3339; "<unknown>" for none.
std::string AgeSince(std::optional<std::string_view> moment, Timestamp now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_HUMAN_DURATION_H_
