// A TLS server behind an HTTP proxy: the proxy sees a CONNECT and then only ciphertext.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <kinformer/transport/tls_material.h>

#include "src/transport/curl_transport.h"
#include "test/support/fd.h"
#include "test/support/scripted_server.h"

namespace kinformer::internal {
namespace {

using testing_support::Fd;
using testing_support::Reply;
using testing_support::ScriptedServer;
using testing_support::WakeFd;

/// Serves one client. Connects it to the given port of 127.0.0.1, whatever target it asks for.
class ConnectProxy {
 public:
  explicit ConnectProxy(int target_port)
      : listener_(testing_support::ListenOnLoopback()), target_port_(target_port), thread_([this] { Serve(); }) {}
  ~ConnectProxy() {
    stop_.Set();
    thread_.join();
  }
  ConnectProxy(const ConnectProxy&) = delete;
  ConnectProxy& operator=(const ConnectProxy&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(testing_support::LocalPort(listener_.get())); }
  /// The request line of the CONNECT. Read it only after a response has arrived.
  const std::string& request_line() const { return request_line_; }

 private:
  /// False when stopped.
  bool AwaitReadable(int a, int b = -1) const {
    std::array<pollfd, 3> fds{pollfd{stop_.get(), POLLIN, 0}, pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
    return poll(fds.data(), fds.size(), -1) > 0 && fds[0].revents == 0;
  }

  void Serve() {
    if (!AwaitReadable(listener_.get())) return;
    const Fd client(accept(listener_.get(), nullptr, nullptr));
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) {
      char c = 0;
      if (!AwaitReadable(client.get()) || read(client.get(), &c, 1) != 1) return;
      head += c;
    }
    request_line_ = head.substr(0, head.find("\r\n"));

    const Fd server(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(target_port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    const std::string established = "HTTP/1.1 200 Connection established\r\n\r\n";
    if (write(client.get(), established.data(), established.size()) < 0) return;
    while (AwaitReadable(client.get(), server.get())) {
      if (!Forward(client.get(), server.get()) || !Forward(server.get(), client.get())) return;
    }
  }

  /// Forwards the bytes available now. False when either side has closed.
  static bool Forward(int from, int to) {
    std::array<char, 16384> buffer{};
    const ssize_t count = recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN;
    return count > 0 && send(to, buffer.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
  }

  Fd listener_;
  const int target_port_;
  WakeFd stop_;
  std::string request_line_;
  std::thread thread_;
};

TEST(ProxyUrlTest, ATlsServerIsReachedThroughATunnelAndVerifiedByItsOwnName) {
  const testing_support::TestCa ca;
  ScriptedServer server({.tls = true, .ca = &ca, .certificate = {.dns = {"cluster.test"}, .ips = {}}});
  server.Enqueue(Reply::Json("through"));
  const ConnectProxy proxy(server.port());
  const auto transport =
      CurlTransport::Create({.server = "https://cluster.test:6443", .proxy_url = proxy.url()}).value();
  const auto stream = transport->Start(
      {.target = "/version", .tls = std::make_shared<const TlsMaterial>(TlsMaterial{.ca_pem = ca.CertPem()})});
  auto head = Next(*stream, {});
  ASSERT_TRUE(head.ok()) << ToString(head.error());
  EXPECT_EQ(std::get<ResponseHead>(*head).status, 200) << "the server's head, not the proxy's";
  EXPECT_EQ(ReadBody(*stream, 100, {}).value(), "through");
  EXPECT_EQ(proxy.request_line(), "CONNECT cluster.test:6443 HTTP/1.1");
}

}  // namespace
}  // namespace kinformer::internal
