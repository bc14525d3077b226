#include "src/http/outbox.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "src/http/websocket.h"

namespace kinformer::apiserver {

void Outbox::Begin(ExchangeId id) {
  const MutexLock lock(mutex_);
  current_ = id;
  ended_ = false;
  byte_by_byte_ = false;
  kind_ = AnswerKind::kPending;
}

Outbox::Pushed Outbox::Push(ExchangeId id, Buffer head, std::span<const Buffer> message, MessageFraming framing,
                            Finish finish) {
  Callback forgotten;  // destroyed without the lock: it is user code
  const MutexLock lock(mutex_);
  if (!MayWrite(id)) return Pushed::kRejected;
  if (!head.bytes.empty()) Append({.buffer = std::move(head)});
  AppendMessage(message, framing);
  if (finish != Finish::kNone) {
    finish_ = finish;
    current_ = 0;
    forgotten = std::exchange(on_closed_, nullptr);
  }
  return MarkWoken(finish == Finish::kNone ? Pushed::kWake : Pushed::kWakeFirst);
}

Outbox::Pushed Outbox::Become(ExchangeId id, AnswerKind kind, Buffer head) {
  Callback forgotten;
  const MutexLock lock(mutex_);
  if (!MayWrite(id)) return Pushed::kRejected;
  kind_ = kind;
  forgotten = std::exchange(on_closed_, nullptr);
  Append({.buffer = std::move(head)});
  return MarkWoken(Pushed::kWakeFirst);
}

Outbox::Pushed Outbox::Break(ExchangeId id, Finish finish) {
  const MutexLock lock(mutex_);
  if (!MayWrite(id)) return Pushed::kRejected;
  finish_ = finish;
  ended_ = true;
  return MarkWoken();
}

Outbox::Pushed Outbox::Abort(ExchangeId id) {
  const MutexLock lock(mutex_);
  // Also overrides a Break whose data has not been sent yet.
  if (closed_ || id != current_) return Pushed::kRejected;
  abort_ = true;
  ended_ = true;
  return MarkWoken();
}

void Outbox::SetByteByByte(ExchangeId id, bool on) {
  const MutexLock lock(mutex_);
  if (MayWrite(id)) byte_by_byte_ = on;
}

Outbox::Pushed Outbox::MarkWoken(Pushed how) { return std::exchange(woken_, true) ? Pushed::kQueued : how; }

void Outbox::Append(Piece piece) {
  piece.byte_by_byte = byte_by_byte_;
  queued_bytes_.fetch_add(piece.Size(), std::memory_order_relaxed);
  queued_.push_back(std::move(piece));
}

void Outbox::AppendMessage(std::span<const Buffer> message, MessageFraming framing) {
  if (framing == MessageFraming::kNone) {
    for (const Buffer& part : message) {
      if (!part.bytes.empty()) Append({.buffer = part});
    }
    return;
  }
  std::size_t size = 0;
  for (const Buffer& part : message) size += part.bytes.size();
  Piece first;
  if (framing == MessageFraming::kChunk) {
    if (size == 0) return;  // an empty chunk would end the body
    if (byte_by_byte_) return AppendByteChunks(message);
    char* end = std::to_chars(first.prefix.data(), first.prefix.data() + 16, size, 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    first.prefix_size = static_cast<std::uint8_t>(end - first.prefix.data());
  } else {
    std::array<char, kMaxWebSocketHead> head{};
    first.prefix_size = static_cast<std::uint8_t>(EncodeWebSocketHead(WebSocketOpcode::kText, size, head));
    std::copy(head.begin(), head.end(), first.prefix.begin());
  }
  if (message.empty()) return Append(first);
  for (std::size_t i = 0; i < message.size(); ++i) {
    Piece piece = i == 0 ? first : Piece{};
    piece.buffer = message[i];
    piece.line_break_after = framing == MessageFraming::kChunk && i + 1 == message.size();
    if (piece.Size() > 0) Append(std::move(piece));
  }
}

void Outbox::AppendByteChunks(std::span<const Buffer> message) {
  std::string chunks;
  for (const Buffer& part : message) {
    for (const char c : part.bytes) {
      chunks += "1\r\n";
      chunks += c;
      chunks += "\r\n";
    }
  }
  Append({.buffer = Buffer(std::move(chunks))});
}

std::size_t Outbox::QueuedBytes(ExchangeId id) const {
  const MutexLock lock(mutex_);
  return MayWrite(id) ? queued_bytes_.load(std::memory_order_relaxed) : 0;
}

bool Outbox::IsClosed(ExchangeId id) const {
  const MutexLock lock(mutex_);
  return !MayWrite(id);
}

Outbox::Pushed Outbox::NotifyWhenDrained(ExchangeId id, Callback callback) {
  {
    const MutexLock lock(mutex_);
    if (MayWrite(id)) {
      drained_.push_back(std::move(callback));
      return MarkWoken();
    }
  }
  callback();
  return Pushed::kRejected;
}

void Outbox::OnClosed(ExchangeId id, Callback callback) {
  Callback forgotten;
  {
    const MutexLock lock(mutex_);
    if (id != current_) return;
    if (!closed_ && !peer_ended_) {
      forgotten = std::exchange(on_closed_, std::move(callback));
      return;
    }
  }
  callback();
}

Outbox::Taken Outbox::Take(std::vector<Piece>& pieces) {
  Taken taken;
  const MutexLock lock(mutex_);
  if (queued_.empty()) {
    taken.finish = std::exchange(finish_, Finish::kNone);
    taken.drained = std::exchange(drained_, {});
  } else {
    std::swap(pieces, queued_);
  }
  return taken;
}

Outbox::Requests Outbox::Wake() {
  const MutexLock lock(mutex_);
  woken_ = false;
  return {abort_, kind_};
}

AnswerKind Outbox::kind() const {
  const MutexLock lock(mutex_);
  return kind_;
}

Outbox::Callback Outbox::PeerEnded() {
  const MutexLock lock(mutex_);
  peer_ended_ = true;
  return std::exchange(on_closed_, nullptr);
}

std::vector<Outbox::Callback> Outbox::Close() {
  std::vector<Piece> dropped;  // destroyed without the lock
  std::vector<Callback> callbacks;
  const MutexLock lock(mutex_);
  closed_ = true;
  dropped = std::exchange(queued_, {});
  queued_bytes_ = 0;
  callbacks = std::exchange(drained_, {});
  if (on_closed_) callbacks.push_back(std::exchange(on_closed_, nullptr));
  return callbacks;
}

}  // namespace kinformer::apiserver
