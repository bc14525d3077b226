#ifndef KINFORMER_TEST_HTTP_RUNNING_SERVER_H_
#define KINFORMER_TEST_HTTP_RUNNING_SERVER_H_

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/http/http_server.h"

namespace kinformer::apiserver {

/// A value that another thread provides.
template <typename T>
class Awaited {
 public:
  void Set(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::make_unique<T>(std::move(value));
    changed_.notify_all();
  }
  /// Waits for the value. Throws on timeout, which fails the test.
  T Get() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [this] { return value_ != nullptr; })) {
      throw std::runtime_error("waited in vain");
    }
    return std::move(*std::exchange(value_, nullptr));
  }
  bool IsSet() {
    const std::lock_guard lock(mutex_);
    return value_ != nullptr;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<T> value_;
};

/// A server on a free port, for a test.
class RunningServer {
 public:
  explicit RunningServer(HttpHandler handler, HttpServerOptions options = {})
      : tls_(options.tls.has_value()), server_(std::move(options), std::move(handler)) {
    const auto port = server_.Start();
    if (!port) ADD_FAILURE() << ToString(port.error());
    port_ = port.value_or(0);
  }

  std::uint16_t port() const { return port_; }
  std::string Url(const std::string& target) const {
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_) + target;
  }
  HttpServer& operator*() { return server_; }
  HttpServer* operator->() { return &server_; }

 private:
  const bool tls_;
  HttpServer server_;
  std::uint16_t port_ = 0;
};

/// Answers every request with a description of it.
inline void Echo(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  exchange->Respond(200, {{"Content-Type", "text/plain"}},
                    request.method + " " + request.path + " ?" + request.query + " [" + request.body + "]");
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_TEST_HTTP_RUNNING_SERVER_H_
