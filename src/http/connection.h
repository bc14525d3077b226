#ifndef KINFORMER_SRC_HTTP_CONNECTION_H_
#define KINFORMER_SRC_HTTP_CONNECTION_H_

// In:     the bytes of one peer
// Out:    exchanges for the handler, one at a time; queued responses to the peer
// Thread: its loop's; the outbox is used from any thread
// Next:   HttpExchange (exchange.h), the handler

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/http/channel.h"
#include "src/http/event_loop.h"
#include "src/http/http_server.h"
#include "src/http/outbox.h"
#include "src/http/request_reader.h"
#include "src/http/websocket.h"

namespace kinformer::apiserver {

/// Shared by all connections of a server. Immutable except for the count.
struct ServerShared {
  HttpLimits limits{};
  HttpHandler handler{};
  decltype(HttpServerOptions::refusal) refusal{};
  Logger logger{};
  std::atomic<std::size_t> connections = 0;
};

/// Counts one open connection of the server.
class ConnectionSlot {
 public:
  explicit ConnectionSlot(std::shared_ptr<ServerShared> shared) : shared_(std::move(shared)) { ++shared_->connections; }
  ~ConnectionSlot() { --shared_->connections; }
  ConnectionSlot(const ConnectionSlot&) = delete;
  ConnectionSlot& operator=(const ConnectionSlot&) = delete;

 private:
  const std::shared_ptr<ServerShared> shared_;
};

/// One peer, from handshake to close. Kept alive by its loop while open, and by its exchanges.
class Connection final : public LoopClient {
 public:
  Connection(std::shared_ptr<ServerShared> shared, std::shared_ptr<EventLoop> loop, int fd,
             std::unique_ptr<Channel> channel, HttpPeer peer);
  ~Connection() override;

  /// Any thread.
  Outbox& outbox() { return outbox_; }
  /// Any thread. Schedules the connection on its loop if `pushed` requires it; at its next tick if that fails (out of
  /// memory). False if nothing was queued.
  bool Notify(Outbox::Pushed pushed) noexcept;

  void OnReadable() override;
  void OnWritable() override;
  void OnScheduled() override;
  void OnTick(TimePoint now) override;
  void OnStop() override { Close(Ending::kPlain); }
  void OnInterrupt() override { Close(Ending::kReset); }

 private:
  enum class Phase {
    kNew,
    kHandshake,
    kRequest,           // reading a request
    kAnswer,            // an exchange is open; further input is buffered, up to kReadAhead
    kWebSocket,         // frames in both directions
    kWebSocketClosing,  // our Close frame has been sent
    kLinger,            // our side is shut; input is dropped, so that the peer can still read our last bytes
    kStalled,
    kClosed,
  };
  enum class Ending { kPlain, kReset };

  void Handshake();
  void ReadOn();
  bool WantsToRead() const;
  void Consume(std::string_view bytes);
  void PeerEnded();
  void Parse();
  void Dispatch();
  void Refuse(int status, std::string_view message);
  void FeedWebSocket(std::string_view bytes);
  void OnControlFrame(WebSocketOpcode opcode, std::string_view payload);

  void Flush();
  void FlushPending();
  void GatherPieces();
  void Advance(std::size_t bytes);
  void AwaitWritable();
  void Drained(const Outbox::Taken& taken);
  void NextRequest();
  void Linger();
  void Stall();
  void Close(Ending ending);

  const std::shared_ptr<ServerShared> shared_;
  const std::shared_ptr<EventLoop> loop_;  // before socket_, which must be destroyed first
  LoopSocket socket_;
  const std::unique_ptr<Channel> channel_;
  std::unique_ptr<ConnectionSlot> slot_;
  HttpPeer peer_;
  Outbox outbox_;
  std::atomic<bool> missed_wake_ = false;  // the loop could not be notified of what was queued

  // Below: loop thread only.
  Phase phase_ = Phase::kNew;
  TimePoint read_deadline_ = TimePoint::max();
  TimePoint write_deadline_ = TimePoint::max();
  bool awaits_readable_ = false;
  bool awaits_writable_ = false;
  bool peer_ended_ = false;

  RequestReader reader_;
  bool request_begun_ = false;
  bool request_has_head_ = false;
  ExchangeId exchange_ = 0;
  std::string in_;  // received but not yet parsed
  WebSocketReader frames_;

  std::vector<Piece> sending_;
  std::size_t sending_at_ = 0;      // index of the current piece
  std::size_t sending_offset_ = 0;  // bytes of it already sent
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_CONNECTION_H_
