#ifndef KINFORMER_SRC_APISERVER_AUDIT_AUDIT_LOG_H_
#define KINFORMER_SRC_APISERVER_AUDIT_AUDIT_LOG_H_

// In:     audit events
// Out:    whole lines, in a file or to a function
// Thread: any, many at a time; a line is written by who brings it
// Next:   whoever reads the log

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <kinformer/base/logger.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>

#include "src/apiserver/audit/audit_event.h"

namespace kinformer::apiserver {

struct AuditLogStats {
  std::uint64_t events = 0;
  /// Lines that could not be written.
  std::uint64_t errors = 0;
};

/// @par Thread Safety
/// All functions may be called from any thread.
class AuditLog {
 public:
  /// Called with one line at a time, newline included, from any thread; what it throws is an error of writing.
  using Sink = std::function<void(std::string_view line)>;

  /// Appends to the file, which is made where it is missing, readable by its owner alone. An error where that cannot
  /// be.
  static Result<std::shared_ptr<AuditLog>> OpenFile(const std::string& path, Logger logger);
  AuditLog(Sink sink, Logger logger);

  /// Never fails: the first line that cannot be written is told to the logger, all are counted.
  void Write(const AuditEvent& event);
  AuditLogStats Stats() const;

 private:
  const Logger logger_;
  mutable Mutex mutex_;
  const Sink sink_;
  AuditLogStats stats_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_AUDIT_AUDIT_LOG_H_
