#include "src/http/http_server.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/http/connection.h"
#include "src/http/listener.h"
#include "src/http/tls_context.h"

namespace kinformer::apiserver {

namespace {

// Interval of timeout checks: a quarter of the shortest timeout, within bounds.
std::chrono::milliseconds TickFor(const HttpLimits& limits) {
  const auto shortest = std::min(
      {limits.header_timeout, limits.body_timeout, limits.idle_timeout, limits.write_timeout, limits.linger_timeout});
  return std::clamp(shortest / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(100));
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpServerOptions options, HttpHandler handler)
      : options_(std::move(options)), shared_(std::make_shared<ServerShared>()) {
    shared_->limits = options_.limits;
    shared_->handler = std::move(handler);
    shared_->refusal = std::move(options_.refusal);
    shared_->logger = options_.logger;
  }

  Result<std::uint16_t> Start() {
    if (std::exchange(started_, true)) {
      return Error{.code = ErrorCode::kFailedPrecondition, .message = "an HTTP server can be started once"};
    }
    if (options_.tls) {
      auto context = MakeTlsContext(*options_.tls);
      options_.tls->key_pem.clear();
      if (!context) return context.error();
      tls_ = std::move(*context);
    }
    const auto bound = Bind(options_.bind_address, options_.port);
    if (!bound) return bound.error();
    if (auto listening = Listen(*bound); !listening) {
      ::close(bound->fd);
      return std::move(listening).error();
    }
    port_ = bound->port;

    const auto tick = TickFor(options_.limits);
    const std::size_t count = std::clamp<std::size_t>(options_.io_threads, 1, 64);
    for (std::size_t i = 0; i < count; ++i) loops_.push_back(std::make_shared<EventLoop>(tick));
    AddListener(bound->fd);
    try {
      for (const auto& loop : loops_) {
        threads_.emplace_back([loop] {
          pthread_setname_np(pthread_self(), "kinformer-http");
          loop->Run();
        });
      }
    } catch (const std::system_error& error) {
      // Stop the loops that have no thread, to close their sockets.
      for (std::size_t i = threads_.size(); i < loops_.size(); ++i) {
        loops_[i]->RequestStop();
        loops_[i]->Run();
      }
      Stop();
      return Error{.code = ErrorCode::kInternal, .message = std::string("cannot start a thread: ") + error.what()};
    }
    return bound->port;
  }

  void Stop() {
    {
      const MutexLock lock(mutex_);
      stopped_ = true;
    }
    for (const auto& loop : loops_) loop->RequestStop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    loops_.clear();
    const MutexLock lock(mutex_);
    if (held_) ::close(std::exchange(held_, std::nullopt)->fd);
  }

  void SetRefusing(bool refusing) {
    const MutexLock lock(mutex_);
    if (stopped_ || refusing == std::exchange(refusing_, refusing)) return;
    // The listener first, so that no connection is accepted after the others were reset.
    if (refusing) {
      loops_.front()->Interrupt();
    } else {
      ListenAgain();
    }
  }

  std::size_t ConnectionCount() const { return shared_->connections; }

 private:
  void AddListener(int fd) {
    loops_.front()->Add(std::make_shared<Listener>(
        loops_.front(), fd, options_.logger,
        [this](int accepted, std::string peer) { Accepted(accepted, std::move(peer)); }, [this] { ListenerClosed(); }));
  }

  // On the first loop.
  void ListenerClosed() {
    for (const auto& loop : loops_) loop->Interrupt();
    const MutexLock lock(mutex_);
    if (stopped_) return;
    auto bound = Bind(options_.bind_address, port_);
    if (!bound) {
      shared_->logger.Error("apiserver", "cannot listen on the port again", {{"error", bound.error().message}});
      return;
    }
    held_ = *bound;
    if (!refusing_) ListenAgain();
  }

  void ListenAgain() KINFORMER_REQUIRES(mutex_) {
    if (!held_) return;  // the listener is still closing; ListenerClosed checks again
    const BoundSocket socket = *std::exchange(held_, std::nullopt);
    if (auto listening = Listen(socket); !listening) {
      shared_->logger.Error("apiserver", "cannot listen on the port again", {{"error", listening.error().message}});
      ::close(socket.fd);
      return;
    }
    AddListener(socket.fd);
  }

  // On the first loop.
  void Accepted(int fd, std::string peer) {
    if (shared_->connections >= options_.limits.max_connections) {
      shared_->logger.Warning("apiserver", "too many connections; one was closed", {{"peer", peer}});
      ::close(fd);
      return;
    }
    auto channel = tls_ ? MakeTlsChannel(fd, tls_.get()) : MakePlainChannel(fd);
    if (!channel) {
      ::close(fd);
      return;
    }
    const auto& loop = loops_[next_loop_++ % loops_.size()];
    HttpPeer described;
    described.address = std::move(peer);
    loop->Add(std::make_shared<Connection>(shared_, loop, fd, std::move(channel), std::move(described)));
  }

  HttpServerOptions options_;
  const std::shared_ptr<ServerShared> shared_;
  SslContextPtr tls_;
  bool started_ = false;
  std::vector<std::shared_ptr<EventLoop>> loops_;
  std::vector<std::thread> threads_;
  std::size_t next_loop_ = 0;
  std::uint16_t port_ = 0;

  Mutex mutex_;
  bool stopped_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool refusing_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// While connections are refused: the bound socket that will listen again.
  std::optional<BoundSocket> held_ KINFORMER_GUARDED_BY(mutex_);
};

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() { Stop(); }

Result<std::uint16_t> HttpServer::Start() { return impl_->Start(); }
void HttpServer::Stop() { impl_->Stop(); }
void HttpServer::SetRefusing(bool refusing) { impl_->SetRefusing(refusing); }
std::size_t HttpServer::ConnectionCount() const { return impl_->ConnectionCount(); }

}  // namespace kinformer::apiserver
