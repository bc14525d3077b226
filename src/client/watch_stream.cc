#include <kinformer/client/watch_stream.h>

#include <utility>
#include <variant>
#include <vector>

#include "src/base/await_ready.h"
#include "src/client/watch_stream_impl.h"

namespace kinformer {
namespace {

Error MovedFrom() {
  return Error{.code = ErrorCode::kFailedPrecondition, .message = "the watch was moved to another WatchStream"};
}

}  // namespace

WatchStream::WatchStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WatchStream::WatchStream(WatchStream&&) noexcept = default;
WatchStream& WatchStream::operator=(WatchStream&&) noexcept = default;
WatchStream::~WatchStream() = default;

Result<WatchStream::Poll> WatchStream::TryNext(WatchEvent& event) {
  if (impl_ == nullptr) return MovedFrom();
  while (impl_->arrived.empty()) {
    Result<std::optional<WatchPart>> part = impl_->events->TryNext();
    if (!part) return std::move(part).error();
    if (!*part) return Poll::kNothingYet;
    auto* events = std::get_if<std::vector<WatchEvent>>(&**part);
    if (events == nullptr) return Poll::kEnd;
    for (WatchEvent& arrived : *events) impl_->arrived.push_back(std::move(arrived));
  }
  event = std::move(impl_->arrived.front());
  impl_->arrived.pop_front();
  return Poll::kEvent;
}

void WatchStream::NotifyWhenReady(std::function<void()> ready) {
  if (impl_ == nullptr) {
    if (ready) ready();
    return;
  }
  if (impl_->arrived.empty() || !ready) return impl_->events->NotifyWhenReady(std::move(ready));
  impl_->events->NotifyWhenReady(nullptr);
  ready();
}

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
