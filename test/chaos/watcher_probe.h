#ifndef KINFORMER_TEST_CHAOS_WATCHER_PROBE_H_
#define KINFORMER_TEST_CHAOS_WATCHER_PROBE_H_

// In:     a client that connects through the proxy
// Out:    a RetryWatcher of one namespace, recreated after each 410; the versions it delivered
// Thread: its own
// Next:   chaos_run.cc, which compares them with the acknowledged writes

#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <kinformer/client/client.h>

#include "test/chaos/violations.h"

namespace kinformer::chaos {

/// One RetryWatcher's lifetime, from its list to the 410 that ended it.
struct WatcherLife {
  std::uint64_t after = 0;
  /// All events up to this version were delivered.
  std::uint64_t until = 0;
  std::set<std::uint64_t> shown{};
};

/// Acknowledged versions that the watcher should have delivered but did not.
std::vector<std::uint64_t> Missing(const WatcherLife& life, const std::vector<std::uint64_t>& acknowledged);

class WatcherProbe {
 public:
  WatcherProbe(const Client& client, std::string namespace_name, Violations& violations, Figures& figures);

  void Start();
  /// Cancels the running call and joins the thread.
  void Stop();
  /// Valid after Stop.
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
