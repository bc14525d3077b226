#ifndef KINFORMER_SRC_APISERVER_SIMULATION_POD_LIFE_H_
#define KINFORMER_SRC_APISERVER_SIMULATION_POD_LIFE_H_

// In:     the number of pods, and a seed
// Out:    a sequence of steps in their lifecycle
// Thread: none of its own; pure
// Next:   PodSimulation, which writes the steps to a server

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <kinformer/meta/time.h>

namespace kinformer::apiserver {

struct SimulatedPod {
  enum class Phase { kUnscheduled, kScheduled, kRunning, kSucceeded, kEvicted };
  std::string namespace_name{};
  std::string name{};
  std::string app{};
  std::string node{};
  Phase phase = Phase::kUnscheduled;
  int restarts = 0;
};

/// One step in a pod's lifecycle. `pod` is its state after the step.
struct PodStep {
  enum class Kind { kCreate, kSchedule, kStart, kRestart, kSucceed, kEvict, kDelete };
  Kind kind = Kind::kCreate;
  SimulatedPod pod{};
};

struct PodLifeOptions {
  std::size_t pods = 100;
  std::size_t nodes = 10;
  std::uint64_t seed = 1;
};

/// Simulates the pods of a busy cluster: created, scheduled, running, restarted, completed or evicted, deleted and
/// replaced. Deterministic: the same options give the same sequence.
class PodLife {
 public:
  explicit PodLife(PodLifeOptions options);

  std::vector<std::string> Nodes() const;
  /// Initially all pods, running.
  const std::vector<SimulatedPod>& Pods() const { return pods_; }
  /// The next step, of one pod.
  PodStep Next();

 private:
  SimulatedPod NewPod();
  std::size_t Below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

  const PodLifeOptions options_;
  std::mt19937_64 random_;
  std::uint64_t made_ = 0;
  std::vector<SimulatedPod> pods_;
};

/// The Node object.
std::string NodeBody(const std::string& name);
/// The Pod object, as a client would create it.
std::string PodBody(const SimulatedPod& pod);
/// A merge patch for the pod's `status`.
std::string StatusPatch(const SimulatedPod& pod, Timestamp now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SIMULATION_POD_LIFE_H_
