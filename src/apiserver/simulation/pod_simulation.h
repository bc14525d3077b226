#ifndef KINFORMER_SRC_APISERVER_SIMULATION_POD_SIMULATION_H_
#define KINFORMER_SRC_APISERVER_SIMULATION_POD_SIMULATION_H_

// In:     a client of the server, the number of pods and the rate of changes
// Out:    writes, like those of a scheduler, kubelets and users
// Thread: one of its own, from Start to Stop; Populate blocks its caller
// Next:   the server

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>

#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/client/client.h>

#include "src/apiserver/simulation/pod_life.h"

namespace kinformer::apiserver {

struct PodSimulationOptions {
  std::size_t pods = 100;
  /// Steps per second, over all pods; zero: none.
  double rate = 10;
  std::uint64_t seed = 1;
  Logger logger{};
};

/// Fills a server with nodes and pods, and simulates their lifecycle.
///
/// @par Thread Safety
/// Call all functions from one thread, except steps() and failures(): any thread.
class PodSimulation {
 public:
  PodSimulation(const Client& client, PodSimulationOptions options);
  ~PodSimulation();
  PodSimulation(const PodSimulation&) = delete;
  PodSimulation& operator=(const PodSimulation&) = delete;

  /// Creates the nodes and the pods, as running. Existing objects are kept. `progress` is called with the number of
  /// pods done.
  Result<void> Populate(const std::stop_token& stop, const std::function<void(std::size_t)>& progress = {});
  /// Simulates steps until Stop.
  void Start();
  void Stop();
  /// Steps written successfully, and failed ones.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t failures() const { return failures_; }

 private:
  void Run(const std::stop_token& stop);
  Result<void> Write(const PodStep& step, const std::stop_token& stop);
  Result<void> WriteStatus(const SimulatedPod& pod, const std::stop_token& stop);

  const Client client_;
  const PodSimulationOptions options_;
  PodLife life_;
  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::jthread thread_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SIMULATION_POD_SIMULATION_H_
