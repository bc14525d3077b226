#ifndef KINFORMER_SRC_APISERVER_HTTP_CONNECTION_H_
#define KINFORMER_SRC_APISERVER_HTTP_CONNECTION_H_

// In:     the bytes of one peer
// Out:    exchanges to the handler, one at a time; what their answers put into the outbox, to the peer
// Thread: its loop's; the outbox alone is for all
// Next:   HttpExchange (exchange.h), the handler

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/apiserver/http/channel.h"
#include "src/apiserver/http/event_loop.h"
#include "src/apiserver/http/http_server.h"
#include "src/apiserver/http/outbox.h"
#include "src/apiserver/http/request_reader.h"
#include "src/apiserver/http/websocket.h"

namespace kinformer::apiserver {

/// What all connections of a server have in common. Const but for the count.
struct ServerShared {
  HttpLimits limits{};
  HttpHandler handler{};
  decltype(HttpServerOptions::refusal) refusal{};
  Logger logger{};
  std::atomic<std::size_t> connections = 0;
};

/// A place among the connections that a server has open.
class ConnectionSlot {
 public:
  explicit ConnectionSlot(std::shared_ptr<ServerShared> shared) : shared_(std::move(shared)) { ++shared_->connections; }
  ~ConnectionSlot() { --shared_->connections; }
  ConnectionSlot(const ConnectionSlot&) = delete;
  ConnectionSlot& operator=(const ConnectionSlot&) = delete;

 private:
  const std::shared_ptr<ServerShared> shared_;
};

/// One peer, from its handshake to the end. Kept alive by its loop while it is open, and by exchanges.
class Connection final : public LoopClient {
 public:
  Connection(std::shared_ptr<ServerShared> shared, std::shared_ptr<EventLoop> loop, int fd,
             std::unique_ptr<Channel> channel, HttpPeer peer);
  ~Connection() override;

  /// Any thread. Where the outbox says so, the loop is told.
  Outbox& outbox() { return outbox_; }
  bool Told(Outbox::Pushed pushed);

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
    kRequest,           // reading one
    kAnswer,            // an exchange is open; what the peer sends meanwhile is kept, up to a bound
    kWebSocket,         // frames both ways
    kWebSocketClosing,  // our Close frame is out
    kLinger,            // our side is shut; what the peer still sends is dropped, so that it reads our last bytes
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
  const std::shared_ptr<EventLoop> loop_;  // before the socket, which must go first
  LoopSocket socket_;
  const std::unique_ptr<Channel> channel_;
  std::unique_ptr<ConnectionSlot> slot_;
  HttpPeer peer_;
  Outbox outbox_;

  // All below: the loop's thread.
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
  std::string in_;  // read and not yet understood
  WebSocketReader frames_;

  std::vector<Piece> sending_;
  std::size_t sending_at_ = 0;      // the piece
  std::size_t sending_offset_ = 0;  // what of it has gone
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_CONNECTION_H_
