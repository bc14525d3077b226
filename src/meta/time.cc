#include <kinformer/meta/time.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "src/base/utc_text.h"

namespace kinformer {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

// Reads a text from its front; after the first mismatch, everything fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  int Digits(std::size_t count) {
    if (!ok_ || text_.size() < count) return Fail();
    int value = 0;
    for (const char c : text_.substr(0, count)) {
      if (c < '0' || c > '9') return Fail();
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(count);
    return value;
  }
  void Expect(char c) {
    if (!Skip(c)) Fail();
  }
  bool Skip(char c) {
    if (!ok_ || !text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  // The digits after a decimal point, truncated to nanoseconds.
  nanoseconds Fraction() {
    const std::size_t count = std::min(text_.find_first_not_of("0123456789"), text_.size());
    if (!ok_ || count == 0) return nanoseconds(Fail());
    std::int64_t value = 0;
    for (std::size_t i = 0; i < 9; ++i) value = value * 10 + (i < count ? text_[i] - '0' : 0);
    text_.remove_prefix(count);
    return nanoseconds(value);
  }
  bool AtEnd() const { return ok_ && text_.empty(); }

 private:
  int Fail() {
    ok_ = false;
    return 0;
  }

  std::string_view text_;
  bool ok_ = true;
};

// "2024-05-01T12:30:00", and the rest of the second.
std::pair<std::string, nanoseconds> FormatToSecond(Timestamp time) {
  // In whole seconds first: near the clock's limits, the start of a day or second is not representable as a Timestamp.
  const auto second = std::chrono::floor<seconds>(time);
  nanoseconds rest = time.time_since_epoch() % seconds(1);
  if (rest < nanoseconds(0)) rest += seconds(1);
  return {internal::UtcText(second), rest};
}

}  // namespace

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  Reader reader(text);
  const int year = reader.Digits(4);
  reader.Expect('-');
  const int month = reader.Digits(2);
  reader.Expect('-');
  const int day = reader.Digits(2);
  reader.Expect('T');
  const int hour = reader.Digits(2);
  reader.Expect(':');
  const int minute = reader.Digits(2);
  reader.Expect(':');
  const int second = reader.Digits(2);
  const nanoseconds fraction = reader.Skip('.') ? reader.Fraction() : nanoseconds(0);
  std::chrono::minutes offset(0);
  if (!reader.Skip('Z')) {
    const bool east = reader.Skip('+');
    if (!east) reader.Expect('-');
    const int offset_hours = reader.Digits(2);
    reader.Expect(':');
    const int offset_minutes = reader.Digits(2);
    if (offset_hours > 23 || offset_minutes > 59) return std::nullopt;
    offset = std::chrono::hours(offset_hours) + std::chrono::minutes(offset_minutes);
    if (!east) offset = -offset;
  }
  const year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day)));
  if (!reader.AtEnd() || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;

  const seconds since_epoch = sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                              std::chrono::minutes(minute) + seconds(second) - offset;
  // A whole second within the limits, so that adding the fraction cannot overflow either.
  constexpr seconds kFirst = std::chrono::ceil<seconds>(Timestamp::min().time_since_epoch());
  constexpr seconds kLast = std::chrono::floor<seconds>(Timestamp::max().time_since_epoch()) - seconds(1);
  if (since_epoch < kFirst || since_epoch > kLast) return std::nullopt;
  return Timestamp(std::chrono::duration_cast<Timestamp::duration>(since_epoch) +
                   std::chrono::duration_cast<Timestamp::duration>(fraction));
}

std::string FormatTimestamp(Timestamp time) { return FormatToSecond(time).first + 'Z'; }

std::string FormatMicroTime(Timestamp time) {
  auto [text, rest] = FormatToSecond(time);
  text += '.';
  internal::AppendDigits(text, std::chrono::duration_cast<std::chrono::microseconds>(rest).count(), 6);
  return text + 'Z';
}

}  // namespace kinformer
