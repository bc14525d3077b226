#ifndef KINFORMER_SRC_APISERVER_HTTP_OUTBOX_H_
#define KINFORMER_SRC_APISERVER_HTTP_OUTBOX_H_

// In:     what exchanges and streams write, from any thread
// Out:    pieces in their order, and what is to follow them
// Thread: none of its own; every function from any thread
// Next:   Connection, which takes all that waits at once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <kinformer/base/mutex.h>

#include "src/apiserver/http/buffer.h"

namespace kinformer::apiserver {

/// The answers of a connection are counted: a handle of one that is over has no say in the next.
using ExchangeId = std::uint64_t;

/// What stands around a message.
enum class MessageFraming { kNone, kChunk, kTextFrame };

/// What follows when all has been sent.
enum class Finish {
  kNone,            ///< More of the answer.
  kNextRequest,     ///< The answer is complete.
  kClose,           ///< FIN.
  kReset,           ///< RST.
  kStall,           ///< Silence.
  kWebSocketClose,  ///< Our Close frame is out; the peer's is awaited.
};

enum class AnswerKind { kPending, kStream, kWebSocket };

/// A part of a message, with the framing before and after it.
struct Piece {
  Buffer buffer{};
  std::array<char, 20> prefix{};
  std::uint8_t prefix_size = 0;
  bool line_break_after = false;
  bool byte_by_byte = false;

  std::string_view Prefix() const { return {prefix.data(), prefix_size}; }
  std::string_view Suffix() const { return line_break_after ? "\r\n" : ""; }
  std::size_t Size() const { return prefix_size + buffer.bytes.size() + (line_break_after ? 2U : 0U); }
};

class Outbox {
 public:
  using Callback = std::function<void()>;

  enum class Pushed {
    kGone,       ///< Nothing was queued: that answer is over, or the connection is.
    kQueued,     ///< The I/O thread knows that something waits.
    kWake,       ///< It must be told.
    kWakeFirst,  ///< It must be told, and not be busy with streams first: a client waits for this answer.
  };

  /// A new answer begins, of which `id` is the handle.
  void Begin(ExchangeId id);
  /// `head` goes out first and as it is. `finish` other than kNone ends the answer: the id is then of no use any more,
  /// and whoever waited for its end is forgotten.
  Pushed Push(ExchangeId id, Buffer head, std::span<const Buffer> message, MessageFraming framing,
              Finish finish = Finish::kNone);
  /// The answer becomes a stream or a WebSocket; whoever waited for its end before is forgotten.
  Pushed Become(ExchangeId id, AnswerKind kind, Buffer head);

  /// For faults: as Push with a finish, but who waited for the end is told of it.
  Pushed Break(ExchangeId id, Finish finish);
  /// At once.
  Pushed Abort(ExchangeId id);
  void SetByteByByte(ExchangeId id, bool on);

  std::size_t QueuedBytes(ExchangeId id) const;
  bool IsClosed(ExchangeId id) const;
  Pushed NotifyWhenDrained(ExchangeId id, Callback callback);
  void OnClosed(ExchangeId id, Callback callback);

  /// For the I/O thread: all that waits, into `pieces`, which is empty and is swapped in. `finish` and `drained` only
  /// where nothing waits.
  struct Taken {
    Finish finish = Finish::kNone;
    std::vector<Callback> drained{};
  };
  Taken Take(std::vector<Piece>& pieces);
  void Sent(std::size_t bytes) { queued_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// What was asked for since the last time; after this, the next Push says kWake again.
  struct Wanted {
    bool abort = false;
    AnswerKind kind = AnswerKind::kPending;
  };
  Wanted Wake();
  AnswerKind kind() const;

  /// The peer sends nothing more, or reads nothing more; an answer can still be given. Returns who wants to know.
  Callback PeerEnded();
  /// It is over. Returns whom to call, without a lock.
  std::vector<Callback> Close();

 private:
  bool MayWrite(ExchangeId id) const KINFORMER_REQUIRES(mutex_) { return !closed_ && !ended_ && id == current_; }
  Pushed Woken(Pushed how = Pushed::kWake) KINFORMER_REQUIRES(mutex_);
  void Append(Piece piece) KINFORMER_REQUIRES(mutex_);
  void AppendMessage(std::span<const Buffer> message, MessageFraming framing) KINFORMER_REQUIRES(mutex_);
  void AppendByteChunks(std::span<const Buffer> message) KINFORMER_REQUIRES(mutex_);

  std::atomic<std::size_t> queued_bytes_ = 0;
  mutable Mutex mutex_;
  ExchangeId current_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool abort_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool peer_ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool woken_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool byte_by_byte_ KINFORMER_GUARDED_BY(mutex_) = false;
  AnswerKind kind_ KINFORMER_GUARDED_BY(mutex_) = AnswerKind::kPending;
  Finish finish_ KINFORMER_GUARDED_BY(mutex_) = Finish::kNone;
  std::vector<Piece> queued_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<Callback> drained_ KINFORMER_GUARDED_BY(mutex_);
  Callback on_closed_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_OUTBOX_H_
