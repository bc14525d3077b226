#include "src/apiserver/simulation/pod_simulation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <kinformer/base/clock.h>
#include <kinformer/client/typed_client.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kPodsPerNode = 20;
constexpr std::size_t kMaxNodes = 1000;

PodLifeOptions LifeOf(const PodSimulationOptions& options) {
  return {.pods = options.pods,
          .nodes = std::clamp<std::size_t>(options.pods / kPodsPerNode, 1, kMaxNodes),
          .seed = options.seed};
}

template <ObjectView T>
Result<void> Create(const Client& client, const std::string& body, const std::stop_token& stop) {
  const Result<ObjectPtr> object = Object::Parse(body);
  if (!object) return object.error();
  const auto created = client.For<T>().Create(**object, {}, stop);
  if (created || IsAlreadyExists(created.error())) return {};
  return created.error();
}

}  // namespace

PodSimulation::PodSimulation(const Client& client, PodSimulationOptions options)
    : client_(client), options_(std::move(options)), life_(LifeOf(options_)) {}

PodSimulation::~PodSimulation() { Stop(); }

Result<void> PodSimulation::WriteStatus(const SimulatedPod& pod, const std::stop_token& stop) {
  const auto patched =
      client_.For<core::v1::Pod>().Patch({pod.namespace_name, pod.name}, PatchType::kMerge,
                                         StatusPatch(pod, Clock::System()->WallNow()), {.subresource = "status"}, stop);
  if (!patched) return patched.error();
  return {};
}

Result<void> PodSimulation::Populate(const std::stop_token& stop, const std::function<void(std::size_t)>& progress) {
  for (const std::string& node : life_.Nodes()) {
    if (auto made = Create<core::v1::Node>(client_, NodeBody(node), stop); !made) return made;
  }
  std::size_t done = 0;
  for (const SimulatedPod& pod : life_.Pods()) {
    if (auto made = Create<core::v1::Pod>(client_, PodBody(pod), stop); !made) return made;
    if (auto runs = WriteStatus(pod, stop); !runs) return runs;
    if (progress) progress(++done);
  }
  return {};
}

void PodSimulation::Start() {
  if (options_.rate <= 0 || thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void PodSimulation::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void PodSimulation::Run(const std::stop_token& stop) {
  const auto clock = Clock::System();
  const Duration pause = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / options_.rate));
  TimePoint next = clock->Now();
  while (!stop.stop_requested()) {
    const Result<void> written = Write(life_.Next(), stop);
    if (stop.stop_requested()) return;
    if (written) {
      ++steps_;
    } else {
      // The pod may have been deleted by another client: go on.
      ++failures_;
      options_.logger.Debug("simulation", ToString(written.error()));
    }
    // Catches up on late steps, but on at most one second's worth.
    next = std::max(next + pause, clock->Now() - std::chrono::seconds(1));
    clock->SleepUntil(next, stop);
  }
}

Result<void> PodSimulation::Write(const PodStep& step, const std::stop_token& stop) {
  const SimulatedPod& pod = step.pod;
  const auto pods = client_.For<core::v1::Pod>();
  switch (step.kind) {
    case PodStep::Kind::kCreate:
      return Create<core::v1::Pod>(client_, PodBody(pod), stop);
    case PodStep::Kind::kSchedule: {
      const auto bound = pods.Patch({pod.namespace_name, pod.name}, PatchType::kMerge,
                                    R"({"spec":{"nodeName":")" + pod.node + R"("}})", {}, stop);
      if (!bound) return bound.error();
      return {};
    }
    case PodStep::Kind::kStart:
    case PodStep::Kind::kRestart:
    case PodStep::Kind::kSucceed:
    case PodStep::Kind::kEvict:
      return WriteStatus(pod, stop);
    case PodStep::Kind::kDelete: {
      const auto deleted = pods.Delete({pod.namespace_name, pod.name}, {.grace_period = std::chrono::seconds(0)}, stop);
      if (!deleted) return deleted.error();
      return {};
    }
  }
  return {};
}

}  // namespace kinformer::apiserver
