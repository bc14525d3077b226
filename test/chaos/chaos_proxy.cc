#include "test/chaos/chaos_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "test/support/fd.h"

namespace kinformer::chaos {
namespace {

using testing_support::Fd;
using testing_support::ListenOnLoopback;
using testing_support::LocalPort;
using testing_support::WakeFd;

constexpr std::size_t kMaxHeld = 1U << 20U;
constexpr std::size_t kReadSize = 64U * 1024;

/// One direction: from a socket through a HarmedFlow into another socket.
struct Direction {
  HarmedFlow flow;
  bool source_ended = false;
  bool sink_ended = false;

  bool WantsBytes() const { return !source_ended && flow.held() < kMaxHeld; }
};

struct Link {
  Fd client;
  Fd server;
  Direction up;
  Direction down;
  bool connected = false;
  bool close = false;
  bool reset = false;

  bool Over() const { return close || reset || (up.sink_ended && down.sink_ended); }
};

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

Fd Connect(int port) {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS) {
    return Fd();
  }
  return fd;
}

// A bound socket that does not listen, to reserve the port while connections are refused.
Fd ReservePort() {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = Loopback(0);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error(errno, std::generic_category(), "bind");
  }
  return fd;
}

void NoDelay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Closing a socket with unread bytes would send RST. Bounded: a sender that never stops gets the RST.
void Drain(int fd) {
  std::array<char, kReadSize> buffer;
  for (int i = 0; i < 64 && recv(fd, buffer.data(), buffer.size(), 0) > 0; ++i) {
  }
}

}  // namespace

class ChaosProxy::Impl {
 public:
  Impl(int target_port, HarmsOfConnection harms_of)
      : target_port_(target_port),
        harms_of_(std::move(harms_of)),
        reserved_(ReservePort()),
        port_(LocalPort(reserved_.get())),
        listener_(ListenOnLoopback(port_)) {
    thread_ = std::thread([this] { Run(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.Set();
    thread_.join();
    for (Link& link : links) End(link, true);
  }

  std::uint16_t port() const { return port_; }

  /// Runs `change` between two iterations of the loop. Returns once the loop has acted on it.
  template <typename Change>
  void Apply(Change change) {
    std::unique_lock lock(mutex_);
    change();
    const std::uint64_t mine = ++asked_;
    wake_.Set();
    changed_.wait(lock, [&] { return done_ >= mine; });
  }
  template <typename Read>
  auto Get(Read read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }

  // Guarded by mutex_, which the loop releases only while it polls. Public for the functions of ChaosProxy.
  std::list<Link> links;
  bool calm = false;
  SteadyTime stalled_until{};
  SteadyTime refused_until{};
  std::uint64_t accepted = 0;
  std::uint64_t bytes = 0;
  std::map<HarmKind, std::uint64_t> harms;

 private:
  static void End(Link& link, bool by_reset) {
    for (Fd* fd : {&link.client, &link.server}) {
      if (!*fd) continue;
      if (by_reset) {
        testing_support::ResetOnClose(fd->get());
      } else {
        Drain(fd->get());
      }
      fd->Reset();
    }
  }

  void Run() {
    std::unique_lock lock(mutex_);
    std::vector<pollfd> fds;
    while (!stopping_) {
      const SteadyTime now = std::chrono::steady_clock::now();
      SteadyTime next = SteadyTime::max();
      if (now < refused_until) {
        listener_.Reset();
        next = refused_until;
      } else if (!listener_) {
        listener_ = ListenOnLoopback(port_);
      }
      links.remove_if([](Link& link) {
        if (!link.Over()) return false;
        End(link, link.reset);
        return true;
      });
      done_ = asked_;
      changed_.notify_all();

      const bool stalled = now < stalled_until;
      if (stalled) next = std::min(next, stalled_until);
      fds.clear();
      fds.push_back({wake_.get(), POLLIN, 0});
      fds.push_back({listener_.get(), POLLIN, 0});
      for (const Link& link : links) {
        // Polls no connection while everything is stalled: a hang-up would make poll return immediately, over and over.
        fds.push_back({stalled ? -1 : link.client.get(), Events(link, link.up, link.down, now, next), 0});
        fds.push_back({stalled ? -1 : link.server.get(), Events(link, link.down, link.up, now, next), 0});
      }
      lock.unlock();
      poll(fds.data(), fds.size(), testing_support::PollTimeout(next));
      lock.lock();
      if (fds[0].revents != 0) wake_.Clear();
      std::size_t i = 2;
      // Same order as in fds: new connections are accepted only below.
      for (Link& link : links) {
        if (!stalled) Move(link, fds[i].revents, fds[i + 1].revents);
        i += 2;
      }
      if (fds[1].revents != 0) AcceptOne();
    }
  }

  /// The poll events for the socket that `in` reads from and `out` writes to.
  static short Events(const Link& link, const Direction& in, const Direction& out, SteadyTime now, SteadyTime& next) {
    if (!link.connected && &in == &link.down) return POLLOUT;
    int events = 0;
    if (in.WantsBytes()) events |= POLLIN;
    if (out.flow.Due(now) != nullptr) {
      events |= POLLOUT;
    } else if (const auto due = out.flow.NextDue()) {
      next = std::min(next, *due);
    }
    return static_cast<short>(events);
  }

  void Move(Link& link, short client_events, short server_events) {
    if (link.Over()) return;
    const auto now = std::chrono::steady_clock::now();
    if (!link.connected) {
      if ((server_events & (POLLERR | POLLHUP)) != 0) {
        link.reset = true;
        return;
      }
      link.connected = (server_events & POLLOUT) != 0;
    }
    // A peer has closed both directions or failed: pass on what is in flight, then reset the other side.
    if (((client_events | server_events) & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
      link.reset = true;
      if (!Read(link.up, link.client.get(), now) || !Read(link.down, link.server.get(), now)) return;
      if (Write(link.up, link.server.get(), link, now)) Write(link.down, link.client.get(), link, now);
      return;
    }
    bool good = true;
    if ((client_events & POLLIN) != 0) good = Read(link.up, link.client.get(), now);
    if (good && link.connected && (server_events & POLLIN) != 0) good = Read(link.down, link.server.get(), now);
    if (good && link.connected) {
      good = Write(link.up, link.server.get(), link, now) && Write(link.down, link.client.get(), link, now);
    }
    if (!good) link.reset = true;
  }

  bool Read(Direction& direction, int fd, SteadyTime now) {
    if (!direction.WantsBytes()) return true;
    std::array<char, kReadSize> buffer;
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
    if (got == 0) {
      direction.source_ended = true;
      direction.flow.PushEnd();
    } else {
      direction.flow.Push({buffer.data(), static_cast<std::size_t>(got)}, now);
      for (const Harm& harm : direction.flow.TakeDone()) ++harms[harm.kind];
    }
    return true;
  }

  bool Write(Direction& direction, int fd, Link& link, SteadyTime now) {
    if (direction.sink_ended) return true;
    while (const HarmedFlow::Piece* piece = direction.flow.Due(now)) {
      const ssize_t sent = send(fd, piece->bytes.data(), piece->bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      bytes += static_cast<std::uint64_t>(sent);
      direction.flow.Sent(static_cast<std::size_t>(sent));
    }
    switch (direction.flow.EndNow()) {
      case HarmedFlow::End::kNone:
        break;
      case HarmedFlow::End::kClose:
        link.close = true;
        break;
      case HarmedFlow::End::kReset:
        link.reset = true;
        break;
      case HarmedFlow::End::kHalfClose:
        direction.sink_ended = true;
        // Whatever its source still sends is discarded.
        direction.source_ended = true;
        shutdown(fd, SHUT_WR);
        break;
    }
    return true;
  }

  void AcceptOne() {
    Fd client(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) return;
    Fd server = Connect(target_port_);
    const std::uint64_t number = accepted++;
    if (!server) {
      testing_support::ResetOnClose(client.get());
      return;
    }
    NoDelay(client.get());
    NoDelay(server.get());
    ConnectionHarms planned = calm ? ConnectionHarms{} : harms_of_(number);
    Link& link = links.emplace_back();
    link.client = std::move(client);
    link.server = std::move(server);
    link.up.flow = HarmedFlow(std::move(planned.to_server));
    link.down.flow = HarmedFlow(std::move(planned.to_client));
  }

  const int target_port_;
  const HarmsOfConnection harms_of_;
  const Fd reserved_;
  const std::uint16_t port_;
  Fd listener_;
  WakeFd wake_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t asked_ = 0;
  std::uint64_t done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

ChaosProxy::ChaosProxy(int target_port, HarmsOfConnection harms)
    : impl_(std::make_unique<Impl>(target_port, std::move(harms))) {}
ChaosProxy::~ChaosProxy() = default;

int ChaosProxy::port() const { return impl_->port(); }
void ChaosProxy::CutAll() {
  impl_->Apply([this] {
    for (Link& link : impl_->links) link.close = true;
  });
}
void ChaosProxy::ResetAll() {
  impl_->Apply([this] {
    for (Link& link : impl_->links) link.reset = true;
  });
}
void ChaosProxy::HalfCloseAll() {
  impl_->Apply([this] {
    for (Link& link : impl_->links) link.down.flow.PushEnd();
  });
}
void ChaosProxy::StallAll(std::chrono::milliseconds duration) {
  impl_->Apply([&] { impl_->stalled_until = std::chrono::steady_clock::now() + duration; });
}
void ChaosProxy::Refuse(std::chrono::milliseconds duration) {
  impl_->Apply([&] { impl_->refused_until = std::chrono::steady_clock::now() + duration; });
}
void ChaosProxy::Calm() {
  impl_->Apply([this] {
    impl_->calm = true;
    impl_->stalled_until = impl_->refused_until = {};
    for (Link& link : impl_->links) {
      link.up.flow.Calm();
      link.down.flow.Calm();
    }
  });
}
std::uint64_t ChaosProxy::connections() const {
  return impl_->Get([this] { return impl_->accepted; });
}
std::size_t ChaosProxy::open_connections() const {
  return impl_->Get([this] { return impl_->links.size(); });
}
std::map<HarmKind, std::uint64_t> ChaosProxy::harms() const {
  return impl_->Get([this] { return impl_->harms; });
}
std::uint64_t ChaosProxy::bytes() const {
  return impl_->Get([this] { return impl_->bytes; });
}

}  // namespace kinformer::chaos
