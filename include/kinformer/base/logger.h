#ifndef KINFORMER_BASE_LOGGER_H_
#define KINFORMER_BASE_LOGGER_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

std::string_view ToString(LogLevel level);

struct LogField {
  std::string_view key{};
  std::string value{};
};

/// One log record. The views are valid only during the call of the sink.
struct LogRecord {
  LogLevel level = LogLevel::kInfo;
  std::string_view component{};  ///< The source: "transport", "client", ...
  std::string_view message{};
  std::span<const LogField> fields{};
};

/// Receives log records. May be called concurrently, from any thread of the library. Exceptions are swallowed.
using LogSink = std::function<void(const LogRecord&)>;

/// A handle to a sink. Cheap to copy.
class Logger {
 public:
  /// Logs warnings and errors to standard error in StderrSink's format; repeats of a line are suppressed for a minute.
  Logger();
  /// A null sink drops everything.
  explicit Logger(LogSink sink, LogLevel at_least = LogLevel::kInfo);
  /// Drops everything.
  static Logger None() { return Logger(LogSink()); }

  bool Enabled(LogLevel level) const noexcept { return sink_ && level >= at_least_; }
  void Log(LogLevel level, std::string_view component, std::string_view message,
           std::initializer_list<LogField> fields = {}) const noexcept;

  void Debug(std::string_view component, std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kDebug, component, message, fields);
  }
  void Info(std::string_view component, std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kInfo, component, message, fields);
  }
  void Warning(std::string_view component, std::string_view message,
               std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kWarning, component, message, fields);
  }
  void Error(std::string_view component, std::string_view message, std::initializer_list<LogField> fields = {}) const {
    Log(LogLevel::kError, component, message, fields);
  }

 private:
  std::shared_ptr<const LogSink> sink_;
  LogLevel at_least_ = LogLevel::kWarning;
};

/// Writes one line per record to standard error: `2026-01-31T12:00:00.000Z warning [reflector] message key=value`.
LogSink StderrSink();

}  // namespace kinformer

#endif  // KINFORMER_BASE_LOGGER_H_
