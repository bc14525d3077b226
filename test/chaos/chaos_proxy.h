#ifndef KINFORMER_TEST_CHAOS_CHAOS_PROXY_H_
#define KINFORMER_TEST_CHAOS_CHAOS_PROXY_H_

// In:     connections of clients, and for each the harms that its bytes shall come to
// Out:    the same connections to the server, harmed
// Thread: one of its own; all functions from any thread
// Next:   chaos_run.cc; for switches at a known moment, without harm to bytes, there is test/support/proxy.h

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "test/chaos/plan.h"

namespace kinformer::chaos {

/// A TCP proxy from a free port of 127.0.0.1 to another port there. Joined by the destructor, which resets what is
/// open.
///
/// It holds a megabyte of each direction at the most; then it stops reading.
class ChaosProxy {
 public:
  using HarmsOfConnection = std::function<ConnectionHarms(std::uint64_t connection)>;

  /// `harms` is asked on the proxy's thread for each connection, in the order in which they come.
  ChaosProxy(int target_port, HarmsOfConnection harms);
  ~ChaosProxy();
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;

  int port() const;

  // To all connections of the moment. In force when the call returns.
  void CutAll();
  void ResetAll();
  void HalfCloseAll();
  /// Nothing passes for so long, neither on new connections.
  void StallAll(std::chrono::milliseconds duration);
  /// New connections are refused for so long, or until Calm.
  void Refuse(std::chrono::milliseconds duration);
  /// No harm from here on, to nobody; what was held back passes. For good.
  void Calm();

  std::uint64_t connections() const;
  std::size_t open_connections() const;
  /// Done so far.
  std::map<HarmKind, std::uint64_t> harms() const;
  std::uint64_t bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_CHAOS_PROXY_H_
