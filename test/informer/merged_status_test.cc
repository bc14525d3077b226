#include "src/informer/merged_status.h"

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

ReflectorStatus In(ReflectorPhase phase) {
  ReflectorStatus status;
  status.phase = phase;
  return status;
}

TEST(MergedStatus, TheMostUrgentStateWins) {
  EXPECT_EQ(MergedStatus({}).state, InformerState::kStopped);
  EXPECT_EQ(MergedStatus({In(ReflectorPhase::kStopped), In(ReflectorPhase::kWatching)}).state,
            InformerState::kWatching);
  EXPECT_EQ(MergedStatus({In(ReflectorPhase::kListing), In(ReflectorPhase::kWatching)}).state, InformerState::kSyncing);
  EXPECT_EQ(MergedStatus({In(ReflectorPhase::kListing), In(ReflectorPhase::kBackingOff)}).state,
            InformerState::kRetrying);
}

TEST(MergedStatus, CountsAreSummedAndOnlyASourceThatIsDownTellsItsError) {
  ReflectorStatus watching = In(ReflectorPhase::kWatching);
  watching.lists = 2;
  watching.remaining_objects = 3;
  watching.last_error = Error{.message = "old"};
  ReflectorStatus failing = In(ReflectorPhase::kBackingOff);
  failing.lists = 5;
  failing.remaining_objects = 4;
  EXPECT_FALSE(MergedStatus({watching}).last_error);
  failing.last_error = Error{.message = "refused"};
  const InformerStatus merged = MergedStatus({watching, failing});
  EXPECT_EQ(merged.lists, 7u);
  EXPECT_EQ(merged.remaining, 7);
  EXPECT_EQ(merged.last_error->message, "refused");
}

}  // namespace
}  // namespace kinformer::internal
