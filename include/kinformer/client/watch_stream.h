#ifndef KINFORMER_CLIENT_WATCH_STREAM_H_
#define KINFORMER_CLIENT_WATCH_STREAM_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include <kinformer/base/result.h>
#include <kinformer/codec/watch_event.h>

namespace kinformer {

/// A watch that its reader pulls: nothing runs between calls, and a slow reader exerts back-pressure on the server.
/// Move-only; destruction ends the watch. A moved-from stream returns kFailedPrecondition.
///
/// @par Thread Safety
/// One reader at a time.
class WatchStream {
 public:
  WatchStream(WatchStream&&) noexcept;
  WatchStream& operator=(WatchStream&&) noexcept;
  ~WatchStream();

  /// Waits for the next event. nullopt when the server has ended the watch, as it does every few minutes: open a new
  /// one from the last resourceVersion that you saw. kCancelled when stopped.
  ///
  /// An event of type kError is the server's last event. kMalformed and kDisconnected mean that the stream broke.
  Result<std::optional<WatchEvent>> Next(const std::stop_token& stop = {});

  /// Returns what has arrived, without blocking. kNothingYet: NotifyWhenReady tells when to try again.
  enum class Poll { kEvent, kNothingYet, kEnd };
  Result<Poll> TryNext(WatchEvent& event);
  /// Calls `ready` once, as soon as TryNext may have something (an event, an error or the end); immediately, if it
  /// already has. If only a part of an event has arrived, TryNext returns kNothingYet again. `ready` may run on the I/O
  /// thread, so it must only signal; it may destroy this stream and the client. A later call replaces an earlier one;
  /// when it returns, the earlier function is not running and will not be called.
  void NotifyWhenReady(std::function<void()> ready);

 private:
  friend class ResourceClient;
  struct Impl;
  explicit WatchStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// An event with its object as a T.
template <typename T>
struct TypedWatchEvent {
  WatchEventType type = WatchEventType::kAdded;
  std::optional<T> object{};  ///< Set unless the type is kError.
  Error error{};
};

/// A WatchStream whose objects are Ts.
template <typename T>
class TypedWatchStream {
 public:
  explicit TypedWatchStream(WatchStream stream) : stream_(std::move(stream)) {}

  /// As WatchStream::Next. kMalformed if the server sends an object of another kind.
  Result<std::optional<TypedWatchEvent<T>>> Next(const std::stop_token& stop = {}) {
    Result<std::optional<WatchEvent>> event = stream_.Next(stop);
    if (!event) return std::move(event).error();
    if (!*event) return std::optional<TypedWatchEvent<T>>();
    TypedWatchEvent<T> typed{.type = (*event)->type, .error = std::move((*event)->error)};
    if ((*event)->object) {
      Result<T> object = T::From((*event)->object);
      if (!object) return Error{.code = ErrorCode::kMalformed, .message = std::move(object).error().message};
      typed.object = *std::move(object);
    }
    return std::optional<TypedWatchEvent<T>>(std::move(typed));
  }

 private:
  WatchStream stream_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_WATCH_STREAM_H_
