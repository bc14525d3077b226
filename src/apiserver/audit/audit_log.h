#ifndef KINFORMER_SRC_APISERVER_AUDIT_AUDIT_LOG_H_
#define KINFORMER_SRC_APISERVER_AUDIT_AUDIT_LOG_H_

// In:     audit events
// Out:    complete lines, to a file or a function
// Thread: any; lines are written synchronously, one at a time
// Next:   readers of the log

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/apiserver/audit/audit_event.h"
#include "src/base/mutex.h"

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
  /// Called with one line at a time, including the newline, from any thread. An exception counts as a write error.
  using Sink = std::function<void(std::string_view line)>;

  /// Appends to the file. A missing file is created, readable by its owner only.
  static Result<std::shared_ptr<AuditLog>> OpenFile(const std::string& path, Logger logger);
  AuditLog(Sink sink, Logger logger);

  /// Never fails. Only the first write error is logged; all are counted.
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
