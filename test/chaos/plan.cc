#include "test/chaos/plan.h"

#include <algorithm>
#include <array>

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::uint64_t kTimeline = 1;
constexpr std::uint64_t kConnections = 2;
// Average interval between heavy actions, except in short runs: the server needs some of it to recover.
constexpr auto kPerHeavyAction = 12s;

constexpr std::array kHeavy = {ActionKind::kKillServer, ActionKind::kForgetAndRestart, ActionKind::kKillEtcd};

Action LightAction(Dice& dice) {
  struct Weighted {
    ActionKind kind;
    int weight;
  };
  static constexpr std::array kLight = {
      Weighted{ActionKind::kCutAll, 3},           Weighted{ActionKind::kResetAll, 3},
      Weighted{ActionKind::kHalfCloseAll, 2},     Weighted{ActionKind::kStallAll, 2},
      Weighted{ActionKind::kRefuse, 2},           Weighted{ActionKind::kStopInformer, 3},
      Weighted{ActionKind::kRemakeInformer, 2},   Weighted{ActionKind::kReplaceHandler, 3},
      Weighted{ActionKind::kChangeNamespaces, 3}, Weighted{ActionKind::kCompact, 2}};
  int total = 0;
  for (const Weighted& entry : kLight) total += entry.weight;
  auto left = static_cast<int>(dice.Below(static_cast<std::uint64_t>(total)));
  Action action;
  for (const Weighted& entry : kLight) {
    action.kind = entry.kind;
    left -= entry.weight;
    if (left < 0) break;
  }
  switch (action.kind) {
    case ActionKind::kStallAll:
    case ActionKind::kRefuse:
    case ActionKind::kStopInformer:
      action.duration = milliseconds(dice.Between(50, 2000));
      break;
    case ActionKind::kChangeNamespaces:
    case ActionKind::kReplaceHandler:
      action.choice = dice.Below(8);
      break;
    default:
      break;
  }
  return action;
}

Harm RandomHarm(Dice& dice) {
  struct Weighted {
    HarmKind kind;
    int weight;
  };
  static constexpr std::array kHarms = {
      Weighted{HarmKind::kCut, 4},       Weighted{HarmKind::kReset, 4},  Weighted{HarmKind::kTruncate, 4},
      Weighted{HarmKind::kHalfClose, 3}, Weighted{HarmKind::kDrop, 4},   Weighted{HarmKind::kDuplicate, 4},
      Weighted{HarmKind::kFlip, 4},      Weighted{HarmKind::kStall, 5},  Weighted{HarmKind::kSilence, 1},
      Weighted{HarmKind::kDelay, 5},     Weighted{HarmKind::kTrickle, 4}};
  static_assert(kHarms.size() == kHarmKinds);
  int total = 0;
  for (const Weighted& entry : kHarms) total += entry.weight;
  auto left = static_cast<int>(dice.Below(static_cast<std::uint64_t>(total)));
  Harm harm;
  for (const Weighted& entry : kHarms) {
    harm.kind = entry.kind;
    left -= entry.weight;
    if (left < 0) break;
  }
  switch (harm.kind) {
    case HarmKind::kTruncate:
    case HarmKind::kDrop:
    case HarmKind::kDuplicate:
    case HarmKind::kTrickle:
      harm.length = dice.Magnitude(1, 2000);
      break;
    case HarmKind::kDelay:
      harm.length = dice.Magnitude(100, 100'000);
      harm.duration = milliseconds(dice.Between(1, 300));
      break;
    case HarmKind::kStall:
      harm.duration = milliseconds(dice.Between(10, 3000));
      break;
    default:
      break;
  }
  return harm;
}

std::vector<Harm> DirectionHarms(Dice& dice, std::uint64_t first, std::uint64_t last) {
  std::vector<Harm> harms(dice.Below(3));
  for (Harm& harm : harms) {
    harm = RandomHarm(dice);
    harm.at = dice.Magnitude(first, last);
  }
  std::stable_sort(harms.begin(), harms.end(), [](const Harm& a, const Harm& b) { return a.at < b.at; });
  return harms;
}

}  // namespace

// --- Dice: splitmix64 ---

Dice::Dice(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
  state_ = Next() ^ (stream * 0x9e3779b97f4a7c15U);
  Next();
}

std::uint64_t Dice::Next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::int64_t Dice::Between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(Below(static_cast<std::uint64_t>(high - low) + 1));
}

std::uint64_t Dice::Magnitude(std::uint64_t low, std::uint64_t high) {
  // Integer arithmetic only: logarithms may differ in the last bit between machines.
  std::vector<std::uint64_t> steps{low};
  while (steps.back() < high) steps.push_back(std::min(high, std::max(steps.back() * 2, steps.back() + 1)));
  if (steps.size() == 1) return low;
  const std::size_t step = Below(steps.size() - 1);
  return steps[step] + Below(steps[step + 1] - steps[step] + 1);
}

// --- Names ---

std::string_view NameOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kCutAll:
      return "cut-all";
    case ActionKind::kResetAll:
      return "reset-all";
    case ActionKind::kHalfCloseAll:
      return "half-close-all";
    case ActionKind::kStallAll:
      return "stall-all";
    case ActionKind::kRefuse:
      return "refuse";
    case ActionKind::kStopInformer:
      return "stop-informer";
    case ActionKind::kRemakeInformer:
      return "remake-informer";
    case ActionKind::kReplaceHandler:
      return "replace-handler";
    case ActionKind::kChangeNamespaces:
      return "change-namespaces";
    case ActionKind::kCompact:
      return "compact";
    case ActionKind::kKillServer:
      return "kill-server";
    case ActionKind::kKillEtcd:
      return "kill-etcd";
    case ActionKind::kForgetAndRestart:
      return "forget-and-restart";
  }
  return "";
}

bool IsHeavy(ActionKind kind) { return std::find(kHeavy.begin(), kHeavy.end(), kind) != kHeavy.end(); }

std::string ToString(const Action& action) {
  std::string text = std::to_string(action.at.count()) + "ms " + std::string(NameOf(action.kind));
  if (action.duration != 0ms) text += " " + std::to_string(action.duration.count()) + "ms";
  if (action.choice != 0) text += " #" + std::to_string(action.choice);
  return text;
}

// --- Plans ---

Plan MakePlan(std::uint64_t seed, std::chrono::seconds length) {
  Plan plan{.seed = seed, .length = length};
  Dice dice(seed, kTimeline);
  const auto end = milliseconds(length).count();

  // The heavy actions in turn, each at a random time within its own interval.
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(kHeavy.size()), length / kPerHeavyAction);
  const auto offset = dice.Below(kHeavy.size());
  for (std::int64_t i = 0; i < count; ++i) {
    Action action;
    action.kind = kHeavy[(static_cast<std::size_t>(i) + offset) % kHeavy.size()];
    action.at = milliseconds(end * i / count + dice.Between(0, end / count * 2 / 3));
    action.duration = milliseconds(dice.Between(50, 1500));
    plan.actions.push_back(action);
  }
  for (std::int64_t at = dice.Between(100, 1000); at < end; at += dice.Between(100, 1200)) {
    Action action = LightAction(dice);
    action.at = milliseconds(at);
    plan.actions.push_back(action);
  }
  std::stable_sort(plan.actions.begin(), plan.actions.end(),
                   [](const Action& a, const Action& b) { return a.at < b.at; });
  return plan;
}

ConnectionHarms HarmsOf(std::uint64_t seed, std::uint64_t connection) {
  Dice dice(seed, kConnections + (connection << 8U));
  // A third of the connections are left alone, so that slow operations can complete at all.
  if (dice.OneIn(3)) return {};
  // A handshake takes a few thousand bytes; after it, clients send much less than they receive.
  ConnectionHarms harms;
  harms.to_server = DirectionHarms(dice, 200, 20'000);
  harms.to_client = DirectionHarms(dice, 500, 200'000);
  return harms;
}

}  // namespace kinformer::chaos
