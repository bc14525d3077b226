#include "src/transport/connection_health.h"

#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using Action = ConnectionHealth::Action;
constexpr auto kProbe = ConnectionHealth::ActionKind::kProbe;
constexpr auto kShutDown = ConnectionHealth::ActionKind::kShutDown;

class ConnectionHealthTest : public ::testing::Test {
 protected:
  std::vector<Action> After(Duration by) {
    clock_.Advance(by);
    return health_.Tick(clock_.Now());
  }

  FakeClock clock_;
  ConnectionHealth health_;
};

TEST_F(ConnectionHealthTest, ProbesAConnectionThatHasBeenSilentForThirtySeconds) {
  health_.StreamJoined(1, clock_.Now(), true);
  EXPECT_EQ(health_.NextTick(), clock_.Now() + 30s);
  EXPECT_TRUE(After(29s).empty());
  EXPECT_EQ(After(1s), (std::vector<Action>{{kProbe, 1}}));
  EXPECT_TRUE(After(1s).empty()) << "one probe at a time";
}

TEST_F(ConnectionHealthTest, ShutsItDownWithinFiftySecondsIfTheProbeIsNotAnswered) {
  health_.StreamJoined(1, clock_.Now(), true);
  const TimePoint start = clock_.Now();
  After(30s);
  EXPECT_TRUE(After(14s).empty());
  EXPECT_EQ(After(1s), (std::vector<Action>{{kShutDown, 1}}));
  EXPECT_LE(clock_.Now() - start, 50s);
  EXPECT_TRUE(After(1h).empty()) << "shut down once";
  EXPECT_FALSE(health_.NextTick());
}

TEST_F(ConnectionHealthTest, AlsoShutsDownWhatCarriesNothingResumableIfNobodyAnswers) {
  health_.StreamJoined(1, clock_.Now(), false);
  After(30s);
  EXPECT_EQ(After(15s), (std::vector<Action>{{kShutDown, 1}}));
}

TEST_F(ConnectionHealthTest, AByteStartsTheThirtySecondsAnew) {
  health_.StreamJoined(1, clock_.Now(), true);
  After(20s);
  health_.OnData(1, clock_.Now());
  EXPECT_TRUE(After(29s).empty());
  EXPECT_EQ(After(1s), (std::vector<Action>{{kProbe, 1}}));
}

TEST_F(ConnectionHealthTest, AProbeAnsweredOnTheSameConnectionClearsIt) {
  health_.StreamJoined(1, clock_.Now(), true);
  After(30s);
  health_.OnData(1, clock_.Now());  // the bytes of the response
  health_.ProbeAnswered(1);
  EXPECT_TRUE(After(15s).empty());
  EXPECT_EQ(After(15s), (std::vector<Action>{{kProbe, 1}})) << "and it is asked again after another silence";
}

// On HTTP/1.1 the probe cannot share the connection that carries the watch.
TEST_F(ConnectionHealthTest, AProbeAnsweredElsewhereGivesUpOnlyWhatCanBeResumed) {
  health_.StreamJoined(1, clock_.Now(), true);
  health_.StreamJoined(2, clock_.Now(), false);
  EXPECT_EQ(After(30s), (std::vector<Action>{{kProbe, 1}, {kProbe, 2}}));
  health_.ProbeAnswered(1);
  health_.ProbeAnswered(2);
  EXPECT_EQ(After(15s), (std::vector<Action>{{kShutDown, 1}}));
  EXPECT_EQ(After(30s), (std::vector<Action>{{kProbe, 2}})) << "the other is asked again";
}

TEST_F(ConnectionHealthTest, AnIdleConnectionIsLeftAlone) {
  health_.StreamJoined(1, clock_.Now(), false);
  health_.StreamLeft(1, false);
  EXPECT_FALSE(health_.NextTick());
  EXPECT_TRUE(After(10min).empty());
  health_.StreamJoined(1, clock_.Now(), false);
  EXPECT_TRUE(After(29s).empty()) << "its silence counts from the new request";
}

TEST_F(ConnectionHealthTest, SilenceThatASlowReaderCausesDoesNotCount) {
  health_.StreamJoined(1, clock_.Now(), true);
  health_.OnPaused(1, true, clock_.Now());
  EXPECT_TRUE(After(10min).empty());
  health_.OnPaused(1, false, clock_.Now());
  EXPECT_TRUE(After(29s).empty());
  EXPECT_EQ(After(1s), (std::vector<Action>{{kProbe, 1}}));
}

TEST_F(ConnectionHealthTest, AClosedConnectionIsForgotten) {
  health_.StreamJoined(1, clock_.Now(), true);
  health_.Closed(1);
  EXPECT_TRUE(After(10min).empty());
  health_.OnData(1, clock_.Now());
  health_.StreamLeft(1, true);
  EXPECT_FALSE(health_.NextTick());
}

}  // namespace
}  // namespace kinformer::internal
