#include "bench/kinformer_load/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kinformer::bench {
namespace {

Error FromErrno(ErrorCode code, const char* what) {
  return {.code = code, .message = std::string(what) + ": " + std::strerror(errno)};
}

Error TlsError(const SSL* ssl, const char* what) {
  std::string text = what;
  if (const long verified = SSL_get_verify_result(ssl); verified != X509_V_OK) {
    text.append(": ").append(X509_verify_cert_error_string(verified));
  } else if (const unsigned long code = ERR_peek_error(); code != 0) {
    const char* reason = ERR_reason_error_string(code);
    text.append(": ").append(reason != nullptr ? reason : "an error of OpenSSL's");
  }
  ERR_clear_error();
  return {.code = ErrorCode::kTls, .message = std::move(text)};
}

bool IsAddress(const std::string& name) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, name.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::Open(const Target& target) {
  std::unique_ptr<SSL, SslFree> ssl;
  const int fd = ::socket(target.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return FromErrno(ErrorCode::kUnreachable, "socket");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (target.tls) {
    ssl.reset(SSL_new(target.tls.get()));
    bool prepared = ssl != nullptr && SSL_set_fd(ssl.get(), fd) == 1;
    if (prepared && IsAddress(target.server_name)) {
      prepared = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), target.server_name.c_str()) == 1;
    } else if (prepared) {
      prepared = SSL_set1_host(ssl.get(), target.server_name.c_str()) == 1 &&
                 SSL_set_tlsext_host_name(ssl.get(), target.server_name.c_str()) == 1;
    }
    if (!prepared) {
      ::close(fd);
      return Error{.code = ErrorCode::kInternal, .message = "no connection of TLS"};
    }
    SSL_set_connect_state(ssl.get());
  }
  std::unique_ptr<Connection> connection(new Connection(fd, std::move(ssl)));
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&target.address), target.address_size) != 0 &&
      errno != EINPROGRESS) {
    return FromErrno(ErrorCode::kUnreachable, "connect");
  }
  return connection;
}

Connection::~Connection() { ::close(fd_); }

Result<void> Connection::Advance() {
  if (!connected_) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      errno = error;
      return FromErrno(ErrorCode::kUnreachable, "connect");
    }
    sockaddr_storage peer{};
    socklen_t peer_size = sizeof peer;
    if (::getpeername(fd_, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
      wants_to_write_ = true;
      return {};
    }
    connected_ = true;
  }
  if (!ready_ && ssl_) {
    ERR_clear_error();
    const int outcome = SSL_do_handshake(ssl_.get());
    if (outcome != 1) {
      const int error = SSL_get_error(ssl_.get(), outcome);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return TlsError(ssl_.get(), "TLS handshake");
      wants_to_write_ = error == SSL_ERROR_WANT_WRITE;
      return {};
    }
  }
  ready_ = true;
  wants_to_write_ = false;
  if (out_.empty()) return {};
  return ssl_ ? SendTls() : SendPlain();
}

Result<void> Connection::SendPlain() {
  while (!out_.empty()) {
    const ssize_t sent = ::send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      wants_to_write_ = true;
      return {};
    }
    if (sent < 0) return FromErrno(ErrorCode::kDisconnected, "send");
    out_.erase(0, static_cast<std::size_t>(sent));
  }
  return {};
}

Result<void> Connection::SendTls() {
  while (!out_.empty()) {
    ERR_clear_error();
    std::size_t sent = 0;
    const int outcome = SSL_write_ex(ssl_.get(), out_.data(), out_.size(), &sent);
    if (outcome == 1) {
      out_.erase(0, sent);
      continue;
    }
    const int error = SSL_get_error(ssl_.get(), outcome);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return TlsError(ssl_.get(), "sending");
    wants_to_write_ = error == SSL_ERROR_WANT_WRITE;
    return {};
  }
  return {};
}

Result<Connection::Received> Connection::Receive(std::span<char> into) {
  Received received;
  if (!ready_) return received;
  if (ssl_) {
    ERR_clear_error();
    const int outcome = SSL_read_ex(ssl_.get(), into.data(), into.size(), &received.bytes);
    if (outcome == 1) {
      received.again = SSL_has_pending(ssl_.get()) == 1;
      return received;
    }
    const int error = SSL_get_error(ssl_.get(), outcome);
    if (error == SSL_ERROR_WANT_READ) return received;
    received.end = error == SSL_ERROR_ZERO_RETURN;
    if (received.end) return received;
    return TlsError(ssl_.get(), "receiving");
  }
  const ssize_t got = ::recv(fd_, into.data(), into.size(), 0);
  if (got > 0) received.bytes = static_cast<std::size_t>(got);
  received.end = got == 0;
  if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    return FromErrno(ErrorCode::kDisconnected, "receiving");
  }
  return received;
}

}  // namespace kinformer::bench
