#ifndef KINFORMER_TEST_CHAOS_WITNESS_H_
#define KINFORMER_TEST_CHAOS_WITNESS_H_

// In:     the events that one handler receives
// Out:    the first violated guarantee, with the object's last events; the resulting state of the world
// Thread: none; callers synchronize
// Next:   observer.h, one witness per handler of the run

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/codec/object.h>

namespace kinformer::chaos {

/// The identity and version of an object, on which a cache and its server must agree.
struct State {
  std::string uid{};
  std::uint64_t version = 0;

  bool operator==(const State&) const = default;
};

/// By namespace/name.
using World = std::map<std::string, State>;

/// The first few differences, as text; "" if there are none.
std::string Difference(const World& is, const World& should_be);

/// One object in one event.
struct Fact {
  std::string key{};
  State state{};
  /// Whether the content is intact: see SealOf.
  bool sound = true;
};

/// A checksum over key and sequence number. Writers store it in an annotation, so that readers can detect damaged
/// content.
std::string SealOf(std::string_view key, std::string_view sequence);
inline constexpr std::string_view kSequenceAnnotation = "chaos.example/sequence";
inline constexpr std::string_view kSealAnnotation = "chaos.example/seal";

/// An object without a numeric version is unsound.
Fact FactOf(const Object& object);

struct WitnessOptions {
  std::string name{};
  /// The handler has a resync period: an update to the same version is not an error.
  bool resyncs = false;
  /// The informer's namespaces change at runtime: a removed object may come back at the same version.
  bool looks_away = false;
  /// The handler coalesces: a deletion may carry a state that no update has shown.
  bool folds = false;
};

/// Rebuilds the state of the world from the events and checks every event against it.
class Witness {
 public:
  explicit Witness(WitnessOptions options) : options_(std::move(options)) {}

  void Added(const Fact& object);
  void Updated(const Fact& before, const Fact& after);
  void Deleted(const Fact& gone, bool final_state_unknown);

  const std::string& name() const { return options_.name; }
  /// The first breach: what is wrong, and the last events of that object. Nothing is checked after it.
  const std::optional<std::string>& breach() const { return breach_; }
  const World& world() const { return world_; }
  std::uint64_t events() const { return events_; }

 private:
  struct Life {
    /// The newest version ever seen; kept after a deletion.
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
