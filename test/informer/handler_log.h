#ifndef KINFORMER_TEST_INFORMER_HANDLER_LOG_H_
#define KINFORMER_TEST_INFORMER_HANDLER_LOG_H_

#include <chrono>
#include <string>
#include <vector>

#include <kinformer/base/clock.h>
#include <kinformer/codec/object.h>
#include <kinformer/processor/event_handler.h>

#include "src/base/mutex.h"

namespace kinformer {

/// Records a handler's calls, as lines that tests can wait for.
class HandlerLog {
 public:
  void Add(std::string line) {
    {
      const MutexLock lock(mutex_);
      lines_.push_back(std::move(line));
    }
    changed_.NotifyAll();
  }
  /// Waits until there are n lines, then returns all.
  std::vector<std::string> Await(std::size_t n) {
    MutexLock lock(mutex_);
    changed_.Wait(lock, *Clock::System(), Clock::System()->Now() + std::chrono::seconds(10), {},
                  [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return lines_.size() >= n; });
    return lines_;
  }

  std::size_t Size() const {
    const MutexLock lock(mutex_);
    return lines_.size();
  }

  EventHandler Handler() {
    return {
        .on_add = [this](const ObjectPtr& o, bool initial) { Add((initial ? "initial " : "add ") + Text(o)); },
        .on_update = [this](const ObjectPtr& a, const ObjectPtr& b) { Add("update " + Text(a) + " to " + Text(b)); },
        .on_delete =
            [this](const Deleted<ObjectPtr>& gone) {
              Add(std::string("delete ") + (gone.final_state_unknown ? "unseen " : "") + Text(gone.last_known));
            }};
  }
  static std::string Text(const ObjectPtr& object) {
    return std::string(object->Name()) + "=" + object->At("/data/value").StringOr("");
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> lines_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer

#endif  // KINFORMER_TEST_INFORMER_HANDLER_LOG_H_
