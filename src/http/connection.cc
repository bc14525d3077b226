#include "src/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "src/base/user_code.h"
#include "src/http/exchange.h"
#include "src/http/response_head.h"

namespace kinformer::apiserver {

namespace {

using Status = Moved::Status;

// Maximum input buffered while a request is being answered (pipelining); then reading pauses.
constexpr std::size_t kReadAhead = 64 * 1024;
// Maximum bytes per turn of a connection, so that others on the same thread get theirs.
constexpr std::size_t kReadTurn = 256 * 1024;
constexpr std::size_t kWriteTurn = 1024 * 1024;
constexpr std::size_t kByteByByteTurn = 256;
// With more than this queued, pings are not answered: the peer does not read.
constexpr std::size_t kPongLimit = 64 * 1024;
constexpr std::size_t kMaxGathered = 512;
// An idle connection keeps capacity for at most this many pieces.
constexpr std::size_t kKeptPieces = 256;

void Call(const std::function<void()>& callback) {
  // Exceptions of user callbacks are ignored.
  if (callback) (void)internal::Contain(callback);
}

}  // namespace

Connection::Connection(std::shared_ptr<ServerShared> shared, std::shared_ptr<EventLoop> loop, int fd,
                       std::unique_ptr<Channel> channel, HttpPeer peer)
    : shared_(std::move(shared)),
      loop_(std::move(loop)),
      socket_(*loop_, fd),
      channel_(std::move(channel)),
      slot_(std::make_unique<ConnectionSlot>(shared_)),
      peer_(std::move(peer)),
      reader_({shared_->limits.max_body_bytes, shared_->limits.max_header_bytes, shared_->limits.max_target_bytes}) {}

Connection::~Connection() = default;

bool Connection::Notify(Outbox::Pushed pushed) noexcept {
  const auto wake = [&] {
    if (pushed == Outbox::Pushed::kWake) loop_->Schedule(shared_from_this());
    if (pushed == Outbox::Pushed::kWakeFirst) loop_->ScheduleFirst(shared_from_this());
  };
  if (internal::Contain(wake)) missed_wake_ = true;
  return pushed != Outbox::Pushed::kRejected;
}

void Connection::OnScheduled() {
  const Outbox::Requests wanted = outbox_.Wake();
  switch (phase_) {
    case Phase::kNew:
      if (socket_.fd() < 0) return Close(Ending::kPlain);
      phase_ = Phase::kHandshake;
      read_deadline_ = loop_->Now() + shared_->limits.header_timeout;
      return Handshake();
    case Phase::kStalled:
    case Phase::kClosed:
      return;
    default:
      break;
  }
  if (wanted.abort) return Close(Ending::kReset);
  if (wanted.kind == AnswerKind::kWebSocket && phase_ == Phase::kAnswer) {
    phase_ = Phase::kWebSocket;
    FeedWebSocket(std::exchange(in_, {}));
  }
  Flush();
  ReadOn();  // the last turn may have ended before the socket was drained
}

void Connection::OnReadable() {
  awaits_readable_ = false;
  if (phase_ == Phase::kHandshake) return Handshake();
  ReadOn();
}

void Connection::OnWritable() {
  awaits_writable_ = false;
  Flush();
  ReadOn();
}

void Connection::OnTick(TimePoint now) {
  if (missed_wake_.load(std::memory_order_relaxed) && missed_wake_.exchange(false)) return OnScheduled();
  if (phase_ == Phase::kStalled) {
    if (now < read_deadline_) return;
    read_deadline_ = now + std::chrono::seconds(1);
    pollfd poll{.fd = socket_.fd(), .events = POLLRDHUP, .revents = 0};
    if (::poll(&poll, 1, 0) > 0) Close(Ending::kPlain);
    return;
  }
  // RST, to discard what the kernel still buffers for a peer that does not read.
  if (now >= write_deadline_) return Close(Ending::kReset);
  if (now < read_deadline_) return;
  if (phase_ == Phase::kRequest && reader_.HasBegun()) return Refuse(408, "the request took too long to arrive");
  Close(Ending::kPlain);
}

void Connection::Handshake() {
  const Moved moved = channel_->Handshake();
  FlushPending();
  if (phase_ == Phase::kClosed) return;
  switch (moved.status) {
    case Status::kDone:
      phase_ = Phase::kRequest;
      channel_->DescribePeer(peer_);
      return ReadOn();
    case Status::kWouldBlock:
      awaits_readable_ = true;
      return socket_.AwaitReadable(shared_from_this());
    case Status::kEnd:
    case Status::kFailed:
      return Close(Ending::kPlain);
  }
}

bool Connection::WantsToRead() const {
  if (channel_->PendingBytes() > kMaxPending) return false;
  switch (phase_) {
    case Phase::kRequest:
    case Phase::kWebSocket:
    case Phase::kWebSocketClosing:
    case Phase::kLinger:
      return !peer_ended_;
    case Phase::kAnswer:
      return !peer_ended_ && in_.size() < kReadAhead;
    default:
      return false;
  }
}

// Continues while the connection is open, so that a peer that disconnects during a stream is noticed.
void Connection::ReadOn() {
  std::size_t turn = 0;
  while (!awaits_readable_ && WantsToRead()) {
    if (turn >= kReadTurn) return loop_->Schedule(shared_from_this());
    ChannelScratch& scratch = loop_->scratch();
    const Moved moved = channel_->Read(scratch, scratch.read);
    FlushPending();
    if (phase_ == Phase::kClosed) return;
    switch (moved.status) {
      case Status::kDone:
        turn += moved.bytes;
        Consume({scratch.read.data(), moved.bytes});
        break;
      case Status::kWouldBlock:
        awaits_readable_ = true;
        return socket_.AwaitReadable(shared_from_this());
      case Status::kEnd:
        return PeerEnded();
      case Status::kFailed:
        return Close(Ending::kPlain);
    }
  }
}

void Connection::Consume(std::string_view bytes) {
  switch (phase_) {
    case Phase::kRequest:
      in_.append(bytes);
      return Parse();
    case Phase::kAnswer:
      in_.append(bytes);
      return;
    case Phase::kWebSocket:
    case Phase::kWebSocketClosing:
      return FeedWebSocket(bytes);
    default:
      return;
  }
}

void Connection::PeerEnded() {
  peer_ended_ = true;
  // A client that half-closes after its request still gets a response. A stream is closed: it might never end.
  if (phase_ == Phase::kAnswer && outbox_.kind() == AnswerKind::kPending) return Call(outbox_.PeerEnded());
  Close(Ending::kPlain);
}

void Connection::Parse() {
  if (in_.empty()) return;
  const RequestProgress progress = reader_.Feed(in_);
  in_.erase(0, progress.consumed);
  if (in_.empty()) in_ = {};
  if (progress.kind == RequestProgress::Kind::kRefused) return Refuse(progress.status, progress.message);
  if (!request_begun_ && reader_.HasBegun()) {
    request_begun_ = true;
    // For the first request the deadline started with the connection.
    if (exchange_ > 0) read_deadline_ = loop_->Now() + shared_->limits.header_timeout;
  }
  if (!request_has_head_ && reader_.HasHead()) {
    request_has_head_ = true;
    read_deadline_ = loop_->Now() + shared_->limits.body_timeout;
  }
  if (progress.kind == RequestProgress::Kind::kComplete) return Dispatch();
  if (reader_.TakeContinue()) {
    // Not part of a response: the response to come gets the next id.
    outbox_.Begin(++exchange_);
    Notify(outbox_.Push(exchange_, Buffer::Static("HTTP/1.1 100 Continue\r\n\r\n"), {}, MessageFraming::kNone));
  }
}

void Connection::Dispatch() {
  const bool keep_alive = reader_.KeepAlive();
  HttpRequest request = reader_.Take();
  request.peer = peer_;
  request_begun_ = request_has_head_ = false;
  read_deadline_ = TimePoint::max();
  phase_ = Phase::kAnswer;
  outbox_.Begin(++exchange_);
  std::shared_ptr<HttpExchange> exchange;
  const auto failed = internal::Contain([&] {
    exchange = MakeExchange(std::static_pointer_cast<Connection>(shared_from_this()), exchange_, std::move(request),
                            keep_alive);
  });
  if (failed) {  // Out of memory: nothing would ever answer.
    Notify(outbox_.Abort(exchange_));
    return;
  }
  const auto threw = internal::Contain([&] { shared_->handler(std::move(exchange)); });
  // The destructor of the exchange answers with 500.
  if (threw) shared_->logger.Warning("apiserver", "the HTTP handler threw", {{"what", *threw}});
}

void Connection::Refuse(int status, std::string_view message) {
  phase_ = Phase::kAnswer;
  read_deadline_ = TimePoint::max();
  outbox_.Begin(++exchange_);
  const HttpRefusal refusal =
      shared_->refusal ? shared_->refusal(status, message) : HttpRefusal{.body = std::string(message) + "\n"};
  const ResponseHead head{.status = status, .content_length = refusal.body.size(), .keep_alive = false};
  std::string bytes = EncodeResponseHead(head, refusal.headers) + refusal.body;
  Notify(outbox_.Push(exchange_, Buffer(std::move(bytes)), {}, MessageFraming::kNone, Finish::kClose));
}

void Connection::FeedWebSocket(std::string_view bytes) {
  const bool good = frames_.Feed(
      bytes, [this](WebSocketOpcode opcode, std::string_view payload) { OnControlFrame(opcode, payload); });
  if (good || phase_ == Phase::kClosed) return;
  if (phase_ == Phase::kWebSocketClosing) return Close(Ending::kPlain);
  Call(outbox_.PeerEnded());
  Notify(outbox_.Push(exchange_, Buffer(EncodeCloseFrame(1002, "")), {}, MessageFraming::kNone, Finish::kClose));
}

void Connection::OnControlFrame(WebSocketOpcode opcode, std::string_view payload) {
  if (opcode == WebSocketOpcode::kPing && outbox_.QueuedBytes(exchange_) < kPongLimit) {
    Buffer pong(EncodeControlFrame(WebSocketOpcode::kPong, payload));
    Notify(outbox_.Push(exchange_, std::move(pong), {}, MessageFraming::kNone));
  }
  if (opcode != WebSocketOpcode::kClose) return;
  if (phase_ == Phase::kWebSocketClosing) return Linger();
  Call(outbox_.PeerEnded());
  // Echo the peer's status code.
  Buffer echo(EncodeControlFrame(WebSocketOpcode::kClose, payload.substr(0, 2)));
  Notify(outbox_.Push(exchange_, std::move(echo), {}, MessageFraming::kNone, Finish::kClose));
}

// Sends output that OpenSSL generated itself. Neither reads nor the handshake wait for it.
void Connection::FlushPending() {
  if (!channel_->HasPending() || awaits_writable_) return;
  const Moved moved = channel_->FlushPending();
  if (moved.bytes > 0) write_deadline_ = TimePoint::max();
  if (moved.status == Status::kWouldBlock) return AwaitWritable();
  if (moved.status != Status::kDone) Close(Ending::kPlain);
}

void Connection::Flush() {
  if (phase_ == Phase::kClosed || phase_ == Phase::kStalled || phase_ == Phase::kLinger || awaits_writable_) return;
  std::size_t turn = 0;
  while (turn < kWriteTurn) {
    FlushPending();
    if (awaits_writable_ || phase_ == Phase::kClosed) return;
    if (sending_at_ == sending_.size()) {
      sending_.clear();
      sending_at_ = 0;
      const Outbox::Taken taken = outbox_.Take(sending_);
      if (sending_.empty()) return Drained(taken);
    }
    GatherPieces();
    const Moved moved = channel_->Write(loop_->scratch(), loop_->scratch().pieces);
    if (moved.status == Status::kFailed) return Close(Ending::kPlain);
    if (moved.bytes > 0) {
      turn += sending_[sending_at_].byte_by_byte ? kWriteTurn / kByteByByteTurn : moved.bytes;
      write_deadline_ = TimePoint::max();
      Advance(moved.bytes);
    }
    if (moved.status == Status::kWouldBlock) return AwaitWritable();
  }
  loop_->Schedule(shared_from_this());
}

void Connection::GatherPieces() {
  auto& pieces = loop_->scratch().pieces;
  pieces.clear();
  std::size_t skip = sending_offset_;
  const bool byte_by_byte = sending_[sending_at_].byte_by_byte;
  const auto add = [&](std::string_view part) {
    if (skip >= part.size()) {
      skip -= part.size();
      return;
    }
    pieces.push_back(part.substr(skip));
    skip = 0;
  };
  for (std::size_t i = sending_at_; i < sending_.size() && pieces.size() + 3 <= kMaxGathered; ++i) {
    const Piece& piece = sending_[i];
    if (piece.byte_by_byte != byte_by_byte) break;
    add(piece.Prefix());
    add(piece.buffer.bytes);
    add(piece.Suffix());
    if (byte_by_byte) {
      pieces.resize(1);
      pieces[0] = pieces[0].substr(0, 1);
      return;
    }
  }
}

void Connection::Advance(std::size_t bytes) {
  outbox_.Sent(bytes);
  sending_offset_ += bytes;
  while (sending_at_ < sending_.size() && sending_offset_ >= sending_[sending_at_].Size()) {
    sending_offset_ -= sending_[sending_at_].Size();
    sending_[sending_at_++].buffer = {};
  }
}

void Connection::AwaitWritable() {
  if (write_deadline_ == TimePoint::max()) write_deadline_ = loop_->Now() + shared_->limits.write_timeout;
  if (std::exchange(awaits_writable_, true)) return;
  socket_.AwaitWritable(shared_from_this());
}

void Connection::Drained(const Outbox::Taken& taken) {
  write_deadline_ = TimePoint::max();
  if (sending_.capacity() > kKeptPieces) sending_.shrink_to_fit();
  for (const auto& callback : taken.drained) Call(callback);
  switch (taken.finish) {
    case Finish::kNone:
      return;
    case Finish::kNextRequest:
      return NextRequest();
    case Finish::kClose:
      return Linger();
    case Finish::kReset:
      return Close(Ending::kReset);
    case Finish::kStall:
      return Stall();
    case Finish::kWebSocketClose:
      phase_ = Phase::kWebSocketClosing;
      read_deadline_ = loop_->Now() + shared_->limits.linger_timeout;
      return;
  }
}

void Connection::NextRequest() {
  phase_ = Phase::kRequest;
  read_deadline_ = loop_->Now() + shared_->limits.idle_timeout;
  Parse();
  if (peer_ended_ && phase_ == Phase::kRequest) Linger();
}

void Connection::Linger() {
  channel_->ShutdownWrites();
  if (peer_ended_) return Close(Ending::kPlain);
  phase_ = Phase::kLinger;
  in_ = {};
  read_deadline_ = loop_->Now() + shared_->limits.linger_timeout;
}

void Connection::Stall() {
  phase_ = Phase::kStalled;
  read_deadline_ = loop_->Now() + std::chrono::seconds(1);
  Call(outbox_.PeerEnded());
}

void Connection::Close(Ending ending) {
  if (phase_ == Phase::kClosed) return;
  const auto self = shared_from_this();  // the loop's reference may be the last
  phase_ = Phase::kClosed;
  if (ending == Ending::kReset) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  socket_.Close();
  slot_.reset();
  loop_->Remove(this);
  sending_ = {};
  sending_at_ = 0;
  in_ = {};
  for (const auto& callback : outbox_.Close()) Call(callback);
}

}  // namespace kinformer::apiserver
