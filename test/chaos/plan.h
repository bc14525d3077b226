#ifndef KINFORMER_TEST_CHAOS_PLAN_H_
#define KINFORMER_TEST_CHAOS_PLAN_H_

// In:     a seed and a duration
// Out:    a timeline of actions, and the faults of the nth connection. The same seed gives the same plan
// Thread: none; pure
// Next:   chaos_run.cc executes it

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "test/chaos/harm.h"

namespace kinformer::chaos {

/// A random number generator with the same output on every compiler and library; the distributions of <random> do not
/// guarantee that.
class Dice {
 public:
  /// `stream` selects one of several independent sequences for the same seed.
  explicit Dice(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t Next();
  /// In [0, below).
  std::uint64_t Below(std::uint64_t below) { return below == 0 ? 0 : Next() % below; }
  /// In [low, high].
  std::int64_t Between(std::int64_t low, std::int64_t high);
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  /// In [low, high], roughly log-uniform.
  std::uint64_t Magnitude(std::uint64_t low, std::uint64_t high);

 private:
  std::uint64_t state_;
};

enum class ActionKind {
  // Network faults. They affect all open connections; `duration` where the fault lasts.
  kCutAll,
  kResetAll,
  kHalfCloseAll,
  kStallAll,
  kRefuse,
  // Client side.
  kStopInformer,      ///< Restarted after `duration`.
  kRemakeInformer,    ///< Releases the last reference to it and creates another.
  kReplaceHandler,    ///< Removes a handler and adds a new one.
  kChangeNamespaces,  ///< `choice`: a bitmask of namespaces.
  // Server side. These block until they are done.
  kCompact,
  kKillServer,        ///< kill -9, down for `duration`, restart.
  kKillEtcd,          ///< The same for etcd.
  kForgetAndRestart,  ///< Connections are refused, writes continue, compaction, restart: missed revisions are gone.
};

std::string_view NameOf(ActionKind kind);
/// Whether the action takes down the server or its storage.
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
  /// Sorted by time. Contains each heavy kind at least once, however short the run.
  std::vector<Action> actions{};
};

Plan MakePlan(std::uint64_t seed, std::chrono::seconds length);

/// The faults of the nth client connection, per direction, sorted by position.
struct ConnectionHarms {
  std::vector<Harm> to_server{};
  std::vector<Harm> to_client{};

  bool operator==(const ConnectionHarms&) const = default;
};
ConnectionHarms HarmsOf(std::uint64_t seed, std::uint64_t connection);

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_PLAN_H_
