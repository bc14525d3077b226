#ifndef KINFORMER_SRC_BASE_AWAIT_READY_H_
#define KINFORMER_SRC_BASE_AWAIT_READY_H_

#include <memory>
#include <optional>
#include <stop_token>

#include <kinformer/base/clock.h>

#include "src/base/mutex.h"

namespace kinformer::internal {

/// Blocks until a pull stream (any type with NotifyWhenReady) has something, the deadline passes or a stop is
/// requested.
template <typename Stream>
void AwaitReady(Stream& stream, const Clock& clock, std::optional<TimePoint> deadline, const std::stop_token& stop) {
  struct Signal {
    Mutex mutex;
    CondVar changed;
    bool ready KINFORMER_GUARDED_BY(mutex) = false;
  };
  // Shared: a notification in progress may outlive the wait if a stop ended it.
  const auto signal = std::make_shared<Signal>();
  stream.NotifyWhenReady([signal] {
    {
      const MutexLock lock(signal->mutex);
      signal->ready = true;
    }
    signal->changed.NotifyAll();
  });
  {
    MutexLock lock(signal->mutex);
    signal->changed.Wait(lock, clock, deadline, stop,
                         [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return signal->ready; });
  }
  stream.NotifyWhenReady(nullptr);
}

template <typename Stream>
void AwaitReady(Stream& stream, const std::stop_token& stop) {
  AwaitReady(stream, *Clock::System(), std::nullopt, stop);
}

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_AWAIT_READY_H_
