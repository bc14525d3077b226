#ifndef KINFORMER_SRC_BASE_TASK_POOL_H_
#define KINFORMER_SRC_BASE_TASK_POOL_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>

namespace kinformer {

using Task = std::function<void()>;

struct TaskPoolOptions {
  std::size_t threads = 2;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// A small thread pool for short tasks, run immediately or at a given time. Use SerialTasks for work that would
/// otherwise need its own thread.
///
/// The constructor starts no threads; Start does. A task that throws is logged and otherwise ignored.
///
/// @par Thread Safety
/// All functions may be called from any thread, including tasks.
class TaskPool {
 public:
  explicit TaskPool(TaskPoolOptions options = {});
  /// Stops. On a thread of this pool it does not wait: the process's Reaper joins the threads later.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  void Start();
  /// No task starts after this; running tasks continue.
  void RequestStop();
  /// RequestStop, then waits for running tasks and joins all threads. On a thread of this pool it does not wait.
  void Stop();
  const std::shared_ptr<const Clock>& clock() const;

  /// False if the pool is stopped; the task is then dropped.
  bool Post(Task task);
  bool PostAt(TimePoint when, Task task);
  /// True on a thread of this pool.
  bool RunningHere() const;

 private:
  friend class SerialTasks;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// A queue of tasks that run in order, never concurrently, on any free thread of the pool.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class SerialTasks {
 public:
  explicit SerialTasks(TaskPool& pool);
  /// Calls Close.
  ~SerialTasks();
  SerialTasks(const SerialTasks&) = delete;
  SerialTasks& operator=(const SerialTasks&) = delete;

  /// False if this queue is closed or the pool is stopped.
  bool Post(Task task);
  /// Enqueues the task when the time has come.
  bool PostAt(TimePoint when, Task task);
  /// Drops pending tasks and accepts no more; a running task continues.
  void RequestClose();
  /// Waits for the running task, not for those behind it. Returns false without waiting where that would deadlock:
  /// inside that task, or if it waits for the calling thread. Also false if `deadline` (system clock) has passed.
  bool AwaitRunning(std::optional<TimePoint> deadline = {}) const;
  /// RequestClose, then AwaitRunning. When it returns, no task of this queue runs, unless waiting for it would
  /// deadlock.
  void Close();
  /// True on the thread that currently runs a task of this queue.
  bool RunningHere() const;
  /// True if a task of this queue is running, on any thread.
  bool Running() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_BASE_TASK_POOL_H_
