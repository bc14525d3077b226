#include "src/apiserver/table/human_duration.h"

#include <cstdint>

namespace kinformer::apiserver {
namespace {

/// "5d3h"; "5d" if the smaller part is zero.
std::string TwoParts(std::int64_t large, const char* large_unit, std::int64_t small, const char* small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small != 0) text += std::to_string(small) + small_unit;
  return text;
}

}  // namespace

std::string HumanDuration(std::chrono::nanoseconds duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return std::to_string(seconds) + "s";
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoParts(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return std::to_string(minutes) + "m";
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return TwoParts(hours, "h", minutes % 60, "m");
  if (hours < 48) return std::to_string(hours) + "h";
  const std::int64_t days = hours / 24;
  if (days < 8) return TwoParts(days, "d", hours % 24, "h");
  if (days < 2 * 365) return std::to_string(days) + "d";
  if (days < 8 * 365) return TwoParts(days / 365, "y", days % 365, "d");
  return std::to_string(days / 365) + "y";
}

std::string AgeSince(std::optional<std::string_view> moment, Timestamp now) {
  const std::optional<Timestamp> time = moment ? ParseTimestamp(*moment) : std::nullopt;
  return time ? HumanDuration(now - *time) : "<unknown>";
}

}  // namespace kinformer::apiserver
