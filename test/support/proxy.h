#ifndef KINFORMER_TEST_SUPPORT_PROXY_H_
#define KINFORMER_TEST_SUPPORT_PROXY_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kinformer::testing_support {

/// A TCP proxy from a free port of 127.0.0.1 to another port there, with faults that can be switched on and off at any
/// time.
///
/// Thread-safe. A fault is in effect when the call returns: after StallExisting() no further byte is forwarded. Runs
/// one thread; the destructor joins it and resets open connections.
class FaultProxy {
 public:
  explicit FaultProxy(int target_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const;

  /// Silences the open connections in both directions: TCP stays up, but neither bytes nor FIN are forwarded.
  void StallExisting();
  /// As StallExisting; new connections are accepted but silent, too.
  void StallAll();
  /// Resumes forwarding on every connection, starting with what was held back.
  void Resume();

  /// Closes (FIN) or resets (RST) both sides of all open connections.
  void CutExisting();
  void ResetExisting();
  /// Clients see the end of the stream; their own bytes are still forwarded to the server.
  void HalfCloseToClients();
  /// The server sees the end of the stream; its own bytes are still forwarded to clients.
  void HalfCloseToServer();

  /// Directs new connections to another port of 127.0.0.1.
  void Retarget(int target_port);
  /// Refuses new connections (ECONNREFUSED), or accepts them again. The port stays reserved.
  void RefuseNew(bool refuse);
  /// Delays bytes that arrive from now on.
  void SetDelay(std::chrono::milliseconds delay);

  /// Connections accepted so far.
  std::size_t connections() const;
  /// Connections currently open on the client side.
  std::size_t open_connections() const;
  /// Bytes forwarded to the server, and to clients.
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
