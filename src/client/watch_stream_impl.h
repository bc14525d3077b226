#ifndef KINFORMER_SRC_CLIENT_WATCH_STREAM_IMPL_H_
#define KINFORMER_SRC_CLIENT_WATCH_STREAM_IMPL_H_

#include <memory>
#include <string>

#include <kinformer/client/watch_stream.h>
#include <kinformer/transport/transport.h>

#include "src/client/redactor.h"
#include "src/codec/frame_splitter.h"

namespace kinformer {

struct WatchStream::Impl {
  std::shared_ptr<const void> keep_alive;  ///< The client, whose I/O thread feeds the stream.
  std::unique_ptr<ResponseStream> stream;
  std::shared_ptr<const internal::Redactor> redactor;
  ObjectOptions object_options;
  internal::FrameSplitter splitter{};
  std::string chunk{};  ///< What the splitter reads from.
  bool ended = false;
};

}  // namespace kinformer

#endif  // KINFORMER_SRC_CLIENT_WATCH_STREAM_IMPL_H_
