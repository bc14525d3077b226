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

/// One line of log. The views live only during the call of the sink.
struct LogRecord {
  LogLevel level = LogLevel::kInfo;
  std::string_view component{};  ///< The folder that speaks: "transport", "client", ...
  std::string_view message{};
  std::span<const LogField> fields{};
};

/// Where log lines go. Called from any of our threads, one call at a time is not promised; an exception it throws is
/// swallowed, because logging must not change what happens.
using LogSink = std::function<void(const LogRecord&)>;

/// A cheap copyable handle on a sink. The default one drops everything: the library prints nothing unless asked.
class Logger {
 public:
  Logger() = default;
  explicit Logger(LogSink sink, LogLevel at_least = LogLevel::kInfo);

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
  LogLevel at_least_ = LogLevel::kInfo;
};

/// A sink that writes one line per record to standard error, for programs and examples.
LogSink StderrSink();

}  // namespace kinformer

#endif  // KINFORMER_BASE_LOGGER_H_
