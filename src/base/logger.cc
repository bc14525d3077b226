#include <kinformer/base/logger.h>

#include <cstdio>

namespace kinformer {

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

Logger::Logger(LogSink sink, LogLevel at_least)
    : sink_(sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr), at_least_(at_least) {}

void Logger::Log(LogLevel level, std::string_view component, std::string_view message,
                 std::initializer_list<LogField> fields) const noexcept {
  if (!Enabled(level)) return;
  try {
    (*sink_)({level, component, message, std::span(fields.begin(), fields.size())});
  } catch (...) {  // NOLINT(bugprone-empty-catch): promised in LogSink; there is nobody left to tell
  }
}

LogSink StderrSink() {
  return [](const LogRecord& record) {
    std::string line;
    line += ToString(record.level);
    line += " [";
    line += record.component;
    line += "] ";
    line += record.message;
    for (const LogField& field : record.fields) {
      line += ' ';
      line += field.key;
      line += '=';
      line += field.value;
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);  // one call, so that lines of two threads do not mix
  };
}

}  // namespace kinformer
