#include <kinformer/client/watch_stream.h>

#include <utility>
#include <variant>

#include "src/base/await_ready.h"
#include "src/client/watch_stream_impl.h"
#include "src/codec/watch_event_reader.h"

namespace kinformer {
namespace {

Error CutShort(std::size_t bytes) {
  return Error{.code = ErrorCode::kDisconnected,
               .message = "the watch ended in the middle of an event, after " + std::to_string(bytes) + " bytes of it"};
}

}  // namespace

WatchStream::WatchStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WatchStream::WatchStream(WatchStream&&) noexcept = default;
WatchStream& WatchStream::operator=(WatchStream&&) noexcept = default;
WatchStream::~WatchStream() = default;

Result<WatchStream::Poll> WatchStream::TryNext(WatchEvent& event) {
  for (;;) {
    Result<std::optional<std::string_view>> frame = impl_->splitter.Next();
    if (!frame) return std::move(frame).error();
    if (*frame) {
      Result<WatchEvent> read = internal::ReadWatchEvent(**frame, impl_->object_options);
      if (!read) return impl_->redactor->Hide(std::move(read).error());
      event = *std::move(read);
      if (event.type == WatchEventType::kError) event.error = impl_->redactor->Hide(std::move(event.error));
      return Poll::kEvent;
    }
    if (impl_->ended) return Poll::kEnd;
    Result<std::optional<ResponsePart>> part = impl_->stream->TryNext();
    if (!part) return std::move(part).error();
    if (!*part) return Poll::kNothingYet;
    if (auto* chunk = std::get_if<std::string>(&**part)) {
      impl_->chunk = std::move(*chunk);
      impl_->splitter.Feed(impl_->chunk);
    } else if (std::holds_alternative<ResponseEnd>(**part)) {
      impl_->ended = true;
      if (const std::optional<std::string_view> rest = impl_->splitter.Rest()) {
        // The last line may lack its newline, as long as it is whole.
        Result<WatchEvent> read = internal::ReadWatchEvent(*rest, impl_->object_options);
        if (!read) return CutShort(rest->size());
        event = *std::move(read);
        if (event.type == WatchEventType::kError) event.error = impl_->redactor->Hide(std::move(event.error));
        return Poll::kEvent;
      }
    }
  }
}

void WatchStream::NotifyWhenReady(std::function<void()> ready) { impl_->stream->NotifyWhenReady(std::move(ready)); }

Result<std::optional<WatchEvent>> WatchStream::Next(const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while watching"};
    WatchEvent event;
    Result<Poll> poll = TryNext(event);
    if (!poll) return std::move(poll).error();
    if (*poll == Poll::kEvent) return std::optional(std::move(event));
    if (*poll == Poll::kEnd) return std::optional<WatchEvent>();
    internal::AwaitReady(*this, stop);
  }
}

}  // namespace kinformer
