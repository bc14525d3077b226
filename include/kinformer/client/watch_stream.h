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

/// A watch, pulled by its reader: nothing runs in between, and a reader who is slow makes the server wait. Move-only;
/// destroying it ends the watch.
///
/// @par Thread Safety
/// One reader at a time.
class WatchStream {
 public:
  WatchStream(WatchStream&&) noexcept;
  WatchStream& operator=(WatchStream&&) noexcept;
  ~WatchStream();

  /// Waits for the next event; nullopt when the server has ended the watch, as it does every few minutes: go on from
  /// the last resourceVersion that you saw. kCancelled when stopped.
  ///
  /// An event of type kError is the server's last word; kMalformed and kDisconnected say that the stream broke.
  Result<std::optional<WatchEvent>> Next(const std::stop_token& stop = {});

  /// What has arrived. kNothingYet: ask NotifyWhenReady to be told.
  enum class Poll { kEvent, kNothingYet, kEnd };
  Result<Poll> TryNext(WatchEvent& event);
  /// Calls `ready` once, as soon as TryNext has something. It may run on the I/O thread, so it must only signal.
  void NotifyWhenReady(std::function<void()> ready);

 private:
  friend class ResourceClient;
  struct Impl;
  explicit WatchStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// An event with its object seen as a T.
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

  /// As WatchStream::Next. An object of another kind is kMalformed.
  Result<std::optional<TypedWatchEvent<T>>> Next(const std::stop_token& stop = {}) {
    Result<std::optional<WatchEvent>> event = stream_.Next(stop);
    if (!event) return std::move(event).error();
    if (!*event) return std::optional<TypedWatchEvent<T>>();
    TypedWatchEvent<T> typed{.type = (*event)->type, .error = std::move((*event)->error)};
    if ((*event)->object) {
      Result<T> object = T::From((*event)->object);
      if (!object) return std::move(object).error();
      typed.object = *std::move(object);
    }
    return std::optional<TypedWatchEvent<T>>(std::move(typed));
  }

 private:
  WatchStream stream_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_WATCH_STREAM_H_
