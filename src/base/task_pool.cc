#include <kinformer/base/task_pool.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include <kinformer/base/mutex.h>

namespace kinformer {

namespace {

/// The pool whose thread this is.
thread_local const void* current_pool = nullptr;

}  // namespace

struct TaskPool::Impl {
  explicit Impl(TaskPoolOptions o) : options(std::move(o)) {}

  bool Post(Task task) {
    {
      const MutexLock lock(mutex);
      if (stop.stop_requested()) return false;
      ready.push_back(std::move(task));
      // Tasks are short: what one of them posts, its own thread takes next, which costs no wake-up, and what the task
      // worked on is still in that core's cache. Only what is more than that is work for others.
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

  void Work() {
    const std::stop_token token = stop.get_token();
    current_pool = this;
    while (std::optional<Task> task = Take(token)) {
      try {
        (*task)();
      } catch (const std::exception& e) {
        options.logger.Error("base", "a task threw", {{"what", e.what()}});
      } catch (...) {
        options.logger.Error("base", "a task threw something that is no std::exception");
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

  const TaskPoolOptions options;
  std::stop_source stop;
  Mutex mutex;
  CondVar changed;
  std::deque<Task> ready KINFORMER_GUARDED_BY(mutex);
  std::multimap<TimePoint, Task> timed KINFORMER_GUARDED_BY(mutex);
  Mutex threads_mutex;  // held while joining, so that two stops wait for the same end
  std::vector<std::jthread> threads KINFORMER_GUARDED_BY(threads_mutex);
  std::atomic<bool> started = false;
};

TaskPool::TaskPool(TaskPoolOptions options) : impl_(std::make_shared<Impl>(std::move(options))) {}

TaskPool::~TaskPool() { Stop(); }

void TaskPool::Start() {
  // A task may say so too, while a Stop joins the very thread that it runs on: it must not wait for that.
  if (impl_->started.load()) return;
  const MutexLock lock(impl_->threads_mutex);
  if (impl_->stop.stop_requested() || !impl_->threads.empty()) return;
  const std::size_t count = std::max<std::size_t>(1, impl_->options.threads);
  impl_->started.store(true);
  for (std::size_t i = 0; i < count; ++i) impl_->threads.emplace_back([impl = impl_] { impl->Work(); });
}

void TaskPool::Stop() {
  impl_->stop.request_stop();
  impl_->changed.NotifyAll();
  {
    const MutexLock lock(impl_->threads_mutex);
    impl_->threads.clear();  // joins
  }
  // Dropped tasks may own what posts again when it dies: destroyed outside the lock.
  std::deque<Task> ready;
  std::multimap<TimePoint, Task> timed;
  const MutexLock lock(impl_->mutex);
  ready.swap(impl_->ready);
  timed.swap(impl_->timed);
}

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

  // One task per turn, so that a busy queue does not keep a pool thread from the others.
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
    }
    // Runs also when the task throws, which the pool reports.
    struct AfterTask {
      Impl& impl;
      Task& task;
      ~AfterTask() {
        task = nullptr;  // what it captured dies before Close returns
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

  void Close() {
    std::deque<Task> dropped;
    MutexLock lock(mutex);
    closed = true;
    dropped.swap(queue);
    if (runner != std::this_thread::get_id()) {
      idle.Wait(lock, std::stop_token(),
                [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return runner == std::thread::id(); });
    }
    lock.Unlock();
  }

  const std::shared_ptr<TaskPool::Impl> pool;
  Mutex mutex;
  CondVar idle;
  std::deque<Task> queue KINFORMER_GUARDED_BY(mutex);
  bool scheduled KINFORMER_GUARDED_BY(mutex) = false;
  bool closed KINFORMER_GUARDED_BY(mutex) = false;
  std::thread::id runner KINFORMER_GUARDED_BY(mutex);
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

void SerialTasks::Close() { impl_->Close(); }

bool SerialTasks::RunningHere() const {
  const MutexLock lock(impl_->mutex);
  return impl_->runner == std::this_thread::get_id();
}

}  // namespace kinformer
