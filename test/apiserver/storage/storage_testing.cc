#include "test/apiserver/storage/storage_testing.h"

#include <atomic>

#include <kinformer/base/fake_clock.h>

#include "src/apiserver/storage/memory_backend.h"

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

}  // namespace

std::vector<BackendKind> BackendKinds() {
  return {{.name = "Memory", .make = [] { return std::make_unique<Memory>(); }}};
}

std::string FreshPrefix() {
  static std::atomic<int> count = 0;
  return "/registry/test-" + std::to_string(++count) + "/";
}

}  // namespace kinformer::apiserver::testing_support
