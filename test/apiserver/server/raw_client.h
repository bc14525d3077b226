#ifndef KINFORMER_TEST_APISERVER_SERVER_RAW_CLIENT_H_
#define KINFORMER_TEST_APISERVER_SERVER_RAW_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kinformer {

/// A blocking TCP connection to a server on loopback, plain or with TLS (without certificate verification).
class RawClient {
 public:
  /// `url`: as returned by ApiServer::Url. `context`: null for plain TCP.
  explicit RawClient(const std::string& url, SSL_CTX* context = nullptr) {
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(fd_);
      throw std::runtime_error("cannot connect");
    }
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (context == nullptr) return;
    ssl_ = SSL_new(context);
    SSL_set_fd(ssl_, fd_);
    if (SSL_connect(ssl_) != 1) throw std::runtime_error("no TLS");
  }
  ~RawClient() {
    if (ssl_ != nullptr) SSL_free(ssl_);
    ::close(fd_);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  int fd() const { return fd_; }
  SSL* ssl() const { return ssl_; }

  void Send(std::string_view text) {
    while (!text.empty()) {
      const auto sent = ssl_ != nullptr ? SSL_write(ssl_, text.data(), static_cast<int>(text.size()))
                                        : static_cast<int>(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL));
      if (sent <= 0) throw std::runtime_error("cannot send");
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// The result of one read; empty at the end.
  std::string Receive() {
    std::string bytes(std::size_t{64} * 1024, '\0');
    const auto got = ssl_ != nullptr ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                     : static_cast<int>(::recv(fd_, bytes.data(), bytes.size(), 0));
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  std::string ReceiveAll() {
    std::string all;
    for (std::string more = Receive(); !more.empty(); more = Receive()) all += more;
    return all;
  }

 private:
  int fd_ = -1;
  SSL* ssl_ = nullptr;
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_APISERVER_SERVER_RAW_CLIENT_H_
