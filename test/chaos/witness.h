#ifndef KINFORMER_TEST_CHAOS_WITNESS_H_
#define KINFORMER_TEST_CHAOS_WITNESS_H_

// In:     what one handler is told, event by event
// Out:    the first breach of what is promised to it, with the object's last events; the world as it was told
// Thread: none; who calls from several locks
// Next:   observers.h, for each handler of the run

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer::chaos {

/// Of an object: what a cache must have in common with its server.
struct State {
  std::string uid{};
  std::uint64_t version = 0;

  bool operator==(const State&) const = default;
};

/// By namespace/name.
using World = std::map<std::string, State>;

/// The first few differences, for people; "" where there is none.
std::string Difference(const World& is, const World& should_be);

/// One object in one event.
struct Fact {
  std::string key{};
  State state{};
  /// Whether the content is what its writer put there: see SealOf.
  bool sound = true;
};

/// What a writer puts into an annotation, so that a reader can tell the content from a damaged one: a sum over name and
/// sequence number.
std::string SealOf(std::string_view key, std::string_view sequence);
inline constexpr std::string_view kSequenceAnnotation = "chaos.example/sequence";
inline constexpr std::string_view kSealAnnotation = "chaos.example/seal";

/// An object without a numeric version is unsound.
Fact FactOf(const Object& object);

struct WitnessOptions {
  std::string name{};
  /// The handler asked to see objects again: an update to the very same state is then no repetition.
  bool resyncs = false;
  /// Its informer is told to look away and to look again: what it was told is gone comes back as it was.
  bool looks_away = false;
  /// What it is too slow for is folded into one event: a deletion may bring a state that an update would have shown.
  bool folds = false;
};

/// Keeps its own copy of the world from the events, and holds every event against it.
class Witness {
 public:
  explicit Witness(WitnessOptions options) : options_(std::move(options)) {}

  void Added(const Fact& object);
  void Updated(const Fact& before, const Fact& after);
  void Deleted(const Fact& gone, bool final_state_unknown);

  const std::string& name() const { return options_.name; }
  /// The first breach: what is wrong, and what was told of that object before. Nothing is checked after it.
  const std::optional<std::string>& breach() const { return breach_; }
  const World& world() const { return world_; }
  std::uint64_t events() const { return events_; }

 private:
  struct Life {
    /// The newest version that was ever shown, also after a deletion.
    std::uint64_t newest = 0;
    std::deque<std::string> last_events{};
  };

  Life& Note(const std::string& key, std::string event);
  void Breach(const std::string& key, const std::string& what);
  bool Sound(const Fact& fact);

  WitnessOptions options_;
  World world_;
  std::map<std::string, Life> lives_;
  std::optional<std::string> breach_;
  std::uint64_t events_ = 0;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_WITNESS_H_
