// HTTP server throughput: one large response of many pieces, and many streams that all receive the same messages. A
// standalone program instead of a Google Benchmark, because it measures both ends and the threads between.
//
//   kinformer_http_server_bench [streams] [messages]

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "src/http/certificates.h"
#include "src/http/http_server.h"

namespace {

using namespace kinformer::apiserver;
using Clock = std::chrono::steady_clock;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

int Connect(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) Die("connect");
  return fd;
}

constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: bench\r\n\r\n";

// CPU time of the server's threads only: the client runs in this process too.
double ServerCpuSeconds() {
  double ticks = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string line;
    std::getline(std::ifstream(task.path() / "stat"), line);
    if (line.find("(kinformer-http)") == std::string::npos) continue;
    unsigned long user = 0;
    unsigned long system = 0;
    std::sscanf(line.c_str() + line.rfind(')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                &system);
    ticks += static_cast<double>(user + system);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void LargeAnswer() {
  constexpr std::size_t kPiece = 1430;
  constexpr std::size_t kPieces = 100'000;
  const auto text = std::make_shared<const std::string>(kPiece, 'x');
  const std::vector<Buffer> body(kPieces, Buffer(text));
  HttpServer server({}, [&](const std::shared_ptr<HttpExchange>& exchange) { exchange->Respond(200, {}, body); });
  const std::uint16_t port = server.Start().value();
  const int fd = Connect(port);
  std::vector<char> block(1U << 20U);
  for (int round = 0; round < 5; ++round) {
    const double cpu = ServerCpuSeconds();
    const auto begin = Clock::now();
    if (::send(fd, kRequest.data(), kRequest.size(), 0) < 0) Die("send");
    std::size_t read = 0;
    while (read < kPiece * kPieces) {
      // MSG_TRUNC: the kernel discards the bytes, so that the client costs as little as possible.
      const ssize_t size = ::recv(fd, block.data(), block.size(), MSG_TRUNC);
      if (size <= 0) Die("recv");
      read += static_cast<std::size_t>(size);
    }
    const double seconds = Seconds(Clock::now() - begin);
    std::printf("answer of %.0f MB in %zu pieces, plain: %.2f GB/s (server's CPU %.3f s)\n",
                static_cast<double>(read) / 1e6, kPieces, static_cast<double>(read) / 1e9 / seconds,
                ServerCpuSeconds() - cpu);
  }
  ::close(fd);
}

// The client end of many streams: counts bytes.
class Readers {
 public:
  Readers(std::uint16_t port, bool tls, std::size_t count) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_read_ahead(context_, 1);
    for (std::size_t i = 0; i < count; ++i) {
      Peer peer{.fd = Connect(port)};
      if (tls) {
        peer.ssl = SSL_new(context_);
        SSL_set_fd(peer.ssl, peer.fd);
        if (SSL_connect(peer.ssl) != 1) Die("SSL_connect");
        SSL_write(peer.ssl, kRequest.data(), static_cast<int>(kRequest.size()));
      } else if (::send(peer.fd, kRequest.data(), kRequest.size(), 0) < 0) {
        Die("send");
      }
      peers_.push_back(peer);
    }
  }
  ~Readers() {
    for (const Peer& peer : peers_) {
      SSL_free(peer.ssl);
      ::close(peer.fd);
    }
    SSL_CTX_free(context_);
  }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  // Reads until every stream has ended.
  std::size_t ReadAll() {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(epoll, EPOLL_CTL_ADD, peers_[i].fd, &event);
    }
    std::vector<char> block(256U << 10U);
    std::vector<epoll_event> events(256);
    std::size_t bytes = 0;
    std::size_t open = peers_.size();
    while (open > 0) {
      const int ready = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 10'000);
      if (ready <= 0) Die("nothing comes");
      for (int i = 0; i < ready; ++i) {
        const Peer& peer = peers_[events[static_cast<std::size_t>(i)].data.u64];
        long size = 0;
        do {
          size = peer.ssl ? SSL_read(peer.ssl, block.data(), static_cast<int>(block.size()))
                          : ::recv(peer.fd, block.data(), block.size(), 0);
          if (size > 0) bytes += static_cast<std::size_t>(size);
        } while (peer.ssl && size > 0 && SSL_has_pending(peer.ssl) == 1);
        if (size > 0) continue;
        ::epoll_ctl(epoll, EPOLL_CTL_DEL, peer.fd, nullptr);
        --open;
      }
    }
    ::close(epoll);
    return bytes;
  }

 private:
  struct Peer {
    int fd = -1;
    SSL* ssl = nullptr;
  };
  SSL_CTX* context_;
  std::vector<Peer> peers_;
};

void Broadcast(bool tls, std::size_t stream_count, std::size_t message_count) {
  const auto certificates = MakeServingCertificates({}).value();
  HttpServerOptions options;
  if (tls) options.tls = TlsOptions{certificates.server.certificate_pem, certificates.server.key_pem, {}};
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpStream>> streams;
  HttpServer server(options, [&](const std::shared_ptr<HttpExchange>& exchange) {
    auto stream = exchange->BeginStream(200, {{"Connection", "close"}});
    const std::lock_guard lock(mutex);
    streams.push_back(std::move(stream));
  });
  const std::uint16_t port = server.Start().value();
  const auto connecting = Clock::now();
  Readers readers(port, tls, stream_count);
  for (;;) {
    const std::lock_guard lock(mutex);
    if (streams.size() == stream_count) break;
  }
  std::printf("%zu %s streams opened in %.2f s\n", stream_count, tls ? "TLS" : "plain",
              Seconds(Clock::now() - connecting));

  const double cpu = ServerCpuSeconds();
  const auto begin = Clock::now();
  std::thread reader([&] { readers.ReadAll(); });
  const auto message = std::make_shared<const std::string>(1024, 'm');
  for (std::size_t i = 0; i < message_count; ++i) {
    for (const auto& stream : streams) stream->Write(Buffer(message));
  }
  const double queued = Seconds(Clock::now() - begin);
  for (const auto& stream : streams) stream->End();
  reader.join();
  const double seconds = Seconds(Clock::now() - begin);
  const double used = ServerCpuSeconds() - cpu;
  const double deliveries = static_cast<double>(stream_count * message_count);
  std::printf(
      "%zu messages of 1 KB to each: %.0f deliveries/s (all queued after %.2f s, out after %.2f s; server's CPU "
      "%.2f s, so %.0f deliveries per CPU second)\n",
      message_count, deliveries / seconds, queued, seconds, used, deliveries / used);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t streams = argc > 1 ? std::stoul(argv[1]) : 1000;
  const std::size_t messages = argc > 2 ? std::stoul(argv[2]) : 2000;
  LargeAnswer();
  Broadcast(false, streams, messages);
  Broadcast(true, streams, messages);
}
