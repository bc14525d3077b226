#include "test/support/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "test/support/fd.h"

namespace kinformer::testing_support {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kMaxHeld = 1U << 20U;

// One direction of a connection: bytes in flight from one socket to the other.
struct Pipe {
  struct Piece {
    SteadyTime due;
    std::string bytes;
  };
  std::deque<Piece> pieces;
  std::size_t held = 0;
  bool source_ended = false;
  bool sink_ended = false;
  std::uint64_t passed = 0;

  bool WantsBytes() const { return !source_ended && held < kMaxHeld; }
  bool Finished() const { return source_ended && pieces.empty(); }

  // False if the source failed.
  bool ReadFrom(int fd, std::chrono::milliseconds delay) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) {
      source_ended = true;
      return true;
    }
    held += static_cast<std::size_t>(got);
    pieces.push_back({std::chrono::steady_clock::now() + delay, {buffer.data(), static_cast<std::size_t>(got)}});
    return true;
  }

  // False if the sink failed.
  bool WriteTo(int fd, SteadyTime now) {
    while (!pieces.empty() && pieces.front().due <= now && !sink_ended) {
      Piece& piece = pieces.front();
      const ssize_t sent = send(fd, piece.bytes.data(), piece.bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      const auto n = static_cast<std::size_t>(sent);
      passed += n;
      held -= n;
      piece.bytes.erase(0, n);
      if (!piece.bytes.empty()) return true;
      pieces.pop_front();
    }
    if (sink_ended) {
      pieces.clear();
      held = 0;
    }
    return true;
  }
};

enum class Fate { kRun, kCut, kReset };

struct Link {
  Fd client;
  Fd server;
  Pipe up;    // client to server
  Pipe down;  // server to client
  bool connected = false;
  bool stalled = false;
  // Seen while stalled; acted on after Resume.
  bool client_gone = false;
  bool server_gone = false;
  Fate fate = Fate::kRun;

  // At least one side can neither send nor receive any more.
  bool Over() const {
    return fate != Fate::kRun || (up.Finished() && (down.Finished() || down.sink_ended)) ||
           (down.Finished() && up.sink_ended);
  }
};

Fd Connect(int port) {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS) {
    return Fd();
  }
  return fd;
}

void NoDelay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Closing a socket with unread bytes would send RST.
void Drain(int fd) {
  std::array<char, 64 * 1024> buffer;
  while (recv(fd, buffer.data(), buffer.size(), 0) > 0) {
  }
}

// A bound socket that does not listen, to reserve the port while connections are refused.
Fd ReservePort() {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error(errno, std::generic_category(), "bind");
  }
  return fd;
}

}  // namespace

class FaultProxy::Impl {
 public:
  explicit Impl(int first_target)
      : target_port(first_target), reserved_(ReservePort()), port_(LocalPort(reserved_.get())) {
    listener_ = ListenOnLoopback(port_);
    thread_ = std::thread([this] { Run(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.Set();
    thread_.join();
    for (Link& link : links) ResetBoth(link);
  }

  int port() const { return port_; }

  // Runs `change` between two iterations of the loop. Returns once the loop has acted on it.
  template <typename Change>
  void Apply(Change change) {
    std::unique_lock lock(mutex_);
    change();
    const std::uint64_t mine = ++asked_;
    wake_.Set();
    changed_.wait(lock, [&] { return done_ >= mine; });
  }
  template <typename Change>
  void ApplyToLinks(Change change) {
    Apply([&] {
      for (Link& link : links) change(link);
    });
  }
  template <typename Read>
  auto Get(Read read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }
  template <typename Predicate>
  bool Await(std::chrono::milliseconds timeout, Predicate predicate) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, predicate);
  }

  // Guarded by mutex_, which the loop releases only while it polls. Public for the functions of FaultProxy.
  std::list<Link> links;
  bool stall_new = false;
  bool refuse = false;
  int target_port;
  std::chrono::milliseconds delay{0};
  std::size_t accepted = 0;
  std::uint64_t to_server = 0;
  std::uint64_t to_clients = 0;

  std::size_t Open() const {
    return static_cast<std::size_t>(
        std::count_if(links.begin(), links.end(), [](const Link& link) { return !link.client_gone; }));
  }

 private:
  static void ResetBoth(Link& link) {
    for (const Fd* fd : {&link.client, &link.server}) {
      if (*fd) ResetOnClose(fd->get());
    }
    link.client.Reset();
    link.server.Reset();
  }

  void Run() {
    std::unique_lock lock(mutex_);
    std::vector<pollfd> fds;
    while (!stopping_) {
      if (refuse) {
        listener_.Reset();
      } else if (!listener_) {
        listener_ = ListenOnLoopback(port_);
      }
      Sweep();
      done_ = asked_;
      changed_.notify_all();

      fds.clear();
      fds.push_back({wake_.get(), POLLIN, 0});
      fds.push_back({listener_.get(), POLLIN, 0});
      SteadyTime next = SteadyTime::max();
      const SteadyTime now = std::chrono::steady_clock::now();
      for (const Link& link : links) {
        fds.push_back({link.client_gone ? -1 : link.client.get(), Events(link, link.up, link.down, now, next), 0});
        fds.push_back({link.server_gone ? -1 : link.server.get(), Events(link, link.down, link.up, now, next), 0});
      }
      lock.unlock();
      poll(fds.data(), fds.size(), PollTimeout(next));
      lock.lock();
      if (fds[0].revents != 0) wake_.Clear();
      std::size_t i = 2;
      for (Link& link : links) {
        Move(link, fds[i].revents, fds[i + 1].revents);
        i += 2;
      }
      if (fds[1].revents != 0 && !refuse) AcceptOne();
    }
  }

  // The poll events for the socket that `in` reads from and `out` writes to.
  static short Events(const Link& link, const Pipe& in, const Pipe& out, SteadyTime now, SteadyTime& next) {
    if (link.stalled) return POLLRDHUP;
    int events = 0;
    if (!link.connected && &in == &link.down) return POLLOUT;
    if (in.WantsBytes()) events |= POLLIN;
    if (!out.pieces.empty()) {
      if (out.pieces.front().due <= now) {
        events |= POLLOUT;
      } else {
        next = std::min(next, out.pieces.front().due);
      }
    }
    return static_cast<short>(events);
  }

  void Move(Link& link, short client_events, short server_events) {
    if (link.fate != Fate::kRun) return;
    constexpr short kBroken = POLLERR | POLLHUP | POLLNVAL;
    if (link.stalled) {
      if ((client_events & (kBroken | POLLRDHUP)) != 0) link.client_gone = true;
      if ((server_events & (kBroken | POLLRDHUP)) != 0) link.server_gone = true;
      return;
    }
    if (!link.connected) {
      if ((server_events & (POLLERR | POLLHUP)) != 0) {
        link.fate = Fate::kReset;
        return;
      }
      link.connected = (server_events & POLLOUT) != 0;
    }
    constexpr short kRead = POLLIN | kBroken;
    bool good = true;
    if ((client_events & kRead) != 0 && link.up.WantsBytes()) good = link.up.ReadFrom(link.client.get(), delay);
    if (link.connected) {
      if (good && (server_events & kRead) != 0 && link.down.WantsBytes()) {
        good = link.down.ReadFrom(link.server.get(), delay);
      }
      good =
          good && Forward(link.up, link.server.get(), to_server) && Forward(link.down, link.client.get(), to_clients);
    }
    // An error on one side resets both.
    if (!good || ((client_events | server_events) & POLLERR) != 0) link.fate = Fate::kReset;
  }

  static bool Forward(Pipe& pipe, int to, std::uint64_t& total) {
    const std::uint64_t before = pipe.passed;
    const bool good = pipe.WriteTo(to, std::chrono::steady_clock::now());
    total += pipe.passed - before;
    if (pipe.Finished() && !pipe.sink_ended) {
      pipe.sink_ended = true;
      shutdown(to, SHUT_WR);
    }
    return good;
  }

  void Sweep() {
    links.remove_if([](Link& link) {
      // After Resume, the next read reports what happened while stalled, as an end or an error.
      if (!link.stalled) link.client_gone = link.server_gone = false;
      if (!link.Over()) return false;
      if (link.fate == Fate::kReset) {
        ResetBoth(link);
      } else {
        Drain(link.client.get());
        Drain(link.server.get());
      }
      return true;
    });
  }

  void AcceptOne() {
    Fd client(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) return;
    ++accepted;
    Fd server = Connect(target_port);
    if (!server) {
      ResetOnClose(client.get());
      return;
    }
    NoDelay(client.get());
    NoDelay(server.get());
    Link& link = links.emplace_back();
    link.client = std::move(client);
    link.server = std::move(server);
    link.stalled = stall_new;
  }

  const Fd reserved_;
  const std::uint16_t port_;
  Fd listener_;
  WakeFd wake_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t asked_ = 0;
  std::uint64_t done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

FaultProxy::FaultProxy(int target_port) : impl_(std::make_unique<Impl>(target_port)) {}
FaultProxy::~FaultProxy() = default;

int FaultProxy::port() const { return impl_->port(); }
void FaultProxy::StallExisting() {
  impl_->ApplyToLinks([](Link& link) { link.stalled = true; });
}
void FaultProxy::StallAll() {
  impl_->Apply([this] {
    impl_->stall_new = true;
    for (Link& link : impl_->links) link.stalled = true;
  });
}
void FaultProxy::Resume() {
  impl_->Apply([this] {
    impl_->stall_new = false;
    for (Link& link : impl_->links) link.stalled = false;
  });
}
void FaultProxy::CutExisting() {
  impl_->ApplyToLinks([](Link& link) { link.fate = Fate::kCut; });
}
void FaultProxy::ResetExisting() {
  impl_->ApplyToLinks([](Link& link) { link.fate = Fate::kReset; });
}
void FaultProxy::HalfCloseToClients() {
  impl_->ApplyToLinks([](Link& link) {
    link.down.sink_ended = true;
    shutdown(link.client.get(), SHUT_WR);
  });
}
void FaultProxy::HalfCloseToServer() {
  impl_->ApplyToLinks([](Link& link) {
    link.up.sink_ended = true;
    shutdown(link.server.get(), SHUT_WR);
  });
}
void FaultProxy::RefuseNew(bool refuse) {
  impl_->Apply([&] { impl_->refuse = refuse; });
}
void FaultProxy::Retarget(int target_port) {
  impl_->Apply([&] { impl_->target_port = target_port; });
}
void FaultProxy::SetDelay(std::chrono::milliseconds delay) {
  impl_->Apply([&] { impl_->delay = delay; });
}
std::size_t FaultProxy::connections() const {
  return impl_->Get([this] { return impl_->accepted; });
}
std::size_t FaultProxy::open_connections() const {
  return impl_->Get([this] { return impl_->Open(); });
}
std::uint64_t FaultProxy::bytes_to_server() const {
  return impl_->Get([this] { return impl_->to_server; });
}
std::uint64_t FaultProxy::bytes_to_clients() const {
  return impl_->Get([this] { return impl_->to_clients; });
}
bool FaultProxy::AwaitConnections(std::size_t at_least, std::chrono::milliseconds timeout) const {
  return impl_->Await(timeout, [&] { return impl_->accepted >= at_least; });
}
bool FaultProxy::AwaitOpenConnections(std::size_t exactly, std::chrono::milliseconds timeout) const {
  return impl_->Await(timeout, [&] { return impl_->Open() == exactly; });
}
bool FaultProxy::AwaitBytesToServer(std::uint64_t at_least, std::chrono::milliseconds timeout) const {
  return impl_->Await(timeout, [&] { return impl_->to_server >= at_least; });
}
bool FaultProxy::AwaitBytesToClients(std::uint64_t at_least, std::chrono::milliseconds timeout) const {
  return impl_->Await(timeout, [&] { return impl_->to_clients >= at_least; });
}

}  // namespace kinformer::testing_support
