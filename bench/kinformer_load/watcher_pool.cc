#include "bench/kinformer_load/watcher_pool.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinformer::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Watches opened concurrently: a server's accept queue is limited.
constexpr std::size_t kOpening = 32;
constexpr std::size_t kBufferBytes = 64U << 10U;
/// How often to check for a stop.
constexpr std::chrono::milliseconds kLook{100};

}  // namespace

WatcherPool::WatcherPool(const Target& target, WatcherPoolOptions options)
    : target_(target), options_(std::move(options)), log_(options_.creations), buffer_(kBufferBytes) {}

Result<void> WatcherPool::Watch(Watcher& watcher) {
  const std::string& version = watcher.seen == 0 ? options_.version : log_.VersionAt(watcher.seen);
  return watcher.link.Send(
      target_.Request("GET", options_.path + "?watch=true&timeoutSeconds=3600&resourceVersion=" + version));
}

Result<void> WatcherPool::TakeBody(Watcher& watcher, std::string_view piece) {
  bytes_ += piece.size();
  Result<void> outcome;
  watcher.lines.Take(piece, [&](std::string_view line) {
    const auto kind = log_.Check(line, watcher.seen);
    if (!kind) {
      outcome = kind.error();
      return false;
    }
    if (*kind == EventLog::Kind::kOther) return true;
    ++deliveries_;
    if (++watcher.seen == options_.creations) ++complete_;
    return true;
  });
  return outcome;
}

Result<void> WatcherPool::OnReady(Watcher& watcher) {
  Result<void> taken;
  auto done = watcher.link.OnReady(buffer_, [&](std::string_view piece) {
    if (taken && watcher.link.answer().status() == 200) taken = TakeBody(watcher, piece);
  });
  if (!taken) return taken;
  if (!done) return done;
  const ResponseReader& answer = watcher.link.answer();
  if (answer.HeadDone() && answer.status() != 200) {
    return Error{.code = ErrorCode::kServer,
                 .message = "a watch was refused with " + std::to_string(answer.status()),
                 .http_status = answer.status()};
  }
  if (answer.HeadDone() && !std::exchange(watcher.answered, true)) ++answered_;
  if (!answer.Done()) return {};
  if (!watcher.lines.Empty()) {
    return Error{.code = ErrorCode::kMalformed, .message = "a watch ended in the midst of a line"};
  }
  // Servers close the watch of a slow reader normally; it resumes and misses nothing.
  ++resumed_;
  return Watch(watcher);
}

Result<void> WatcherPool::Open() {
  auto heard = SteadyClock::now();
  while (answered_ < options_.watchers) {
    while (watchers_.size() < options_.watchers && watchers_.size() < answered_ + kOpening) {
      watchers_.push_back(std::make_unique<Watcher>(target_, poller_, watchers_.size()));
      if (auto sent = Watch(*watchers_.back()); !sent) return sent;
    }
    const auto ready = poller_.Wait(kLook);
    if (!ready.empty()) heard = SteadyClock::now();
    if (SteadyClock::now() - heard > options_.timeout) {
      return Error{.code = ErrorCode::kDeadlineExceeded,
                   .message = std::to_string(answered_) + " watches are open, and no more"};
    }
    for (const epoll_event& event : ready) {
      if (auto done = OnReady(*watchers_[event.data.u64]); !done) return done;
    }
  }
  return {};
}

Result<void> WatcherPool::Run(const std::stop_token& stop) {
  auto heard = SteadyClock::now();
  std::size_t heard_of = deliveries_;
  while (complete_ < options_.watchers) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped"};
    const auto ready = poller_.Wait(kLook);
    for (const epoll_event& event : ready) {
      if (auto done = OnReady(*watchers_[event.data.u64]); !done) return done;
    }
    const auto now = SteadyClock::now();
    if (std::exchange(heard_of, deliveries_) != deliveries_) heard = now;
    if (now - heard > options_.timeout) {
      const auto least = std::min_element(watchers_.begin(), watchers_.end(),
                                          [](const auto& a, const auto& b) { return a->seen < b->seen; });
      return Error{.code = ErrorCode::kDeadlineExceeded,
                   .message = std::to_string(complete_) + " of " + std::to_string(options_.watchers) +
                              " watchers have seen all, one only " + std::to_string((*least)->seen) +
                              " creations, and nothing more comes"};
    }
  }
  return {};
}

}  // namespace kinformer::bench
