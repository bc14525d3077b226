#ifndef KINFORMER_SRC_CLIENT_LIST_WATCH_RESPONSE_H_
#define KINFORMER_SRC_CLIENT_LIST_WATCH_RESPONSE_H_

// In:     the bytes of a 2xx response to a list or watch
// Out:    objects and events, parsed as they arrive
// Thread: the consumer's
// Next:   Reflector, ResourceClient, WatchStream

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/transport/transport.h>

#include "src/codec/frame_splitter.h"
#include "src/codec/list_reader.h"
#include "src/config/redactor.h"

namespace kinformer::internal {

/// How a response is read, and how its errors are told.
struct ResponseContext {
  ObjectOptions object{};
  std::string action{};  ///< Begins the message of every error: "listing v1 pods".
  std::shared_ptr<const Redactor> redactor{};
};

/// One page of a list. Items before an error are valid and are delivered first.
class HttpListStream final : public ListStream {
 public:
  HttpListStream(std::unique_ptr<ResponseStream> stream, ResponseContext context);

  Result<std::optional<ListPart>> TryNext() override;
  void NotifyWhenReady(std::function<void()> ready) override;

 private:
  Error Malformed(Error error) const;

  const std::unique_ptr<ResponseStream> stream_;
  const ResponseContext context_;
  ListReader reader_;
  std::optional<Error> failed_;
};

/// The events of a watch. Events before an error are valid and are delivered first. If the response still has its head,
/// an empty vector is delivered for it.
class HttpWatchStream final : public WatchEventStream {
 public:
  HttpWatchStream(std::unique_ptr<ResponseStream> stream, ResponseContext context);

  Result<std::optional<WatchPart>> TryNext() override;
  void NotifyWhenReady(std::function<void()> ready) override;

 private:
  void ReadFrames(std::string_view chunk, std::vector<WatchEvent>& events);
  void ReadRest(std::vector<WatchEvent>& events);
  void Take(WatchEvent event, std::vector<WatchEvent>& events) const;

  const std::unique_ptr<ResponseStream> stream_;
  const ResponseContext context_;
  FrameSplitter splitter_;
  bool ended_ = false;
  std::optional<Error> failed_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_LIST_WATCH_RESPONSE_H_
