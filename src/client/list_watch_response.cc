#include "src/client/list_watch_response.h"

#include <utility>
#include <variant>

#include "src/codec/watch_event_reader.h"

namespace kinformer::internal {
namespace {

/// Chunks parsed per call, even if no object is complete, to keep task turns short.
constexpr int kChunksPerCall = 16;

Error CutShort(std::size_t bytes) {
  return Error{.code = ErrorCode::kDisconnected,
               .message = "the watch ended in the middle of an event, after " + std::to_string(bytes) + " bytes of it"};
}

}  // namespace

HttpListStream::HttpListStream(std::unique_ptr<ResponseStream> stream, ResponseContext context)
    : stream_(std::move(stream)), context_(std::move(context)), reader_({.object = context_.object}) {}

Result<std::optional<ListPart>> HttpListStream::TryNext() {
  std::vector<ObjectPtr> items;
  for (int chunks = 0; chunks < kChunksPerCall; ++chunks) {
    if (failed_) return *failed_;
    Result<std::optional<ResponsePart>> part = stream_->TryNext();
    if (!part) return Annotate(std::move(part).error(), context_.action);
    if (!*part) break;
    if (auto* chunk = std::get_if<std::string>(&**part)) {
      if (Result<void> read = reader_.Feed(*chunk, items); !read) failed_ = Malformed(std::move(read).error());
      stream_->Recycle(std::move(*chunk));
      if (!items.empty()) return std::optional<ListPart>(std::move(items));
    } else if (std::holds_alternative<ResponseEnd>(**part)) {
      Result<ListMeta> meta = reader_.Finish();
      if (!meta) return Malformed(std::move(meta).error());
      return std::optional<ListPart>(*std::move(meta));
    }
  }
  return std::optional<ListPart>();
}

void HttpListStream::NotifyWhenReady(std::function<void()> ready) {
  if (!failed_) return stream_->NotifyWhenReady(std::move(ready));
  stream_->NotifyWhenReady(nullptr);
  if (ready) ready();
}

Error HttpListStream::Malformed(Error error) const {
  return Annotate(context_.redactor->Hide(std::move(error)), context_.action);
}

HttpWatchStream::HttpWatchStream(std::unique_ptr<ResponseStream> stream, ResponseContext context)
    : stream_(std::move(stream)), context_(std::move(context)) {}

Result<std::optional<WatchPart>> HttpWatchStream::TryNext() {
  for (int chunks = 0; chunks < kChunksPerCall; ++chunks) {
    if (failed_) return Annotate(*failed_, context_.action);
    if (ended_) return std::optional<WatchPart>(WatchEnd{});
    Result<std::optional<ResponsePart>> part = stream_->TryNext();
    if (!part) {
      failed_ = std::move(part).error();
      continue;
    }
    if (!*part) break;
    std::vector<WatchEvent> events;
    if (std::holds_alternative<ResponseHead>(**part)) return std::optional<WatchPart>(std::move(events));
    if (auto* chunk = std::get_if<std::string>(&**part)) {
      ReadFrames(*chunk, events);
      stream_->Recycle(std::move(*chunk));
    } else {
      ended_ = true;
      ReadRest(events);
    }
    if (!events.empty()) return std::optional<WatchPart>(std::move(events));
  }
  if (failed_) return Annotate(*failed_, context_.action);
  return std::optional<WatchPart>();
}

void HttpWatchStream::NotifyWhenReady(std::function<void()> ready) {
  if (!failed_ && !ended_) return stream_->NotifyWhenReady(std::move(ready));
  stream_->NotifyWhenReady(nullptr);
  if (ready) ready();
}

void HttpWatchStream::ReadFrames(std::string_view chunk, std::vector<WatchEvent>& events) {
  splitter_.Feed(chunk);
  for (;;) {
    Result<std::optional<std::string_view>> frame = splitter_.Next();
    if (!frame) {
      failed_ = std::move(frame).error();
      return;
    }
    if (!*frame) return;
    Result<WatchEvent> event = ReadWatchEvent(**frame, context_.object);
    if (!event) {
      failed_ = context_.redactor->Hide(std::move(event).error());
      return;
    }
    Take(*std::move(event), events);
  }
}

// The last line may lack its newline if it is complete.
void HttpWatchStream::ReadRest(std::vector<WatchEvent>& events) {
  const std::optional<std::string_view> rest = splitter_.Rest();
  if (!rest) return;
  Result<WatchEvent> event = ReadWatchEvent(*rest, context_.object);
  if (event) {
    Take(*std::move(event), events);
  } else {
    failed_ = CutShort(rest->size());
  }
}

void HttpWatchStream::Take(WatchEvent event, std::vector<WatchEvent>& events) const {
  if (event.type == WatchEventType::kError) event.error = context_.redactor->Hide(std::move(event.error));
  events.push_back(std::move(event));
}

}  // namespace kinformer::internal
