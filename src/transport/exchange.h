#ifndef KINFORMER_SRC_TRANSPORT_EXCHANGE_H_
#define KINFORMER_SRC_TRANSPORT_EXCHANGE_H_

// In:     parts of one response, from the I/O thread
// Out:    the same parts, to the consumer's thread
// Thread: both; a bounded queue is all they share
// Next:   client's calls, or the Reflector, through ResponseStream

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>

#include <kinformer/base/mutex.h>
#include <kinformer/transport/transport.h>

namespace kinformer::internal {

/// The queue between libcurl and the reader of one response. Full, it makes the I/O thread pause the transfer, and TCP
/// (or HTTP/2 flow control) tells the server.
class Exchange {
 public:
  explicit Exchange(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}

  // For the I/O thread.
  void PushHead(ResponseHead head);
  /// False if the queue is full: nothing was taken, and TryNext will say when there is room.
  bool PushBody(std::string_view bytes);
  void Finish(Result<void> outcome);

  // For the consumer.
  struct Taken {
    std::optional<ResponsePart> part;
    /// The queue was full and has room again: the transfer should go on.
    bool resume = false;
  };
  Result<Taken> TryNext();
  void NotifyWhenReady(std::function<void()> ready);
  /// Keeps it for the next chunk, if it is worth it.
  void Recycle(std::string chunk);

 private:
  void Notify();

  const std::size_t capacity_;
  Mutex mutex_;
  std::deque<ResponsePart> parts_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t body_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool full_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::string spare_ KINFORMER_GUARDED_BY(mutex_);  ///< Empty, with memory of its own.
  std::optional<Result<void>> outcome_ KINFORMER_GUARDED_BY(mutex_);
  // Held while `ready_` runs, so that replacing it waits for it.
  Mutex notify_mutex_;
  std::function<void()> ready_ KINFORMER_GUARDED_BY(notify_mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_EXCHANGE_H_
