#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_TABLE_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_TABLE_H_

// In:     a FaultKind
// Out:    its name, its arguments, and where it strikes
// Thread: any; pure
// Next:   ParseFault, FaultPlan

#include <cstdint>

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Where a fault meets its victim.
enum class FaultPlace {
  kRequest,       ///< A request, before it is looked at.
  kAnswer,        ///< A request that has been carried out.
  kWatch,         ///< The events of a watch.
  kWatchOrOther,  ///< The events of a watch; of all else, the request.
};

/// Which arguments a fault takes, and what it does without them.
struct FaultArguments {
  bool number = false;
  bool number_needed = false;
  std::int64_t number_default = 0;
  std::int64_t number_min = 1;
  std::int64_t number_max = 0;
  bool duration = false;
  std::chrono::milliseconds duration_default{0};
};

struct FaultEntry {
  FaultDescription description{};
  FaultPlace place = FaultPlace::kRequest;
  FaultArguments arguments{};
};

const FaultEntry& EntryOf(FaultKind kind);
/// Null: there is none of that name.
const FaultEntry* FindEntry(std::string_view name);
/// "error, throttle, ...", for messages.
std::string FaultNames();

/// The argument, or its default.
std::int64_t NumberOf(const Fault& fault);
std::chrono::milliseconds DurationOf(const Fault& fault);

Result<void> Validate(const Fault& fault);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_FAULT_TABLE_H_
