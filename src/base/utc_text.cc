#include "src/base/utc_text.h"

#include <algorithm>

namespace kinformer::internal {

std::string UtcText(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text;
  AppendDigits(text, std::clamp(static_cast<int>(date.year()), 0, 9999), 4);
  text += '-';
  AppendDigits(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  AppendDigits(text, static_cast<unsigned>(date.day()), 2);
  text += 'T';
  AppendDigits(text, clock.hours().count(), 2);
  text += ':';
  AppendDigits(text, clock.minutes().count(), 2);
  text += ':';
  AppendDigits(text, clock.seconds().count(), 2);
  return text;
}

void AppendDigits(std::string& text, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

}  // namespace kinformer::internal
