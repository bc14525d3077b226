#ifndef KINFORMER_BASE_TASK_POOL_H_
#define KINFORMER_BASE_TASK_POOL_H_

#include <cstddef>
#include <functional>
#include <memory>

#include <kinformer/base/clock.h>
#include <kinformer/base/logger.h>

namespace kinformer {

using Task = std::function<void()>;

struct TaskPoolOptions {
  std::size_t threads = 2;
  std::shared_ptr<const Clock> clock = Clock::System();
  Logger logger{};
};

/// A few threads that run short tasks, now or at a time. Everything that would otherwise want a thread of its own runs
/// here as a SerialTasks.
///
/// The constructor starts nothing; Start does. The destructor stops: tasks under way finish, the rest are dropped, and
/// all threads are joined. A task that throws is reported to the logger and otherwise ignored.
///
/// @par Thread Safety
/// All functions may be called from any thread; Stop and the destructor not from a task of this pool.
class TaskPool {
 public:
  explicit TaskPool(TaskPoolOptions options = {});
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  void Start();
  void Stop();
  const std::shared_ptr<const Clock>& clock() const;

  /// False when the pool is stopped; the task is then dropped.
  bool Post(Task task);
  bool PostAt(TimePoint when, Task task);

 private:
  friend class SerialTasks;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// A queue of tasks that run in order and never two at a time, on whichever thread of the pool is free.
///
/// Close (or the destructor) drops what has not begun and waits for the task under way, unless it is called from that
/// very task. After it returns, no task of this queue runs.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class SerialTasks {
 public:
  explicit SerialTasks(TaskPool& pool);
  ~SerialTasks();
  SerialTasks(const SerialTasks&) = delete;
  SerialTasks& operator=(const SerialTasks&) = delete;

  /// False once closed, or when the pool is stopped.
  bool Post(Task task);
  /// Joins the queue when the time has come.
  bool PostAt(TimePoint when, Task task);
  void Close();
  /// True on the thread that runs a task of this queue right now.
  bool RunningHere() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_TASK_POOL_H_
