#ifndef KINFORMER_SRC_CLIENT_WATCH_STREAM_IMPL_H_
#define KINFORMER_SRC_CLIENT_WATCH_STREAM_IMPL_H_

#include <deque>
#include <memory>

#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

struct WatchStream::Impl {
  std::shared_ptr<const void> keep_alive;  ///< The client, whose I/O thread feeds the stream.
  std::unique_ptr<WatchEventStream> events;
  std::deque<WatchEvent> arrived{};  ///< The rest of one part of `events`.
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_CLIENT_WATCH_STREAM_IMPL_H_
