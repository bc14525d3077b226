#include "test/listwatch/storage/storage_testing.h"

#include <atomic>

#include <kinformer/base/fake_clock.h>

#include "src/listwatch/storage/memory_backend.h"
#include "test/listwatch/storage/etcd_testing.h"

namespace kinformer::apiserver::testing_support {
namespace {

class Memory final : public BackendUnderTest {
 public:
  Memory() { backend_->Start(); }
  Backend& backend() override { return *backend_; }
  std::shared_ptr<Backend> shared() override { return backend_; }
  void Elapse(std::chrono::seconds time) override { clock_->Advance(time); }
  void Break() override { backend_->Interrupt(); }
  void Mend() override { backend_->Resume(); }

 private:
  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  std::shared_ptr<MemoryBackend> backend_ =
      std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = clock_, .compaction_interval = 0ms});
};

/// Shares its etcd processes among all tests of a program, because they are slow to start.
class Etcd final : public BackendUnderTest {
 public:
  explicit Etcd(EtcdProcesses& processes) : processes_(processes), backend_(ConnectTo(processes.urls())) {}
  Backend& backend() override { return *backend_; }
  std::shared_ptr<Backend> shared() override { return backend_; }
  void Elapse(std::chrono::seconds) override {}
  void Break() override { processes_.KillAll(); }
  void Mend() override { processes_.RestartAll(); }

 private:
  EtcdProcesses& processes_;
  std::shared_ptr<Backend> backend_;
};

}  // namespace

std::vector<BackendKind> BackendKinds() {
  return {{.name = "Memory", .make = [] { return std::make_unique<Memory>(); }},
          {.name = "Etcd", .make = [] {
             static EtcdProcesses processes(1, /*durable=*/false);
             return std::make_unique<Etcd>(processes);
           }}};
}

BackendKind ThreeEtcds() {
  return {.name = "ThreeEtcds", .make = [] {
            static EtcdProcesses processes(3, /*durable=*/false);
            return std::make_unique<Etcd>(processes);
          }};
}

std::string FreshPrefix() {
  static std::atomic<int> count = 0;
  return "/registry/test-" + std::to_string(++count) + "/";
}

}  // namespace kinformer::apiserver::testing_support
