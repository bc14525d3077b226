#include <kinformer/processor/event_handler.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/processor/processor_testing.h"

namespace kinformer {
namespace {

using internal::Pod;
using ::testing::ElementsAre;

bool IsMarked(const ObjectPtr& pod) { return pod->Uid() == "marked"; }

TEST(FilteredTest, TurnsUpdatesAcrossThePredicateIntoAddsAndDeletes) {
  internal::Recorder recorder;
  const EventHandler handler = Filtered(IsMarked, recorder.Handler());
  handler.on_update(Pod("a", 1, "no"), Pod("a", 2, "marked"));
  handler.on_update(Pod("a", 2, "marked"), Pod("a", 3, "marked"));
  handler.on_update(Pod("a", 3, "marked"), Pod("a", 4, "no"));
  handler.on_update(Pod("a", 4, "no"), Pod("a", 5, "no"));
  EXPECT_THAT(recorder.Calls(), ElementsAre("+a2", "~a2>a3", "-a3"));
}

TEST(FilteredTest, ShowsAddsAndDeletesOfMatchingObjectsOnlyAndUnchanged) {
  internal::Recorder recorder;
  const EventHandler handler = Filtered(IsMarked, recorder.Handler());
  handler.on_add(Pod("a", 1, "marked"), true);
  handler.on_add(Pod("b", 1, "no"), true);
  handler.on_delete({Pod("a", 2, "marked"), true});
  handler.on_delete({Pod("b", 2, "no"), false});
  EXPECT_THAT(recorder.Calls(), ElementsAre("+a1!", "-a2?"));
}

TEST(FilteredTest, FunctionsLeftOutAreNotCalled) {
  int predicate_calls = 0;
  const EventHandler handler = Filtered(
      [&predicate_calls](const ObjectPtr&) {
        ++predicate_calls;
        return predicate_calls % 2 == 0;
      },
      EventHandler{});
  handler.on_add(Pod("a"), false);
  for (int i = 0; i < 4; ++i) handler.on_update(Pod("a", 1), Pod("a", 2));
  handler.on_delete({Pod("a"), false});
  EXPECT_EQ(predicate_calls, 8);
}

}  // namespace
}  // namespace kinformer
