#include "src/http/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace kinformer::apiserver {

namespace {

constexpr int kBacklog = 4096;
// Per turn, so that the loop's connections get theirs.
constexpr int kAcceptTurn = 256;
constexpr auto kRetryAfter = std::chrono::milliseconds(100);

union AnyAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

std::string ErrnoText(int code) { return std::generic_category().message(code); }

std::string PeerText(const AnyAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.any.sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &address.v6.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(address.v6.sin6_port));
  }
  inet_ntop(AF_INET, &address.v4.sin_addr, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(ntohs(address.v4.sin_port));
}

// Keep-alive detects a vanished peer within about two minutes, even on an idle stream.
void SetOptions(int fd) {
  const auto set = [fd](int level, int option, int value) { ::setsockopt(fd, level, option, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);  // Connection already combines writes
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

}  // namespace

Result<BoundSocket> Bind(const std::string& address, std::uint16_t port) {
  AnyAddress bound{};
  socklen_t size = 0;
  if (inet_pton(AF_INET, address.c_str(), &bound.v4.sin_addr) == 1) {
    bound.v4.sin_family = AF_INET;
    bound.v4.sin_port = htons(port);
    size = sizeof bound.v4;
  } else if (inet_pton(AF_INET6, address.c_str(), &bound.v6.sin6_addr) == 1) {
    bound.v6.sin6_family = AF_INET6;
    bound.v6.sin6_port = htons(port);
    size = sizeof bound.v6;
  } else {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "\"" + address + "\" is not an IP address"};
  }
  const auto failed = [&](int fd, int code) {
    if (fd >= 0) ::close(fd);
    return Error{.code = ErrorCode::kFailedPrecondition,
                 .message = "cannot listen on " + address + " port " + std::to_string(port) + ": " + ErrnoText(code)};
  };
  const int fd = ::socket(bound.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed(fd, errno);
  const int on = 1;
  if (::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 || ::bind(fd, &bound.any, size) != 0 ||
      ::getsockname(fd, &bound.any, &size) != 0) {
    return failed(fd, errno);
  }
  return BoundSocket{fd, ntohs(bound.any.sa_family == AF_INET6 ? bound.v6.sin6_port : bound.v4.sin_port)};
}

Result<void> Listen(const BoundSocket& socket) {
  if (::listen(socket.fd, kBacklog) == 0) return {};
  return Error{.code = ErrorCode::kFailedPrecondition,
               .message = "cannot listen on port " + std::to_string(socket.port) + ": " + ErrnoText(errno)};
}

Listener::Listener(std::shared_ptr<EventLoop> loop, int listening, Logger logger, OnAccepted on_accepted,
                   OnClosed on_closed)
    : loop_(std::move(loop)),
      socket_(*loop_, listening),
      logger_(std::move(logger)),
      on_accepted_(std::move(on_accepted)),
      on_closed_(std::move(on_closed)) {}

void Listener::OnTick(TimePoint now) {
  if (now < retry_) return;
  retry_ = TimePoint::max();
  Accept();
}

void Listener::OnStop() {
  socket_.Close();
  on_accepted_ = nullptr;
  on_closed_ = nullptr;
}

void Listener::OnInterrupt() {
  const auto self = shared_from_this();  // the loop's reference may be the last
  const OnClosed closed = std::move(on_closed_);
  OnStop();
  loop_->Remove(this);
  if (closed) closed();
}

void Listener::Accept() {
  if (!on_accepted_) return;
  awaits_ = false;
  for (int i = 0; i < kAcceptTurn; ++i) {
    AnyAddress peer{};
    socklen_t size = sizeof peer;
    const int fd = ::accept4(socket_.fd(), &peer.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      SetOptions(fd);
      on_accepted_(fd, PeerText(peer));
      continue;
    }
    switch (errno) {
      case EAGAIN:
        break;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        // The connection stays in the backlog, so the socket stays readable; waiting for that would spin.
        logger_.Warning("apiserver", "cannot accept a connection", {{"error", ErrnoText(errno)}});
        retry_ = loop_->Now() + kRetryAfter;
        return;
      default:
        continue;  // the peer has disconnected already
    }
    break;
  }
  if (!std::exchange(awaits_, true)) socket_.AwaitReadable(shared_from_this());
}

}  // namespace kinformer::apiserver
