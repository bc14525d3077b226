#ifndef KINFORMER_TEST_CHAOS_PLAN_H_
#define KINFORMER_TEST_CHAOS_PLAN_H_

// In:     a seed and a length
// Out:    what happens when; what happens to the nth connection. The same seed gives the same plan
// Thread: none; pure
// Next:   chaos_run.cc carries it out

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "test/chaos/harm.h"

namespace kinformer::chaos {

/// A random number generator whose numbers are the same with every compiler and library: what is built on <random>'s
/// distributions is not.
class Dice {
 public:
  /// `stream` tells apart those who throw by one seed.
  explicit Dice(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t Next();
  /// In [0, below).
  std::uint64_t Below(std::uint64_t below) { return below == 0 ? 0 : Next() % below; }
  /// In [low, high].
  std::int64_t Between(std::int64_t low, std::int64_t high);
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  /// In [low, high], small ones as often as large ones of ten times their size.
  std::uint64_t Magnitude(std::uint64_t low, std::uint64_t high);

 private:
  std::uint64_t state_;
};

enum class ActionKind {
  // The network. All connections of the moment; `duration` where it lasts.
  kCutAll,
  kResetAll,
  kHalfCloseAll,
  kStallAll,
  kRefuse,
  // Our own side.
  kStopInformer,      ///< And starts it again after `duration`.
  kRemakeInformer,    ///< Lets the last hold on it go, and makes another.
  kReplaceHandler,    ///< Takes a handler away and adds a new one.
  kChangeNamespaces,  ///< `choice`: a bit for each namespace.
  // The server's side. These take as long as they take.
  kCompact,
  kKillServer,        ///< kill -9, nothing for `duration`, restart.
  kKillEtcd,          ///< The same for etcd.
  kForgetAndRestart,  ///< Nobody watches, writes go on, compaction, restart: what was missed is gone.
};

std::string_view NameOf(ActionKind kind);
/// One that takes the server or its storage away.
bool IsHeavy(ActionKind kind);

struct Action {
  std::chrono::milliseconds at{0};
  ActionKind kind = ActionKind::kCutAll;
  std::chrono::milliseconds duration{0};
  std::uint64_t choice = 0;

  bool operator==(const Action&) const = default;
};

std::string ToString(const Action& action);

struct Plan {
  std::uint64_t seed = 0;
  std::chrono::seconds length{0};
  /// In the order of time. Each heavy kind is in it, however short it is.
  std::vector<Action> actions{};
};

Plan MakePlan(std::uint64_t seed, std::chrono::seconds length);

/// What happens on the nth connection that clients open: sorted by their place, for each direction.
struct ConnectionHarms {
  std::vector<Harm> to_server{};
  std::vector<Harm> to_client{};

  bool operator==(const ConnectionHarms&) const = default;
};
ConnectionHarms HarmsOf(std::uint64_t seed, std::uint64_t connection);

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_PLAN_H_
