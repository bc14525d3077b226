#include <kinformer/watch/retry_watcher.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/await_ready.h"
#include "src/base/user_code.h"
#include "src/client/http_lister_watcher.h"
#include "src/watch/retry_watcher_state.h"

namespace kinformer {
namespace {

using internal::RetryWatcherState;

Error BadSource(const std::string& what) {
  return {.code = ErrorCode::kInternal, .message = "the ListerWatcher " + what};
}

/// Runs user code; turns exceptions into GiveUp, because a source that throws is considered broken.
template <typename Call>
std::optional<RetryWatcherState::Step> Guarded(Call&& call) {
  auto step = internal::ContainResult(call, [](const std::string& what) { return BadSource("threw: " + what); });
  if (!step) return RetryWatcherState::GiveUp{std::move(step).error()};
  return *std::move(step);
}

}  // namespace

struct RetryWatcher::Impl {
  Impl(std::shared_ptr<ListerWatcher> s, std::string version, RetryWatcherOptions o)
      : source(std::move(s)), options(std::move(o)), state(std::move(version), options.min_restart_delay) {}

  TimePoint Now() const { return options.clock->Now(); }

  RetryWatcherState::Step Begin() {
    state.Began(Now());
    stream = source->Watch({.resource_version = state.resource_version(), .allow_bookmarks = true});
    if (stream == nullptr) return RetryWatcherState::GiveUp{BadSource("returned a null stream")};
    return RetryWatcherState::ReadOn{};
  }

  /// The next step; nullopt if nothing has arrived.
  std::optional<RetryWatcherState::Step> Take() {
    if (arrived.empty()) {
      Result<std::optional<WatchPart>> part = stream->TryNext();
      if (!part) return state.OnFailed(std::move(part).error(), Now());
      if (!*part) return std::nullopt;
      auto* events = std::get_if<std::vector<WatchEvent>>(&**part);
      if (events == nullptr) return state.OnClosed(Now());
      if (events->empty()) {
        state.Opened();
        return RetryWatcherState::ReadOn{};
      }
      for (WatchEvent& event : *events) arrived.push_back(std::move(event));
    }
    WatchEvent event = std::move(arrived.front());
    arrived.pop_front();
    return state.OnEvent(std::move(event), Now());
  }

  /// Blocks until there may be something to do, the deadline passes or a stop is requested.
  void Await(std::optional<TimePoint> deadline, const std::stop_token& stop) {
    const Clock& clock = *options.clock;
    if (stream != nullptr) {
      internal::AwaitReady(*stream, clock, deadline, stop);
    } else {
      (void)clock.SleepUntil(deadline ? std::min(*deadline, begin_at) : begin_at, stop);
    }
  }

  void Drop() {
    stream.reset();
    arrived.clear();
  }

  const std::shared_ptr<ListerWatcher> source;
  const RetryWatcherOptions options;
  RetryWatcherState state;
  std::unique_ptr<WatchEventStream> stream;
  std::deque<WatchEvent> arrived;  ///< Rest of one part; bounded by what the source returns at once.
  TimePoint begin_at = TimePoint::min();
  std::optional<Error> gave_up;
};

RetryWatcher::RetryWatcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RetryWatcher::RetryWatcher(RetryWatcher&&) noexcept = default;
RetryWatcher& RetryWatcher::operator=(RetryWatcher&&) noexcept = default;
RetryWatcher::~RetryWatcher() = default;

Result<RetryWatcher> RetryWatcher::Create(std::shared_ptr<ListerWatcher> source, std::string resource_version,
                                          const RetryWatcherOptions& options) {
  if (resource_version.empty() || resource_version == "0") {
    return Error{
        .code = ErrorCode::kInvalidArgument,
        .message = "RetryWatcher needs the resourceVersion of a list to start from, not \"" + resource_version + "\""};
  }
  if (source == nullptr || options.clock == nullptr) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "a RetryWatcher needs a source and a clock"};
  }
  if (options.min_restart_delay < Duration::zero()) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "min_restart_delay is negative"};
  }
  return RetryWatcher(std::make_unique<Impl>(std::move(source), std::move(resource_version), options));
}

Result<RetryWatcher> RetryWatcher::Create(const ResourceClient& client, std::string resource_version,
                                          const Selection& selection, const RetryWatcherOptions& options) {
  return Create(internal::MakeHttpListerWatcher(client, selection), std::move(resource_version), options);
}

Result<WatchEvent> RetryWatcher::Next(const std::stop_token& stop) { return NextBefore(std::nullopt, stop); }

Result<WatchEvent> RetryWatcher::NextBefore(std::optional<TimePoint> deadline, const std::stop_token& stop) {
  if (impl_ == nullptr) {
    return Error{.code = ErrorCode::kFailedPrecondition, .message = "the watch was moved to another RetryWatcher"};
  }
  Impl& impl = *impl_;
  const Clock& clock = *impl.options.clock;
  if (impl.gave_up) return *impl.gave_up;
  for (;;) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while watching"};
    std::optional<RetryWatcherState::Step> step = Guarded([&]() -> std::optional<RetryWatcherState::Step> {
      // Data that has already arrived takes precedence over a deadline.
      if (impl.stream != nullptr) return impl.Take();
      if (clock.Now() >= impl.begin_at) return impl.Begin();
      return std::nullopt;
    });
    if (!step && deadline && clock.Now() >= *deadline) {
      return Error{.code = ErrorCode::kDeadlineExceeded, .message = "no event in time"};
    }
    if (!step) {
      step = Guarded([&]() -> std::optional<RetryWatcherState::Step> {
        impl.Await(deadline, stop);
        return RetryWatcherState::ReadOn{};
      });
    }
    if (auto* show = std::get_if<RetryWatcherState::Show>(&*step)) return std::move(show->event);
    if (const auto* again = std::get_if<RetryWatcherState::BeginAgain>(&*step)) {
      impl.Drop();
      impl.begin_at = again->at;
      if (const std::optional<Error>& why = impl.state.last_error()) {
        impl.options.logger.Info("retry-watcher", "watch failed, restarting",
                                 {{"error", ToString(*why)}, {"resourceVersion", impl.state.resource_version()}});
      }
    } else if (auto* give_up = std::get_if<RetryWatcherState::GiveUp>(&*step)) {
      impl.Drop();
      impl.gave_up = give_up->error;
      return std::move(give_up->error);
    }
  }
}

const std::string& RetryWatcher::ResourceVersion() const& {
  static const std::string kNone;
  return impl_ == nullptr ? kNone : impl_->state.resource_version();
}

const std::optional<Error>& RetryWatcher::LastError() const& {
  static const std::optional<Error> kNone;
  return impl_ == nullptr ? kNone : impl_->state.last_error();
}

const std::shared_ptr<const Clock>& RetryWatcher::clock() const& {
  return impl_ == nullptr ? Clock::System() : impl_->options.clock;
}

}  // namespace kinformer
