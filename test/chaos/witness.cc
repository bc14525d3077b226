#include "test/chaos/witness.h"

#include <charconv>

namespace kinformer::chaos {
namespace {

constexpr std::size_t kEventsKept = 12;
constexpr std::size_t kDifferencesShown = 8;

std::string Text(const State& state) { return state.uid + "@" + std::to_string(state.version); }

std::optional<std::uint64_t> ParseVersion(std::string_view text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return version;
}

}  // namespace

std::string Difference(const World& is, const World& should_be) {
  std::string text;
  std::size_t count = 0;
  const auto note = [&](const std::string& line) {
    if (++count <= kDifferencesShown) text += "\n  " + line;
  };
  for (const auto& [key, state] : should_be) {
    const auto it = is.find(key);
    if (it == is.end()) {
      note(key + " is missing: " + Text(state));
    } else if (it->second != state) {
      note(key + " is " + Text(it->second) + " and should be " + Text(state));
    }
  }
  for (const auto& [key, state] : is) {
    if (!should_be.contains(key)) note(key + " is still there: " + Text(state));
  }
  if (count > kDifferencesShown) text += "\n  and " + std::to_string(count - kDifferencesShown) + " more";
  return text;
}

std::string SealOf(std::string_view key, std::string_view sequence) {
  std::uint64_t sum = 0xcbf29ce484222325U;  // FNV-1a
  for (const std::string_view part : {key, std::string_view("\n"), sequence}) {
    for (const char c : part) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return std::to_string(sum);
}

Fact FactOf(const Object& object) {
  Fact fact{.key = std::string(object.Namespace()) + "/" + std::string(object.Name()),
            .state = {.uid = std::string(object.Uid())}};
  const auto version = ParseVersion(object.ResourceVersion());
  fact.state.version = version.value_or(0);
  const auto sequence = object.Annotations().Find(kSequenceAnnotation);
  const auto seal = object.Annotations().Find(kSealAnnotation);
  fact.sound = version && !fact.state.uid.empty() && sequence && seal && *seal == SealOf(fact.key, *sequence);
  // The data repeats the sequence number; metadata-only objects have just the annotation.
  if (!object.IsPartial() && object.At("/data/sequence").StringOr("") != sequence.value_or("")) fact.sound = false;
  return fact;
}

Witness::Life& Witness::Note(const std::string& key, std::string event) {
  ++events_;
  Life& life = lives_[key];
  life.last_events.push_back(std::move(event));
  if (life.last_events.size() > kEventsKept) life.last_events.pop_front();
  return life;
}

void Witness::Breach(const std::string& key, const std::string& what) {
  std::string text = options_.name + ": " + key + " " + what + "; its last events:";
  for (const std::string& event : lives_[key].last_events) text += "\n  " + event;
  breach_ = std::move(text);
}

bool Witness::Sound(const Fact& fact) {
  if (!fact.sound) Breach(fact.key, "has content that was never written");
  return fact.sound;
}

void Witness::Added(const Fact& object) {
  if (breach_) return;
  Life& life = Note(object.key, "add " + Text(object.state));
  if (!Sound(object)) return;
  if (world_.contains(object.key)) return Breach(object.key, "was added twice");
  // A version that was already seen must not reappear as new.
  if (object.state.version < life.newest || (object.state.version == life.newest && !options_.looks_away)) {
    return Breach(object.key, "came back at an old version");
  }
  life.newest = object.state.version;
  world_[object.key] = object.state;
}

void Witness::Updated(const Fact& before, const Fact& after) {
  if (breach_) return;
  Life& life = Note(after.key, "update " + Text(before.state) + " to " + Text(after.state));
  if (!Sound(after) || !Sound(before)) return;
  if (before.key != after.key) return Breach(after.key, "was updated from another object, " + before.key);
  const auto it = world_.find(after.key);
  if (it == world_.end()) return Breach(after.key, "was updated while it was not there");
  if (before.state != it->second) return Breach(after.key, "was updated from a state that was not the last one shown");
  if (after.state.uid != before.state.uid) return Breach(after.key, "became another object without a deletion");
  if (after.state.version < before.state.version) return Breach(after.key, "went back");
  if (after.state.version == before.state.version && !options_.resyncs) {
    return Breach(after.key, "was shown the same version twice");
  }
  life.newest = after.state.version;
  it->second = after.state;
}

void Witness::Deleted(const Fact& gone, bool final_state_unknown) {
  if (breach_) return;
  Life& life = Note(gone.key, (final_state_unknown ? "delete unseen " : "delete ") + Text(gone.state));
  if (!Sound(gone)) return;
  const auto it = world_.find(gone.key);
  if (it == world_.end()) return Breach(gone.key, "was deleted while it was not there");
  if (gone.state.uid != it->second.uid) return Breach(gone.key, "was deleted as another object than was shown");
  if (gone.state.version < it->second.version) return Breach(gone.key, "went back when it was deleted");
  if (final_state_unknown && gone.state != it->second && !options_.folds) {
    return Breach(gone.key, "was deleted with a last known state that was not shown");
  }
  life.newest = gone.state.version;
  world_.erase(it);
}

}  // namespace kinformer::chaos
