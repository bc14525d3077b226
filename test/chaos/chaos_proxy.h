#ifndef KINFORMER_TEST_CHAOS_CHAOS_PROXY_H_
#define KINFORMER_TEST_CHAOS_CHAOS_PROXY_H_

// In:     client connections, and a list of faults for each
// Out:    the same connections to the server, with the faults applied
// Thread: its own; all functions may be called from any thread
// Next:   chaos_run.cc. For faults at a chosen moment that leave the bytes intact, see test/support/proxy.h

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "test/chaos/plan.h"

namespace kinformer::chaos {

/// A TCP proxy from a free port of 127.0.0.1 to another port there. The destructor resets all open connections and
/// joins the thread.
///
/// Buffers at most a megabyte per direction, then stops reading (back-pressure).
class ChaosProxy {
 public:
  using HarmsOfConnection = std::function<ConnectionHarms(std::uint64_t connection)>;

  /// Calls `harms` on the proxy's thread, once per connection, in the order of acceptance.
  ChaosProxy(int target_port, HarmsOfConnection harms);
  ~ChaosProxy();
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;

  int port() const;

  // These affect all connections that are open now, and are in effect when the call returns.
  void CutAll();
  void ResetAll();
  void HalfCloseAll();
  /// Forwards nothing for `duration`, on new connections neither.
  void StallAll(std::chrono::milliseconds duration);
  /// Refuses new connections for `duration`, or until Calm.
  void Refuse(std::chrono::milliseconds duration);
  /// Disables all faults permanently and releases what was held back.
  void Calm();

  std::uint64_t connections() const;
  std::size_t open_connections() const;
  /// Faults applied so far.
  std::map<HarmKind, std::uint64_t> harms() const;
  std::uint64_t bytes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_CHAOS_PROXY_H_
