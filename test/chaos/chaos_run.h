#ifndef KINFORMER_TEST_CHAOS_CHAOS_RUN_H_
#define KINFORMER_TEST_CHAOS_CHAOS_RUN_H_

// In:     the kind of server, a seed, a duration
// Out:    whether the informers' guarantees held under all faults; a report on standard output
// Thread: the caller's, which owns the cluster; writers, watchers, handlers and the proxy have their own threads
// Next:   main.cc

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/client/client.h>
#include <kinformer/informer/shared_informer_factory.h>

#include "test/chaos/chaos_proxy.h"
#include "test/chaos/observer.h"
#include "test/chaos/plan.h"
#include "test/chaos/violations.h"
#include "test/chaos/watcher_probe.h"
#include "test/chaos/writer.h"
#include "test/e2e/cluster.h"

namespace kinformer::chaos {

struct ChaosOptions {
  e2e::ServerKind server = e2e::ServerKind::kKinformerApiserver;
  std::uint64_t seed = 1;
  std::chrono::seconds length{60};
};

class ChaosRun {
 public:
  explicit ChaosRun(const ChaosOptions& options);
  ~ChaosRun();

  /// The exit status: 0, or 1 after printing what was violated.
  int Run();

 private:
  struct Side;  ///< All client-side state. Destroying it must leak nothing.

  void CreateNamespaces();
  std::unique_ptr<Side> MakeSide(const ChaosProxy::HarmsOfConnection& harms);
  /// Triggers one-time initializations of the process, so that they do not count as leaks.
  void WarmUp();
  void CarryOut(Side& side);
  void Perform(Side& side, const Action& action);
  void KillServer();
  void Pause(Side& side, std::chrono::milliseconds duration);
  void Tick(Side& side);
  void ServerMustLive();
  void Settle(Side& side);
  void CheckLedgers(Side& side, const ServerWorld& server);
  void CheckWatcher(Side& side);
  Result<ServerWorld> ReadServer() const;
  void CheckServerLog();
  std::string ProgressLine(const Side& side) const;
  int Verdict(const std::string& closing);

  const ChaosOptions options_;
  const Plan plan_;
  Violations violations_;
  Figures figures_;
  std::atomic<std::uint64_t> server_life_ = 0;
  std::unique_ptr<e2e::Cluster> cluster_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point next_progress_;
  std::size_t actions_done_ = 0;
};

}  // namespace kinformer::chaos

#endif  // KINFORMER_TEST_CHAOS_CHAOS_RUN_H_
