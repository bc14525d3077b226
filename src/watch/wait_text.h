#ifndef KINFORMER_SRC_WATCH_WAIT_TEXT_H_
#define KINFORMER_SRC_WATCH_WAIT_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/informer/shared_informer.h>

namespace kinformer::internal {

/// As people write it: "1h2m3s", "30s", "1.5s", "20ms".
std::string DurationText(Duration duration);

/// kDeadlineExceeded: "<subject>: waited 30s for <what>; last seen: <seen>", and `why` behind it.
Error WaitedInVain(std::string_view subject, Duration timeout, std::string_view what, std::string_view seen,
                   const std::string& why);

/// Why an informer may have nothing new to say, if it is not simply watching.
std::string WhyQuiet(const SharedInformer& informer);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_WATCH_WAIT_TEXT_H_
