#ifndef KINFORMER_TEST_SUPPORT_PROXY_H_
#define KINFORMER_TEST_SUPPORT_PROXY_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kinformer::testing_support {

/// A TCP proxy from a free port of 127.0.0.1 to another port there, with faults to switch on and off at any time.
///
/// Thread-safe. A switch holds when its call returns: after StallExisting() no byte passes that was not passed before.
/// One thread, joined by the destructor, which resets what is still open.
class FaultProxy {
 public:
  explicit FaultProxy(int target_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const;

  /// The connections of now fall silent, both ways: TCP stays up, nothing is forwarded, not even an end.
  void StallExisting();
  /// As StallExisting, and new connections are accepted but silent too.
  void StallAll();
  /// Forwards again, with what was held back, on every connection.
  void Resume();

  /// Closes (FIN) or resets (RST) both sides of the connections of now.
  void CutExisting();
  void ResetExisting();
  /// The client sees the end of the stream, its own bytes still go to the server.
  void HalfCloseToClients();
  /// The server sees the end of the stream, its bytes still go to the client.
  void HalfCloseToServer();

  /// New connections go to another port of 127.0.0.1: the server has moved.
  void Retarget(int target_port);
  /// New connections are refused (ECONNREFUSED), or accepted again. The port stays ours.
  void RefuseNew(bool refuse);
  /// Bytes that arrive from now on are passed on that much later.
  void SetDelay(std::chrono::milliseconds delay);

  /// Accepted so far.
  std::size_t connections() const;
  /// Now open on the client's side.
  std::size_t open_connections() const;
  /// Bytes passed on to the server, and to clients.
  std::uint64_t bytes_to_server() const;
  std::uint64_t bytes_to_clients() const;

  bool AwaitConnections(std::size_t at_least, std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  bool AwaitOpenConnections(std::size_t exactly, std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  bool AwaitBytesToServer(std::uint64_t at_least, std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  bool AwaitBytesToClients(std::uint64_t at_least, std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_PROXY_H_
