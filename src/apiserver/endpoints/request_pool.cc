#include "src/apiserver/endpoints/request_pool.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

RequestPool::RequestPool(std::size_t storage_threads, std::size_t memory_threads)
    : storage_threads_(std::max<std::size_t>(1, storage_threads)), count_(storage_threads_ + memory_threads) {}

RequestPool::~RequestPool() { Stop(); }

void RequestPool::Start() {
  for (std::size_t i = 0; i < count_; ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    threads_.emplace_back([this, &worker] { Work(worker); });
  }
}

void RequestPool::Stop() {
  std::array<std::deque<Task>, 2> dropped;  // destroyed without the lock
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

bool RequestPool::Post(std::function<void()> task, RequestLane lane) {
  const MutexLock lock(mutex_);
  if (stopped_) return false;
  const bool storage = lane == RequestLane::kStorage;
  if (idle_.empty() || (storage && in_storage_ == storage_threads_)) {
    Waiting(lane).push_back({.number = ++posted_, .run = std::move(task)});
    return true;
  }
  if (storage) ++in_storage_;
  Worker& worker = *idle_.back();
  idle_.pop_back();
  worker.task = std::move(task);
  worker.lane = lane;
  worker.woken.NotifyAll();
  return true;
}

bool RequestPool::TakeNext(std::function<void()>& task, RequestLane& lane) {
  std::deque<Task>& memory = Waiting(RequestLane::kMemory);
  std::deque<Task>& storage = Waiting(RequestLane::kStorage);
  const bool may_block = !storage.empty() && in_storage_ < storage_threads_;
  if (memory.empty() && !may_block) return false;
  const bool blocks = may_block && (memory.empty() || storage.front().number < memory.front().number);
  std::deque<Task>& next = blocks ? storage : memory;
  task = std::move(next.front().run);
  next.pop_front();
  lane = blocks ? RequestLane::kStorage : RequestLane::kMemory;
  if (blocks) ++in_storage_;
  return true;
}

void RequestPool::Work(Worker& worker) {
  RequestLane lane = RequestLane::kMemory;  // of the previous task
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      if (lane == RequestLane::kStorage) --in_storage_;
      if (stopped_) return;
      if (!TakeNext(task, lane)) {
        idle_.push_back(&worker);
        worker.woken.Wait(lock, {},
                          [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return stopped_ || worker.task != nullptr; });
        task = std::exchange(worker.task, nullptr);
        lane = worker.lane;
        if (!task) return;
      }
    }
    task();
  }
}

}  // namespace kinformer::apiserver
