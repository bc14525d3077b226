#ifndef KINFORMER_TEST_CHAOS_WATCHER_PROBE_H_
#define KINFORMER_TEST_CHAOS_WATCHER_PROBE_H_

// In:     a client that goes through the proxy
// Out:    a RetryWatcher of one namespace, begun again after each 410; which versions it showed
// Thread: one of its own
// Next:   chaos_run.cc, which knows what was acknowledged

#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <kinformer/client/client.h>

#include "test/chaos/violations.h"

namespace kinformer::chaos {

/// From one list to the 410 that ended it.
struct WatcherLife {
  std::uint64_t after = 0;
  /// All events up to here were shown.
  std::uint64_t until = 0;
  std::set<std::uint64_t> shown{};
};

/// Acknowledged versions that a life should have shown and did not.
std::vector<std::uint64_t> Missing(const WatcherLife& life, const std::vector<std::uint64_t>& acknowledged);

class WatcherProbe {
 public:
  WatcherProbe(const Client& client, std::string namespace_name, Violations& violations, Figures& figures);

  void Start();
  /// Waits for the running call, not for what may come.
  void Stop();
  /// After Stop.
  const std::vector<WatcherLife>& lives() const { return lives_; }
  const std::string& namespace_name() const { return namespace_; }

 private:
  void Run(const std::stop_token& stop);
  void LiveOnce(const std::stop_token& stop);

  const ResourceClient client_;
  const std::string namespace_;
  Violations& violations_;
  Figures& figures_;
  std::vector<WatcherLife> lives_;
  std::jthread thread_;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_WATCHER_PROBE_H_
