#ifndef KINFORMER_TEST_APISERVER_FAULTS_FAULT_FIXTURE_H_
#define KINFORMER_TEST_APISERVER_FAULTS_FAULT_FIXTURE_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kinformer/apiserver/api_server.h>
#include <kinformer/base/fake_clock.h>
#include <kinformer/client/client.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

#include "test/support/await.h"

namespace kinformer {

using testing_support::Await;

/// Await, advancing the clock meanwhile.
template <typename Condition>
bool AwaitWhileTimePasses(FakeClock& clock, Condition condition) {
  return Await([&] {
    if (condition()) return true;
    clock.Advance(std::chrono::milliseconds(100));
    return false;
  });
}

inline ObjectPtr ConfigMap(const std::string& name, const std::string& value) {
  return Object::FromJson({{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", {{"name", name}, {"namespace", "default"}}},
                           {"data", {{"value", value}}}})
      .value();
}

/// A TLS connection without certificate verification that records every decrypted byte.
class Wire {
 public:
  Wire(const std::string& url, const Secret& token) : token_(token) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_error_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
    if (connect_error_ != 0) return;
    SSL_set_fd(ssl_.get(), fd_);
    // A reset during the handshake shows in the reads that follow.
    SSL_connect(ssl_.get());
  }
  ~Wire() {
    ssl_.reset();
    ::close(fd_);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  int connect_error() const { return connect_error_; }

  void Send(const std::string& target, const std::string& method = "GET", const std::string& body = "",
            const std::string& more_headers = "") {
    const std::string text = method + " " + target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
                             token_.Reveal() +
                             "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n" + more_headers + "\r\n" + body;
    SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
  }

  /// Reads until the text has arrived. False if the connection ends first.
  bool Until(const std::string& text) {
    while (seen_.find(text) == std::string::npos) {
      if (!More()) return false;
    }
    return true;
  }
  /// The same, for the body only.
  bool UntilBody(const std::string& text) {
    while (Body().find(text) == std::string::npos) {
      if (!More()) return false;
    }
    return true;
  }
  /// Reads to the end: "fin", "rst", "silence" (timeout) or "broken".
  std::string Ending() {
    while (More()) {
    }
    return ending_;
  }
  const std::string& seen() const { return seen_; }
  /// The body received so far, without chunk framing.
  std::string Body() const {
    std::string body;
    for (const std::string& chunk : Chunks()) body += chunk;
    return body;
  }
  std::vector<std::string> Chunks() const {
    std::vector<std::string> chunks;
    std::size_t at = seen_.find("\r\n\r\n");
    if (at == std::string::npos) return chunks;
    at += 4;
    if (seen_.find("chunked") == std::string::npos) return {seen_.substr(at)};
    for (;;) {
      const std::size_t end = seen_.find("\r\n", at);
      if (end == std::string::npos) return chunks;
      const std::size_t size = std::stoul(seen_.substr(at, end - at), nullptr, 16);
      if (size == 0 || seen_.size() < end + 2 + size) return chunks;
      chunks.push_back(seen_.substr(end + 2, size));
      at = end + 2 + size + 2;
    }
  }
  /// For half-open connections: true if nothing arrives within that time.
  bool SilentFor(std::chrono::milliseconds time) {
    const timeval patience{.tv_sec = 0, .tv_usec = static_cast<suseconds_t>(time.count() * 1000)};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return !More() && ending_ == "silence";
  }

 private:
  bool More() {
    std::string bytes(std::size_t{256} * 1024, '\0');
    errno = 0;
    const int got = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (got > 0) {
      seen_.append(bytes, 0, static_cast<std::size_t>(got));
      return true;
    }
    const int error = errno;
    const int why = SSL_get_error(ssl_.get(), got);
    ending_ = why == SSL_ERROR_ZERO_RETURN                      ? "fin"
              : why == SSL_ERROR_WANT_READ                      ? "silence"
              : why == SSL_ERROR_SYSCALL && error == ECONNRESET ? "rst"
                                                                : "broken";
    return false;
  }

  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  const Secret token_;
  const std::unique_ptr<SSL_CTX, Free> context_{SSL_CTX_new(TLS_client_method())};
  std::unique_ptr<SSL, Free> ssl_{SSL_new(context_.get())};
  int fd_ = -1;
  int connect_error_ = 0;
  std::string seen_;
  std::string ending_;
};

/// A server with fault injection.
class FaultTest : public ::testing::Test {
 protected:
  void StartServer(std::shared_ptr<const Clock> clock = Clock::System()) {
    server_ = std::make_unique<ApiServer>(ApiServerOptions{.clock = std::move(clock), .faults = faults_});
    const Result<void> started = server_->Start();
    ASSERT_TRUE(started) << ToString(started.error());
    client_ = std::make_unique<Client>(Client::Create(server_->ClientConfig(), {.max_retries = 0}).value());
  }
  void TearDown() override {
    client_.reset();
    server_.reset();
  }

  Faults::Id Add(const std::string& spec) {
    const Result<Faults::Id> id = faults_->Add(spec);
    EXPECT_TRUE(id) << (id ? "" : id.error().message);
    return id.value_or(0);
  }
  ResourceClient ConfigMaps() const { return client_->For<core::v1::ConfigMap>().Untyped(); }
  void Create(const std::string& name, const std::string& value = "1") {
    const Result<ObjectPtr> made = ConfigMaps().Create(*ConfigMap(name, value));
    ASSERT_TRUE(made) << ToString(made.error());
  }
  void Update(const std::string& name, const std::string& value) {
    const Result<ObjectPtr> made = ConfigMaps().Update(*ConfigMap(name, value));
    ASSERT_TRUE(made) << ToString(made.error());
  }
  void Delete(const std::string& name) {
    const auto gone = ConfigMaps().Delete({"default", name});
    ASSERT_TRUE(gone) << ToString(gone.error());
  }

  std::unique_ptr<Wire> Connect() const { return std::make_unique<Wire>(server_->Url(), server_->Token()); }
  std::unique_ptr<Wire> Ask(const std::string& target, const std::string& method = "GET", const std::string& body = "",
                            const std::string& more_headers = "") const {
    auto wire = Connect();
    wire->Send(target, method, body, more_headers);
    return wire;
  }

  std::map<std::string, std::string> OnServer() const {
    std::map<std::string, std::string> versions;
    const Result<ObjectList> list = ConfigMaps().List();
    if (!list) return {{"error", ToString(list.error())}};
    for (const ObjectPtr& object : list->items) versions[ToString(object->Key())] = object->ResourceVersion();
    return versions;
  }
  static std::map<std::string, std::string> InCache(const SharedInformer& informer) {
    std::map<std::string, std::string> versions;
    for (const ObjectPtr& object : informer.Lister().List())
      versions[ToString(object->Key())] = object->ResourceVersion();
    return versions;
  }

  const std::shared_ptr<Faults> faults_ = std::make_shared<Faults>();
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Client> client_;
};

/// Factory options with minimal back-off, so that tests need not wait.
inline FactoryOptions Impatient() {
  return {.backoff = {.initial = std::chrono::milliseconds(1), .factor = 1, .cap = std::chrono::milliseconds(1)}};
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_APISERVER_FAULTS_FAULT_FIXTURE_H_
