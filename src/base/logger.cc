#include <kinformer/base/logger.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>

#include "src/base/user_code.h"
#include "src/base/utc_text.h"

namespace kinformer {
namespace {

using std::chrono::system_clock;

/// Without the time.
std::string TextOf(const LogRecord& record) {
  std::string text;
  text += ToString(record.level);
  text += " [";
  text += record.component;
  text += "] ";
  text += record.message;
  for (const LogField& field : record.fields) {
    text += ' ';
    text += field.key;
    text += '=';
    text += field.value;
  }
  return text;
}

/// RFC 3339, UTC, milliseconds.
std::string Now() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  std::string text = internal::UtcText(seconds) + '.';
  internal::AppendDigits(text, (now - seconds).count(), 3);
  return text + 'Z';
}

void Print(const std::string& text) {
  const std::string line = Now() + ' ' + text + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // One call, so that lines do not interleave.
}

/// Lines printed within the last minute. Bounded: the oldest entry is evicted.
class RecentLines {
 public:
  bool IsNew(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    const std::size_t hash = std::hash<std::string>()(text);
    const std::lock_guard lock(mutex_);
    while (!lines_.empty() && now - lines_.front().when >= kQuiet) lines_.pop_front();
    const bool known = std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) { return line.hash == hash; });
    if (known) return false;
    if (lines_.size() == kMaxLines) lines_.pop_front();
    lines_.push_back({now, hash});
    return true;
  }

 private:
  static constexpr std::chrono::minutes kQuiet{1};
  static constexpr std::size_t kMaxLines = 256;
  struct Line {
    std::chrono::steady_clock::time_point when;
    std::size_t hash;
  };
  std::mutex mutex_;
  std::deque<Line> lines_;
};

const std::shared_ptr<const LogSink>& DefaultSink() {
  // Never destroyed: threads may still log while the process exits.
  static const auto& sink = *new std::shared_ptr<const LogSink>(
      std::make_shared<const LogSink>([recent = std::make_shared<RecentLines>()](const LogRecord& record) {
        if (std::string text = TextOf(record); recent->IsNew(text)) Print(text);
      }));
  return sink;
}

}  // namespace

std::string_view ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

Logger::Logger() : sink_(DefaultSink()) {}

Logger::Logger(LogSink sink, LogLevel at_least)
    : sink_(sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr), at_least_(at_least) {}

void Logger::Log(LogLevel level, std::string_view component, std::string_view message,
                 std::initializer_list<LogField> fields) const noexcept {
  if (!Enabled(level)) return;
  // LogSink promises that exceptions are ignored.
  (void)internal::Contain([&] { (*sink_)({level, component, message, std::span(fields.begin(), fields.size())}); });
}

LogSink StderrSink() {
  return [](const LogRecord& record) { Print(TextOf(record)); };
}

}  // namespace kinformer
