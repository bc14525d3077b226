
#include "src/base/task_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/reaper.h"
#include "src/base/user_code.h"
#include "src/base/wait_graph.h"

namespace kinformer {

namespace {

/// The pool whose thread this is.
thread_local const void* current_pool = nullptr;

}  // namespace

struct TaskPool::Impl final : internal::Joinable {
  explicit Impl(TaskPoolOptions o) : options(std::move(o)) {}

  bool Post(Task task) {
    {
      const MutexLock lock(mutex);
      if (stop.stop_requested()) return false;
      ready.push_back(std::move(task));
      // Tasks are short: what a task posts is taken next by its own thread, which needs no wake-up and has the data in
      // its core's cache. Other threads are woken only for further tasks.
      if (current_pool == this && ready.size() == 1) return true;
    }
    changed.NotifyAll();
    return true;
  }

  bool PostAt(TimePoint when, Task task) {
    {
      const MutexLock lock(mutex);
      if (stop.stop_requested()) return false;
      timed.emplace(when, std::move(task));
    }
    changed.NotifyAll();
    return true;
  }

  /// Decrements `working` when the thread runs no more user code.
  struct Leaving {
    Impl& impl;
    ~Leaving() {
      --impl.working;
      impl.changed.NotifyAll();
    }
  };

  void Work() {
    const std::stop_token token = stop.get_token();
    current_pool = this;
    const Leaving leaving{*this};
    while (std::optional<Task> task = Take(token)) {
      if (const auto threw = internal::Contain(*task)) {
        options.logger.Error("base", "a task threw", {{"what", *threw}});
      }
    }
  }

  std::optional<Task> Take(const std::stop_token& token) {
    MutexLock lock(mutex);
    for (;;) {
      if (token.stop_requested()) return std::nullopt;
      const TimePoint now = options.clock->Now();
      while (!timed.empty() && timed.begin()->first <= now) {
        ready.push_back(std::move(timed.begin()->second));
        timed.erase(timed.begin());
      }
      if (!ready.empty()) {
        Task task = std::move(ready.front());
        ready.pop_front();
        return task;
      }
      const std::optional<TimePoint> next =
          timed.empty() ? std::nullopt : std::optional<TimePoint>(timed.begin()->first);
      changed.Wait(lock, *options.clock, next, token, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
        return !ready.empty() || (!timed.empty() && (!next || timed.begin()->first < *next));
      });
    }
  }

  void RequestStop() {
    stop.request_stop();
    changed.NotifyAll();
    // Outside the lock: destroying a dropped task may post again.
    std::deque<Task> dropped;
    std::multimap<TimePoint, Task> dropped_timed;
    const MutexLock lock(mutex);
    dropped.swap(ready);
    dropped_timed.swap(timed);
  }

  bool RunningHere() const { return current_pool == this; }

  bool Ended() const override { return working.load() == 0; }
  bool Join(std::optional<TimePoint> deadline) override {
    if (RunningHere()) return false;
    {
      MutexLock lock(mutex);
      if (!changed.Wait(lock, *Clock::System(), deadline, {}, [this] { return Ended(); })) return false;
    }
    const MutexLock lock(threads_mutex);
    threads.clear();  // joins
    return true;
  }
  std::string Running() const override { return Ended() ? "" : "a task of a stopped pool"; }

  const TaskPoolOptions options;
  std::stop_source stop;
  Mutex mutex;
  CondVar changed;
  std::deque<Task> ready KINFORMER_GUARDED_BY(mutex);
  std::multimap<TimePoint, Task> timed KINFORMER_GUARDED_BY(mutex);
  Mutex threads_mutex;  // held while joining, so that concurrent stops wait for the same end
  std::vector<std::jthread> threads KINFORMER_GUARDED_BY(threads_mutex);
  std::atomic<bool> started = false;
  std::atomic<std::size_t> working = 0;  ///< Threads that may still run tasks.
};

TaskPool::TaskPool(TaskPoolOptions options) : impl_(std::make_shared<Impl>(std::move(options))) {
  internal::Reaper::ForProcess().JoinEnded();
}

TaskPool::~TaskPool() {
  Stop();
  if (impl_->RunningHere()) internal::Reaper::ForProcess().Adopt(impl_);
}

void TaskPool::Start() {
  // Checked without the lock first: a task may call this while Stop joins the thread that it runs on.
  if (impl_->started.load()) return;
  const MutexLock lock(impl_->threads_mutex);
  if (impl_->stop.stop_requested() || !impl_->threads.empty()) return;
  const std::size_t count = std::max<std::size_t>(1, impl_->options.threads);
  impl_->started.store(true);
  for (std::size_t i = 0; i < count; ++i) {
    ++impl_->working;
    try {
      impl_->threads.emplace_back([impl = impl_] { impl->Work(); });
    } catch (const std::system_error& e) {
      --impl_->working;
      impl_->options.logger.Error("base", "cannot start a pool thread", {{"what", e.what()}});
    }
  }
}

void TaskPool::RequestStop() { impl_->RequestStop(); }

void TaskPool::Stop() {
  impl_->RequestStop();
  (void)impl_->Join(std::nullopt);
}

bool TaskPool::RunningHere() const { return impl_->RunningHere(); }

const std::shared_ptr<const Clock>& TaskPool::clock() const { return impl_->options.clock; }

bool TaskPool::Post(Task task) { return impl_->Post(std::move(task)); }

bool TaskPool::PostAt(TimePoint when, Task task) { return impl_->PostAt(when, std::move(task)); }

struct SerialTasks::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(std::shared_ptr<TaskPool::Impl> p) : pool(std::move(p)) {}

  bool Post(Task task) {
    {
      const MutexLock lock(mutex);
      if (closed) return false;
      queue.push_back(std::move(task));
      if (scheduled) return true;
      scheduled = true;
    }
    if (Schedule()) return true;
    const MutexLock lock(mutex);
    scheduled = false;
    return false;
  }

  bool Schedule() {
    return pool->Post([self = shared_from_this()] { self->RunOne(); });
  }

  // One task per turn, so that a busy queue does not starve others of a pool thread.
  void RunOne() {
    Task task;
    {
      const MutexLock lock(mutex);
      if (closed || queue.empty()) {
        scheduled = false;
        return;
      }
      task = std::move(queue.front());
      queue.pop_front();
      runner = std::this_thread::get_id();
      ++turn;
    }
    const internal::ScopedRunner scope(this);
    // Also runs if the task throws, which the pool reports.
    struct AfterTask {
      Impl& impl;
      Task& task;
      ~AfterTask() {
        task = nullptr;  // destroys its captures before Close returns
        bool again = false;
        {
          const MutexLock lock(impl.mutex);
          impl.runner = std::thread::id();
          again = !impl.closed && !impl.queue.empty();
          impl.scheduled = again;
        }
        impl.idle.NotifyAll();
        if (again) impl.Schedule();
      }
    };
    const AfterTask after{*this, task};
    task();
  }

  void RequestClose() {
    std::deque<Task> dropped;  // Destroyed without the lock.
    const MutexLock lock(mutex);
    closed = true;
    dropped.swap(queue);
  }

  bool AwaitRunning(std::optional<TimePoint> deadline) {
    const internal::ScopedWait wait(this);
    if (!wait.ok()) return false;
    MutexLock lock(mutex);
    const std::uint64_t awaited = turn;
    return idle.Wait(lock, *Clock::System(), deadline, {}, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
      return runner == std::thread::id() || turn != awaited;
    });
  }

  const std::shared_ptr<TaskPool::Impl> pool;
  Mutex mutex;
  CondVar idle;
  std::deque<Task> queue KINFORMER_GUARDED_BY(mutex);
  bool scheduled KINFORMER_GUARDED_BY(mutex) = false;
  bool closed KINFORMER_GUARDED_BY(mutex) = false;
  std::thread::id runner KINFORMER_GUARDED_BY(mutex);
  std::uint64_t turn KINFORMER_GUARDED_BY(mutex) = 0;  ///< The number of tasks started.
};

SerialTasks::SerialTasks(TaskPool& pool) : impl_(std::make_shared<Impl>(pool.impl_)) {}

SerialTasks::~SerialTasks() { Close(); }

bool SerialTasks::Post(Task task) { return impl_->Post(std::move(task)); }

bool SerialTasks::PostAt(TimePoint when, Task task) {
  // A weak reference: a timer far in the future does not keep a closed queue alive.
  return impl_->pool->PostAt(when, [weak = std::weak_ptr(impl_), task = std::move(task)]() mutable {
    if (const auto impl = weak.lock()) impl->Post(std::move(task));
  });
}

void SerialTasks::RequestClose() { impl_->RequestClose(); }

bool SerialTasks::AwaitRunning(std::optional<TimePoint> deadline) const { return impl_->AwaitRunning(deadline); }

void SerialTasks::Close() {
  impl_->RequestClose();
  (void)impl_->AwaitRunning(std::nullopt);
}

bool SerialTasks::Running() const {
  const MutexLock lock(impl_->mutex);
  return impl_->runner != std::thread::id();
}

bool SerialTasks::RunningHere() const {
  const MutexLock lock(impl_->mutex);
  return impl_->runner == std::this_thread::get_id();
}

}  // namespace kinformer
