#ifndef KINFORMER_TEST_CHAOS_HARM_H_
#define KINFORMER_TEST_CHAOS_HARM_H_

// In:     bytes of one direction of a connection, and what shall happen to them at which byte
// Out:    bytes with the time at which they are due, and how the direction ends
// Thread: none; pure, it is told the time
// Next:   chaos_proxy.h

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::chaos {

using SteadyTime = std::chrono::steady_clock::time_point;

enum class HarmKind {
  kCut,        ///< Both sides are closed (FIN).
  kReset,      ///< Both sides are reset (RST).
  kTruncate,   ///< `length` bytes are swallowed, then both sides are closed.
  kHalfClose,  ///< This direction ends, the other goes on.
  kDrop,       ///< `length` bytes are missing, what follows them comes.
  kDuplicate,  ///< `length` bytes come twice.
  kFlip,       ///< One bit is another.
  kStall,      ///< Nothing for `duration`, then all of it.
  kSilence,    ///< Nothing any more, and no end either.
  kDelay,      ///< The next `length` bytes come `duration` later.
  kTrickle,    ///< The next `length` bytes come in crumbs of seven bytes.
};
inline constexpr std::size_t kHarmKinds = 11;

std::string_view NameOf(HarmKind kind);

/// What nobody may take for the sender's bytes: one of the two must notice, and end the connection.
bool Corrupts(HarmKind kind);

struct Harm {
  HarmKind kind = HarmKind::kCut;
  /// Before this byte of the direction, counted from 0.
  std::uint64_t at = 0;
  std::size_t length = 0;
  std::chrono::milliseconds duration{0};

  bool operator==(const Harm&) const = default;
};

std::string ToString(const Harm& harm);

/// One direction of a connection.
class HarmedFlow {
 public:
  /// After the pieces that are queued.
  enum class End { kNone, kClose, kReset, kHalfClose };
  struct Piece {
    SteadyTime due;
    std::string bytes;
  };

  /// Sorted by their place.
  explicit HarmedFlow(std::vector<Harm> harms) : harms_(std::move(harms)) {}
  HarmedFlow() = default;

  void Push(std::string_view bytes, SteadyTime now);
  /// The sender has ended.
  void PushEnd();
  /// No more harm from here on; what a stall or a delay holds back is due at once.
  void Calm();

  /// The first piece that is due, null where there is none. The bytes stay until Sent.
  const Piece* Due(SteadyTime now) const;
  /// When to look again; nullopt: not before the next Push.
  std::optional<SteadyTime> NextDue() const;
  void Sent(std::size_t bytes);
  /// How the direction ends, once all that comes before is sent.
  End EndNow() const { return pieces_.empty() ? end_ : End::kNone; }

  std::size_t held() const { return held_; }
  /// Harms done since the last call.
  std::vector<Harm> TakeDone();

 private:
  void Emit(std::string_view bytes, SteadyTime now);
  void Queue(std::string_view bytes, SteadyTime due);
  void Begin(const Harm& harm, SteadyTime now);

  std::vector<Harm> harms_;
  std::size_t next_ = 0;
  std::uint64_t position_ = 0;
  std::deque<Piece> pieces_;
  std::size_t held_ = 0;
  End end_ = End::kNone;
  std::vector<Harm> done_;

  // What is under way: for how many bytes more.
  std::size_t to_swallow_ = 0;
  bool close_when_swallowed_ = false;
  std::size_t to_duplicate_ = 0;
  std::string duplicate_;
  std::size_t to_delay_ = 0;
  std::chrono::milliseconds delay_{0};
  std::size_t to_trickle_ = 0;
  bool flip_ = false;
  SteadyTime stalled_until_{};
  bool silent_ = false;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_HARM_H_
