#ifndef KINFORMER_SRC_HTTP_LISTENER_H_
#define KINFORMER_SRC_HTTP_LISTENER_H_

// In:     an address
// Out:    connected sockets, as they are accepted
// Thread: its loop's
// Next:   HttpServer, which creates Connections for them

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>

#include "src/http/event_loop.h"

namespace kinformer::apiserver {

struct BoundSocket {
  int fd = -1;
  std::uint16_t port = 0;
};

/// A non-blocking socket bound to the address; connections are refused until Listen. `address` is IPv4 or IPv6, not a
/// name. Port 0: any free port.
Result<BoundSocket> Bind(const std::string& address, std::uint16_t port);
/// Starts accepting connections.
Result<void> Listen(const BoundSocket& socket);

class Listener final : public LoopClient {
 public:
  /// Takes ownership of `fd`. `peer` is "127.0.0.1:51234".
  using OnAccepted = std::function<void(int fd, std::string peer)>;
  /// On the loop's thread, after Interrupt has closed the socket.
  using OnClosed = std::function<void()>;

  /// Takes ownership of `listening`. Accepts once it is added to the loop.
  Listener(std::shared_ptr<EventLoop> loop, int listening, Logger logger, OnAccepted on_accepted, OnClosed on_closed);

  void OnReadable() override { Accept(); }
  void OnWritable() override {}
  void OnScheduled() override { Accept(); }
  void OnTick(TimePoint now) override;
  void OnStop() override;
  void OnInterrupt() override;

 private:
  void Accept();

  const std::shared_ptr<EventLoop> loop_;
  LoopSocket socket_;
  const Logger logger_;
  OnAccepted on_accepted_;
  OnClosed on_closed_;
  bool awaits_ = false;
  TimePoint retry_ = TimePoint::max();
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_LISTENER_H_
