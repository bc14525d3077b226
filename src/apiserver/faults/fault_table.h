#ifndef KINFORMER_SRC_APISERVER_FAULTS_FAULT_TABLE_H_
#define KINFORMER_SRC_APISERVER_FAULTS_FAULT_TABLE_H_

// In:     a FaultKind
// Out:    its name, its arguments, and where it occurs
// Thread: any; pure
// Next:   ParseFault, FaultPlan

#include <cstdint>

#include <kinformer/apiserver/faults/faults.h>
#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Where a fault occurs.
enum class FaultPlace {
  kRequest,       ///< A request, before it is authorized.
  kAnswer,        ///< A request, after it was executed.
  kWatch,         ///< The events of a watch.
  kWatchOrOther,  ///< The events of a watch; for other verbs, the request.
};

/// The arguments of a fault, and their defaults.
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
/// Null if there is no fault of that name.
const FaultEntry* FindEntry(std::string_view name);
/// "error, throttle, ...", for messages.
std::string FaultNames();

/// The argument, or its default.
std::int64_t NumberOf(const Fault& fault);
std::chrono::milliseconds DurationOf(const Fault& fault);

Result<void> Validate(const Fault& fault);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTS_FAULT_TABLE_H_
