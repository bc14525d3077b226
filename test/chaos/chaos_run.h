#ifndef KINFORMER_TEST_CHAOS_CHAOS_RUN_H_
#define KINFORMER_TEST_CHAOS_CHAOS_RUN_H_

// In:     a server to be had, a seed, a length
// Out:    whether what informers promise held in spite of everything; lines on standard output
// Thread: the caller's, which owns the cluster; writers, watchers, handlers and the proxy have their own
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

  /// The exit status: 0, or 1 after lines that tell what was violated.
  int Run();

 private:
  struct Side;  ///< All that is on the client's side, and has to leave nothing behind.

  void CreateNamespaces();
  std::unique_ptr<Side> MakeSide(const ChaosProxy::HarmsOfConnection& harms);
  /// Once all that is done only once in a process, so that it is no leak.
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
