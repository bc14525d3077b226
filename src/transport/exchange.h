#ifndef KINFORMER_SRC_TRANSPORT_EXCHANGE_H_
#define KINFORMER_SRC_TRANSPORT_EXCHANGE_H_

// In:     parts of one response, from the I/O thread
// Out:    the same parts, to the consumer's thread
// Thread: both; they share only a bounded queue
// Next:   the client's calls, or the Reflector, through ResponseStream

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>

#include <kinformer/transport/transport.h>

#include "src/base/mutex.h"
#include "src/base/ready_callback.h"

namespace kinformer::internal {

/// The queue between libcurl and the reader of one response. When it is full, the I/O thread pauses the transfer, and
/// TCP or HTTP/2 flow control exerts back-pressure on the server.
class Exchange {
 public:
  explicit Exchange(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}

  // For the I/O thread.
  void PushHead(ResponseHead head);
  /// False if the queue is full: nothing was taken, and Taken::resume tells when there is room.
  bool PushBody(std::string_view bytes);
  void Finish(Result<void> outcome);

  // For the consumer.
  struct Taken {
    std::optional<ResponsePart> part;
    /// The queue was full and has room again: resume the transfer.
    bool resume = false;
  };
  Result<Taken> TryNext();
  /// As ResponseStream::NotifyWhenReady. `ready` may release the exchange.
  void NotifyWhenReady(std::function<void()> ready);
  /// Keeps the buffer for the next chunk, if its size is worth it.
  void Recycle(std::string chunk);

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  std::deque<ResponsePart> parts_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t body_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  bool full_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::string spare_ KINFORMER_GUARDED_BY(mutex_);  ///< Empty, but with capacity.
  std::optional<Result<void>> outcome_ KINFORMER_GUARDED_BY(mutex_);
  ReadyCallback ready_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_EXCHANGE_H_
