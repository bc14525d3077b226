#ifndef KINFORMER_SRC_WATCH_INFORMER_EVENTS_H_
#define KINFORMER_SRC_WATCH_INFORMER_EVENTS_H_

// In:     an informer's calls of a handler
// Out:    the same as events, pulled
// Thread: the handler's puts, the waiting one takes
// Next:   WaitFor, UntilWithSync

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>

#include <kinformer/base/clock.h>
#include <kinformer/base/mutex.h>
#include <kinformer/base/result.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/meta/names.h>

namespace kinformer::internal {

struct InformerEvent {
  WatchEvent event{};
  /// It was there when we came.
  bool in_initial_list = false;
};

/// What an informer says, from the objects that exist on, for one who waits for it. It queues as much as a handler's
/// own queue would; of one object alone (`only`) the last kMaxOfOne states.
///
/// @par Thread Safety
/// One reader.
class InformerEvents {
 public:
  static constexpr std::size_t kMaxOfOne = 1024;

  /// Registers a handler; the destructor removes it.
  explicit InformerEvents(const SharedInformer& informer, std::optional<NamespacedName> only = {});

  /// nullopt: nothing, and the deadline has passed. kCancelled when stopped, kFailedPrecondition once the informer is
  /// shut down.
  Result<std::optional<InformerEvent>> Next(const Clock& clock, std::optional<TimePoint> deadline,
                                            const std::stop_token& stop);
  /// Everything that was there when we came can be taken.
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop) const {
    return registration_.WaitForSync(timeout, stop);
  }
  /// What has come and is not taken yet begins with an object that was there when we came.
  bool BeginsWithInitial() const;

 private:
  struct Inbox {
    Mutex mutex;
    CondVar changed;
    std::deque<InformerEvent> events KINFORMER_GUARDED_BY(mutex);
    bool closed KINFORMER_GUARDED_BY(mutex) = false;
  };
  class Tap;

  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  InformerRegistration registration_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_WATCH_INFORMER_EVENTS_H_
