#include "test/chaos/harm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;
using End = HarmedFlow::End;

constexpr SteadyTime kStart{1h};

/// Takes everything due by `now`.
std::string TakeDue(HarmedFlow& flow, SteadyTime now) {
  std::string bytes;
  while (const HarmedFlow::Piece* piece = flow.Due(now)) {
    bytes += piece->bytes;
    flow.Sent(piece->bytes.size());
  }
  return bytes;
}

HarmedFlow With(std::vector<Harm> harms) { return HarmedFlow(std::move(harms)); }

TEST(HarmedFlowTest, WithoutHarmBytesAndTheirEndPass) {
  HarmedFlow flow;
  flow.Push("hello ", kStart);
  flow.Push("world", kStart);
  flow.PushEnd();
  EXPECT_EQ(flow.held(), 11U);
  EXPECT_EQ(flow.EndNow(), End::kNone) << "not before the bytes";
  EXPECT_EQ(TakeDue(flow, kStart), "hello world");
  EXPECT_EQ(flow.held(), 0U);
  EXPECT_EQ(flow.EndNow(), End::kHalfClose);
}

TEST(HarmedFlowTest, CutResetAndHalfCloseEndAtTheirByte) {
  for (const auto& [kind, end] : {std::pair{HarmKind::kCut, End::kClose}, std::pair{HarmKind::kReset, End::kReset},
                                  std::pair{HarmKind::kHalfClose, End::kHalfClose}}) {
    HarmedFlow flow = With({{.kind = kind, .at = 3}});
    flow.Push("ab", kStart);
    EXPECT_EQ(flow.EndNow(), End::kNone);
    flow.Push("cdef", kStart);
    EXPECT_EQ(TakeDue(flow, kStart), "abc");
    EXPECT_EQ(flow.EndNow(), end);
    flow.Push("more", kStart);
    EXPECT_EQ(TakeDue(flow, kStart), "");
    EXPECT_EQ(flow.TakeDone().size(), 1U);
  }
}

TEST(HarmedFlowTest, TruncateSwallowsAndThenCloses) {
  HarmedFlow flow = With({{.kind = HarmKind::kTruncate, .at = 2, .length = 3}});
  flow.Push("abcd", kStart);
  EXPECT_EQ(TakeDue(flow, kStart), "ab");
  EXPECT_EQ(flow.EndNow(), End::kNone);
  flow.Push("efgh", kStart);
  EXPECT_EQ(TakeDue(flow, kStart), "");
  EXPECT_EQ(flow.EndNow(), End::kClose);
}

TEST(HarmedFlowTest, DropDuplicateAndFlipChangeWhatTheySayAndNothingElse) {
  HarmedFlow drop = With({{.kind = HarmKind::kDrop, .at = 2, .length = 3}});
  drop.Push("abcdefg", kStart);
  EXPECT_EQ(TakeDue(drop, kStart), "abfg");

  HarmedFlow duplicate = With({{.kind = HarmKind::kDuplicate, .at = 1, .length = 3}});
  duplicate.Push("abc", kStart);
  duplicate.Push("defg", kStart);
  EXPECT_EQ(TakeDue(duplicate, kStart), "abcdbcdefg");

  HarmedFlow flip = With({{.kind = HarmKind::kFlip, .at = 2}});
  flip.Push("abcd", kStart);
  const std::string flipped = TakeDue(flip, kStart);
  ASSERT_EQ(flipped.size(), 4U);
  EXPECT_EQ(flipped.substr(0, 2) + flipped.substr(3), "abd");
  const auto difference = static_cast<unsigned char>(flipped[2] ^ 'c');
  EXPECT_NE(difference, 0);
  EXPECT_EQ(difference & (difference - 1), 0) << "one bit";
}

TEST(HarmedFlowTest, AStallHoldsEverythingBackAndALaterByteDoesNotOvertake) {
  HarmedFlow flow = With({{.kind = HarmKind::kStall, .at = 1, .duration = 50ms}});
  flow.Push("abc", kStart);
  EXPECT_EQ(TakeDue(flow, kStart), "a");
  EXPECT_EQ(flow.NextDue(), kStart + 50ms);
  flow.Push("d", kStart + 10ms);
  EXPECT_EQ(TakeDue(flow, kStart + 49ms), "");
  EXPECT_EQ(TakeDue(flow, kStart + 50ms), "bcd");
}

TEST(HarmedFlowTest, ADelayedByteComesLaterAndThoseBehindItAfterIt) {
  HarmedFlow flow = With({{.kind = HarmKind::kDelay, .at = 0, .length = 2, .duration = 30ms}});
  flow.Push("abc", kStart);
  EXPECT_EQ(TakeDue(flow, kStart + 29ms), "");
  EXPECT_EQ(TakeDue(flow, kStart + 30ms), "abc");
  flow.Push("d", kStart + 40ms);
  EXPECT_EQ(TakeDue(flow, kStart + 40ms), "d");
}

TEST(HarmedFlowTest, ATrickleComesInCrumbs) {
  HarmedFlow flow = With({{.kind = HarmKind::kTrickle, .at = 0, .length = 20}});
  flow.Push(std::string(30, 'x'), kStart);
  EXPECT_EQ(TakeDue(flow, kStart).size(), 7U);
  EXPECT_EQ(TakeDue(flow, kStart + 1ms).size(), 7U);
  EXPECT_EQ(TakeDue(flow, kStart + 2ms).size(), 16U) << "the last crumb, and what is behind the trickle";
}

TEST(HarmedFlowTest, SilenceHasNoEndUntilCalm) {
  HarmedFlow flow = With({{.kind = HarmKind::kSilence, .at = 1}, {.kind = HarmKind::kCut, .at = 5}});
  flow.Push("abc", kStart);
  flow.Push("d", kStart + 1h);
  EXPECT_EQ(TakeDue(flow, kStart + 2h), "a");
  EXPECT_EQ(flow.NextDue(), std::nullopt);
  flow.Calm();
  EXPECT_EQ(TakeDue(flow, kStart + 2h), "bcd");
  flow.Push("efghi", kStart + 2h);
  EXPECT_EQ(TakeDue(flow, kStart + 2h), "efghi") << "no harm any more";
  EXPECT_EQ(flow.EndNow(), End::kNone);
}

TEST(HarmedFlowTest, HarmsFollowEachOtherAndAreTold) {
  HarmedFlow flow = With({{.kind = HarmKind::kDrop, .at = 1, .length = 1},
                          {.kind = HarmKind::kDuplicate, .at = 3, .length = 1},
                          {.kind = HarmKind::kReset, .at = 6}});
  flow.Push("abcdefgh", kStart);
  EXPECT_EQ(TakeDue(flow, kStart), "acddef");
  EXPECT_EQ(flow.EndNow(), End::kReset);
  EXPECT_EQ(flow.TakeDone().size(), 3U);
  EXPECT_TRUE(flow.TakeDone().empty());
}

}  // namespace
}  // namespace kinformer::chaos
