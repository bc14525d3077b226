#include "src/base/owned_thread.h"

#include <string>
#include <utility>

#include "src/base/reaper.h"

namespace kinformer::internal {
namespace {

/// A thread whose owner was destroyed on the thread itself.
class OrphanedThread final : public Joinable {
 public:
  OrphanedThread(std::jthread thread, std::shared_ptr<const std::atomic<bool>> ended)
      : thread_(std::move(thread)), ended_(std::move(ended)) {}

  bool Ended() const override { return *ended_; }
  /// The thread has been asked to stop and waits for nothing, so no deadline is needed.
  bool Join(std::optional<TimePoint> /*deadline*/) override {
    if (thread_.get_id() == std::this_thread::get_id()) return false;
    if (thread_.joinable()) thread_.join();
    return true;
  }
  std::string Running() const override { return *ended_ ? "" : "thread stopped by its own callback"; }

 private:
  std::jthread thread_;
  const std::shared_ptr<const std::atomic<bool>> ended_;
};

}  // namespace

void OwnedThread::Start(std::function<void(const std::stop_token&)> run) {
  Reaper::ForProcess().JoinEnded();
  ended_ = std::make_shared<std::atomic<bool>>(false);
  thread_ = std::jthread([run = std::move(run), ended = ended_](const std::stop_token& stop) mutable {
    std::exchange(run, nullptr)(stop);
    *ended = true;
  });
}

void OwnedThread::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  if (thread_.get_id() == std::this_thread::get_id()) {
    Reaper::ForProcess().Adopt(std::make_shared<OrphanedThread>(std::move(thread_), ended_));
  } else {
    thread_.join();
  }
}

}  // namespace kinformer::internal
