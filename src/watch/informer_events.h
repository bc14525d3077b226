#ifndef KINFORMER_SRC_WATCH_INFORMER_EVENTS_H_
#define KINFORMER_SRC_WATCH_INFORMER_EVENTS_H_

// In:     an informer's handler calls
// Out:    the same as events, pulled
// Thread: the handler's thread writes, the waiting thread reads
// Next:   WaitFor, UntilWithSync

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/meta/names.h>
#include <kinformer/processor/event_handler.h>

#include "src/base/mutex.h"

namespace kinformer::internal {

struct InformerEvent {
  WatchEvent event{};
  /// The object existed when the handler was registered.
  bool in_initial_list = false;
};

/// The events of an informer, beginning with the existing objects, for a blocking reader. The queue is unbounded; with
/// `only`, it keeps the last kMaxOfOne states of that object.
///
/// @par Thread Safety
/// One reader at a time.
class InformerEvents {
 public:
  static constexpr std::size_t kMaxOfOne = 1024;

  /// Registers a handler; the destructor removes it.
  explicit InformerEvents(const SharedInformer& informer, const std::optional<NamespacedName>& only = {});

  /// nullopt if the deadline passed without an event. kCancelled when stopped; kFailedPrecondition once the informer is
  /// shut down.
  Result<std::optional<InformerEvent>> Next(const Clock& clock, std::optional<TimePoint> deadline,
                                            const std::stop_token& stop);
  /// Waits until all objects that existed at registration can be read.
  Result<void> WaitForSync(Duration timeout, const std::stop_token& stop) const {
    if (!registration_) return registration_.error();
    return registration_->WaitForSync(timeout, stop);
  }
  /// True if the next unread event is an object that existed at registration.
  bool BeginsWithInitial() const;

 private:
  struct Inbox {
    Mutex mutex;
    CondVar changed;
    std::deque<InformerEvent> events KINFORMER_GUARDED_BY(mutex);
    bool closed KINFORMER_GUARDED_BY(mutex) = false;
  };
  class Tap;
  static EventHandler Handler(const std::shared_ptr<Inbox>& inbox, const std::optional<NamespacedName>& only);

  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  Result<InformerRegistration> registration_;  ///< An error if the informer was already shut down.
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_WATCH_INFORMER_EVENTS_H_
