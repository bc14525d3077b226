#ifndef KINFORMER_SRC_WATCH_WAIT_TEXT_H_
#define KINFORMER_SRC_WATCH_WAIT_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/informer/shared_informer.h>

namespace kinformer::internal {

/// Human-readable: "1h2m3s", "30s", "1.5s", "20ms".
std::string DurationText(Duration duration);

/// kDeadlineExceeded: "<subject>: waited 30s for <what>; last seen: <seen>", then "; <why>" if `why` is not empty.
Error TimeoutError(std::string_view subject, Duration timeout, std::string_view what, std::string_view seen,
                   const std::string& why);
/// kCancelled: "<subject>: stopped while waiting for <what>; last seen: <seen>", then "; <why>" if `why` is not empty.
Error StoppedError(std::string_view subject, std::string_view what, std::string_view seen, const std::string& why);

/// kInternal: the caller's condition threw.
Error ConditionThrew(std::string_view description, const std::string& what);

/// What the caller waits on. With kClient the informer is internal, and messages do not mention it.
enum class WaitsOn { kInformer, kClient };

/// Why an informer delivers nothing new; empty if it is watching normally. `with_status` false: includes only the
/// message of an error, for callers that carry its HTTP status themselves.
std::string WhyNoEvents(const SharedInformer& informer, WaitsOn waits_on, bool with_status = true);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_WATCH_WAIT_TEXT_H_
