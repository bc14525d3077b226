#ifndef KINFORMER_SRC_BASE_REAPER_H_
#define KINFORMER_SRC_BASE_REAPER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"

namespace kinformer::internal {

/// One or more threads that were asked to end and must still be joined.
class Joinable {
 public:
  virtual ~Joinable() = default;
  /// True if no user code runs any more: Join does not block for long.
  virtual bool Ended() const = 0;
  /// Waits for the end and joins. False if that would wait for the calling thread, or if `deadline` (system clock) has
  /// passed.
  virtual bool Join(std::optional<TimePoint> deadline) = 0;
  /// What still runs, for messages; empty if nothing does.
  virtual std::string Running() const = 0;
};

/// Owns threads whose owner was destroyed on one of them and could not join, for example by a handler that dropped its
/// own informer. They have already been asked to end.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Reaper {
 public:
  Reaper() = default;
  /// Joins the threads that have ended and hands the others to the process's Reaper, which joins them at exit.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  void Adopt(std::shared_ptr<Joinable> joinable);
  /// Joins the threads that have ended; never waits for user code.
  void JoinEnded();
  /// Joins all threads. Returns descriptions of those that still run after the deadline, or would wait for the calling
  /// thread.
  std::vector<std::string> JoinAll(std::optional<TimePoint> deadline);

  /// Unique in the process and never reused: identifies the factory that a handler's thread belongs to.
  std::uint64_t id() const { return id_; }

  static Reaper& ForProcess();

 private:
  static std::uint64_t NextId();

  const std::uint64_t id_ = NextId();
  Mutex mutex_;
  std::vector<std::shared_ptr<Joinable>> joinables_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_REAPER_H_
