#include "src/apiserver/endpoints/request_pool.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

RequestPool::RequestPool(std::size_t threads) : count_(std::max<std::size_t>(1, threads)) {}

RequestPool::~RequestPool() { Stop(); }

void RequestPool::Start() {
  for (std::size_t i = 0; i < count_; ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    threads_.emplace_back([this, &worker] { Work(worker); });
  }
}

void RequestPool::Stop() {
  std::deque<std::function<void()>> dropped;  // destroyed without the lock
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    dropped.swap(waiting_);
    for (Worker* worker : idle_) worker->woken.NotifyAll();
    idle_.clear();
  }
  threads_.clear();  // joins
  workers_.clear();
}

bool RequestPool::Post(std::function<void()> task) {
  const MutexLock lock(mutex_);
  if (stopped_) return false;
  if (idle_.empty()) {
    waiting_.push_back(std::move(task));
    return true;
  }
  Worker& worker = *idle_.back();
  idle_.pop_back();
  worker.task = std::move(task);
  worker.woken.NotifyAll();
  return true;
}

void RequestPool::Work(Worker& worker) {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      if (stopped_) return;
      if (!waiting_.empty()) {
        task = std::move(waiting_.front());
        waiting_.pop_front();
      } else {
        idle_.push_back(&worker);
        worker.woken.Wait(lock, {},
                          [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return stopped_ || worker.task != nullptr; });
        task = std::exchange(worker.task, nullptr);
        if (!task) return;
      }
    }
    task();
  }
}

}  // namespace kinformer::apiserver
