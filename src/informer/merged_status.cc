#include "src/informer/merged_status.h"

namespace kinformer::internal {
namespace {

/// Precedence when several sources are reported as one state: the highest wins.
int Urgency(ReflectorPhase phase) {
  switch (phase) {
    case ReflectorPhase::kStopped:
      return 0;
    case ReflectorPhase::kWatching:
      return 1;
    case ReflectorPhase::kParked:
      return 2;
    case ReflectorPhase::kListing:
      return 3;
    case ReflectorPhase::kBackingOff:
      return 4;
  }
  return 0;
}

InformerState StateOf(ReflectorPhase phase) {
  switch (phase) {
    case ReflectorPhase::kStopped:
      return InformerState::kStopped;
    case ReflectorPhase::kListing:
      return InformerState::kSyncing;
    case ReflectorPhase::kWatching:
      return InformerState::kWatching;
    case ReflectorPhase::kBackingOff:
      return InformerState::kRetrying;
    case ReflectorPhase::kParked:
      return InformerState::kParked;
  }
  return InformerState::kStopped;
}

}  // namespace

InformerStatus MergedStatus(const std::vector<ReflectorStatus>& sources) {
  InformerStatus status;
  int urgency = 0;
  for (const ReflectorStatus& source : sources) {
    const bool down = source.phase == ReflectorPhase::kBackingOff || source.phase == ReflectorPhase::kParked;
    if (down && source.last_error) status.last_error = source.last_error;
    if (Urgency(source.phase) > urgency) {
      urgency = Urgency(source.phase);
      status.state = StateOf(source.phase);
    }
    if (source.last_activity && (!status.last_activity || *source.last_activity > *status.last_activity)) {
      status.last_activity = source.last_activity;
    }
    status.lists += source.lists;
    status.watches += source.watches;
    status.listed += source.listed_objects;
    status.listed_bytes += source.listed_bytes;
    if (source.remaining_objects) status.remaining = status.remaining.value_or(0) + *source.remaining_objects;
  }
  return status;
}

}  // namespace kinformer::internal
