#ifndef KINFORMER_SRC_HTTP_OUTBOX_H_
#define KINFORMER_SRC_HTTP_OUTBOX_H_

// In:     output of exchanges and streams, from any thread
// Out:    pieces in order, and what to do after them
// Thread: none of its own; all functions from any thread
// Next:   Connection, which takes the whole queue at once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/base/mutex.h"
#include "src/http/buffer.h"

namespace kinformer::apiserver {

/// Identifies an answer of a connection, so that a stale handle cannot affect the next answer.
using ExchangeId = std::uint64_t;

/// The framing of a message.
enum class MessageFraming { kNone, kChunk, kTextFrame };

/// What to do when everything has been sent.
enum class Finish {
  kNone,            ///< Nothing: the answer continues.
  kNextRequest,     ///< Read the next request: the answer is complete.
  kClose,           ///< FIN.
  kReset,           ///< RST.
  kStall,           ///< Neither read nor write any more.
  kWebSocketClose,  ///< Wait for the peer's Close frame; ours has been sent.
};

enum class AnswerKind { kPending, kStream, kWebSocket };

/// A part of a message, with its framing.
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
    kRejected,   ///< Nothing was queued: the answer has ended, or the connection is closed.
    kQueued,     ///< The I/O thread has already been notified.
    kWake,       ///< The caller must schedule the connection.
    kWakeFirst,  ///< The caller must schedule it ahead of streams: a client waits for this answer.
  };

  /// Begins a new answer.
  void Begin(ExchangeId id);
  /// `head` is sent first, unframed. A `finish` other than kNone ends the answer: it invalidates the id, and drops the
  /// OnClosed callback.
  Pushed Push(ExchangeId id, Buffer head, std::span<const Buffer> message, MessageFraming framing,
              Finish finish = Finish::kNone);
  /// Turns the answer into a stream or a WebSocket; drops the OnClosed callback.
  Pushed Become(ExchangeId id, AnswerKind kind, Buffer head);

  /// For faults: like Push with a finish, but keeps the OnClosed callback, which is called at the end.
  Pushed Break(ExchangeId id, Finish finish);
  /// Ends the connection at once.
  Pushed Abort(ExchangeId id);
  void SetByteByByte(ExchangeId id, bool on);

  std::size_t QueuedBytes(ExchangeId id) const;
  bool IsClosed(ExchangeId id) const;
  Pushed NotifyWhenDrained(ExchangeId id, Callback callback);
  void OnClosed(ExchangeId id, Callback callback);

  /// For the I/O thread: swaps the queue into `pieces`, which must be empty. `finish` and `drained` are set only if the
  /// queue was empty.
  struct Taken {
    Finish finish = Finish::kNone;
    std::vector<Callback> drained{};
  };
  Taken Take(std::vector<Piece>& pieces);
  void Sent(std::size_t bytes) { queued_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// The requests since the last call. After this, the next Push returns kWake again.
  struct Requests {
    bool abort = false;
    AnswerKind kind = AnswerKind::kPending;
  };
  Requests Wake();
  AnswerKind kind() const;

  /// The peer has stopped sending or is no longer read; an answer can still be given. Returns the OnClosed callback.
  Callback PeerEnded();
  /// Closes the outbox. Returns the callbacks to call, with no lock held.
  std::vector<Callback> Close();

 private:
  bool MayWrite(ExchangeId id) const KINFORMER_REQUIRES(mutex_) { return !closed_ && !ended_ && id == current_; }
  Pushed MarkWoken(Pushed how = Pushed::kWake) KINFORMER_REQUIRES(mutex_);
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

#endif  // KINFORMER_SRC_HTTP_OUTBOX_H_
