#ifndef KINFORMER_TEST_CHAOS_HARM_H_
#define KINFORMER_TEST_CHAOS_HARM_H_

// In:     the bytes of one direction of a connection, and the faults to apply at given positions
// Out:    bytes with the time at which they are due, and how the direction ends
// Thread: none; pure, the caller passes the time
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
  kTruncate,   ///< `length` bytes are dropped, then both sides are closed.
  kHalfClose,  ///< This direction is closed, the other stays open.
  kDrop,       ///< `length` bytes are dropped, those after them are forwarded.
  kDuplicate,  ///< `length` bytes are sent twice.
  kFlip,       ///< One bit is flipped.
  kStall,      ///< Nothing is forwarded for `duration`, then everything.
  kSilence,    ///< Nothing is forwarded any more; the connection stays open.
  kDelay,      ///< The next `length` bytes are delayed by `duration`.
  kTrickle,    ///< The next `length` bytes are sent in pieces of seven bytes.
};
inline constexpr std::size_t kHarmKinds = 11;

std::string_view NameOf(HarmKind kind);

/// True for faults that alter the byte stream. With TLS, a peer must detect them and end the connection.
bool Corrupts(HarmKind kind);

struct Harm {
  HarmKind kind = HarmKind::kCut;
  /// Position in the direction, in bytes from 0: the fault begins before this byte.
  std::uint64_t at = 0;
  std::size_t length = 0;
  std::chrono::milliseconds duration{0};

  bool operator==(const Harm&) const = default;
};

std::string ToString(const Harm& harm);

/// One direction of a connection, with its faults.
class HarmedFlow {
 public:
  /// How the direction ends, after the queued pieces.
  enum class End { kNone, kClose, kReset, kHalfClose };
  struct Piece {
    SteadyTime due;
    std::string bytes;
  };

  /// `harms` must be sorted by position.
  explicit HarmedFlow(std::vector<Harm> harms) : harms_(std::move(harms)) {}
  HarmedFlow() = default;

  void Push(std::string_view bytes, SteadyTime now);
  /// The sender has closed its side.
  void PushEnd();
  /// Cancels all further faults; pieces held back by a stall or delay become due immediately.
  void Calm();

  /// The first piece if it is due, else null. It stays queued until Sent.
  const Piece* Due(SteadyTime now) const;
  /// When the first piece becomes due; nullopt: not before the next Push or Calm.
  std::optional<SteadyTime> NextDue() const;
  void Sent(std::size_t bytes);
  /// How the direction ends; kNone until all pieces are sent.
  End EndNow() const { return pieces_.empty() ? end_ : End::kNone; }

  std::size_t held() const { return held_; }
  /// Faults applied since the last call.
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

  // Faults in progress; the counts are the bytes remaining.
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
