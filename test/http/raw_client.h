#ifndef KINFORMER_TEST_HTTP_RAW_CLIENT_H_
#define KINFORMER_TEST_HTTP_RAW_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "test/support/fd.h"

namespace kinformer::apiserver {

/// A TCP connection to 127.0.0.1 that gives the test the raw bytes.
class RawClient {
 public:
  enum class End { kOpen, kFin, kReset };

  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }
  End end() const { return end_; }
  void Close() { fd_.Reset(); }
  void ShutdownWrites() const { ::shutdown(fd_.get(), SHUT_WR); }

  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// The result of one read; empty at the end (see end()) or on timeout (still kOpen).
  std::string ReadSome(std::chrono::milliseconds timeout = std::chrono::seconds(20), std::size_t limit = 65536) {
    if (!kept_.empty()) return std::exchange(kept_, {});
    pollfd poll{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, static_cast<int>(timeout.count())) <= 0) return {};
    std::string bytes(limit, '\0');
    const ssize_t size = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (size <= 0) end_ = size == 0 ? End::kFin : End::kReset;
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }

  /// Reads up to and including `mark`; the rest is kept for the next read. Everything received if the mark never comes.
  std::string ReadUntil(std::string_view mark) {
    std::string all;
    for (;;) {
      const auto at = all.find(mark);
      if (at != std::string::npos) {
        kept_ = all.substr(at + mark.size());
        all.resize(at + mark.size());
        return all;
      }
      const std::string some = ReadSome();
      if (some.empty()) return all;
      all += some;
    }
  }

  std::string ReadBytes(std::size_t count) {
    std::string all;
    while (all.size() < count) {
      const std::string some = ReadSome();
      if (some.empty()) return all;
      all += some;
    }
    kept_ = all.substr(count);
    all.resize(count);
    return all;
  }

  std::string ReadAll() {
    std::string all;
    for (;;) {
      const std::string some = ReadSome();
      if (some.empty()) return all;
      all += some;
    }
  }

  /// Reads a head and as much body as its Content-Length says.
  std::string ReadResponse() {
    std::string head = ReadUntil("\r\n\r\n");
    const auto at = head.find("Content-Length: ");
    if (at == std::string::npos) return head;
    return head + ReadBytes(std::stoul(head.substr(at + 16)));
  }

 private:
  testing_support::Fd fd_;
  bool connected_ = false;
  End end_ = End::kOpen;
  std::string kept_;
};

inline std::string Get(std::string_view target, std::string_view more_headers = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more_headers) + "\r\n";
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_HTTP_RAW_CLIENT_H_
