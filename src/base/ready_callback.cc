#include "src/base/ready_callback.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "src/base/user_code.h"

namespace kinformer::internal {

struct ReadyCallback::State {
  /// A call in progress, on the stack of the thread that runs it.
  struct Running {
    std::thread::id thread;
    Running* next;
  };

  bool RunsElsewhere() const {
    for (const Running* call = running; call != nullptr; call = call->next) {
      if (call->thread != std::this_thread::get_id()) return true;
    }
    return false;
  }

  void Remove(const Running* call) {
    Running** link = &running;
    while (*link != call) link = &(*link)->next;
    *link = call->next;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> ready;
  Running* running = nullptr;
  int waiting = 0;
};

ReadyCallback::ReadyCallback() : state_(std::make_shared<State>()) {}

void ReadyCallback::Set(std::function<void()> ready) {
  const std::shared_ptr<State> state = state_;
  // Destroyed without the lock, because its destructor may call back.
  std::function<void()> replaced;
  std::unique_lock lock(state->mutex);
  replaced.swap(state->ready);
  ++state->waiting;
  state->changed.wait(lock, [&] { return !state->RunsElsewhere(); });
  --state->waiting;
  ready.swap(state->ready);
}

void ReadyCallback::Call() const {
  const std::shared_ptr<State> state = state_;
  std::unique_lock lock(state->mutex);
  if (!state->ready) return;
  std::function<void()> ready = std::exchange(state->ready, nullptr);
  State::Running call{std::this_thread::get_id(), state->running};
  state->running = &call;
  lock.unlock();
  (void)Contain(ready);  // Exceptions are ignored: see the header.
  ready = nullptr;
  lock.lock();
  state->Remove(&call);
  const bool wake = state->waiting > 0;
  lock.unlock();
  if (wake) state->changed.notify_all();
}

}  // namespace kinformer::internal
