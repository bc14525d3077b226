#include "src/listwatch/watch/watch_server.h"

#include <array>
#include <atomic>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/user_code.h"
#include "src/listwatch/watch/status_text.h"

namespace kinformer::apiserver {
namespace {

/// Back-pressure: with more than this queued, the watch waits for the client.
constexpr std::size_t kMaxQueuedBytes = std::size_t{256} * 1024;
/// Maximum pulls per turn, so that a busy watch does not hold up the others.
constexpr int kPullsPerTurn = 8;

constexpr std::string_view kLineEnd = "}\n";
constexpr std::string_view kFrameEnd = "}";

// In the order of WatchEventType.
constexpr std::array<std::string_view, 5> kBegin = {R"({"type":"ADDED","object":)", R"({"type":"MODIFIED","object":)",
                                                    R"({"type":"DELETED","object":)", R"({"type":"BOOKMARK","object":)",
                                                    R"({"type":"ERROR","object":)"};
// Includes the end of the previous line: one buffer less to queue.
constexpr std::array<std::string_view, 5> kEndAndBegin = {
    "}\n{\"type\":\"ADDED\",\"object\":", "}\n{\"type\":\"MODIFIED\",\"object\":",
    "}\n{\"type\":\"DELETED\",\"object\":", "}\n{\"type\":\"BOOKMARK\",\"object\":",
    "}\n{\"type\":\"ERROR\",\"object\":"};

Buffer BeginOf(WatchEventType type, bool first) {
  return Buffer::Static((first ? kBegin : kEndAndBegin).at(static_cast<std::size_t>(type)));
}

void AppendEventObject(const WatchEvent& event, const ServeOptions& options, std::vector<Buffer>& parts) {
  if (event.type == WatchEventType::kError || event.object == nullptr) {
    parts.emplace_back(StatusText(event.error));
  } else if (options.writer != nullptr) {
    options.writer->Append(event, parts);
  } else {
    AppendObject(event.object, options.form, parts);
  }
}

}  // namespace

void AppendObject(const ObjectPtr& object, ObjectForm form, std::vector<Buffer>& parts) {
  if (form == ObjectForm::kWhole) {
    parts.emplace_back(object, object->Json());
    return;
  }
  parts.push_back(Buffer::Static(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)"));
  const std::string_view metadata = object->At("/metadata").Raw();
  parts.emplace_back(object, metadata.empty() ? std::string_view("{}") : metadata);
  parts.push_back(Buffer::Static("}"));
}

struct WatchServer::Watches {
  Mutex mutex;
  CondVar changed;
  bool stopped KINFORMER_GUARDED_BY(mutex) = false;
  std::unordered_set<std::shared_ptr<ServedWatch>> all KINFORMER_GUARDED_BY(mutex);
};

class WatchServer::ServedWatch final : public std::enable_shared_from_this<ServedWatch> {
 public:
  ServedWatch(TaskPool& pool, std::shared_ptr<Watches> watches, std::unique_ptr<WatchEventStream> events,
              std::shared_ptr<HttpStream> http, std::shared_ptr<WebSocketStream> web_socket, ServeOptions options)
      : pool_(pool),
        watches_(std::move(watches)),
        events_(std::move(events)),
        http_(std::move(http)),
        web_socket_(std::move(web_socket)),
        options_(std::move(options)),
        out_(http_ != nullptr ? static_cast<OutputStream*>(http_.get()) : web_socket_.get()) {}

  /// Wake has no effect before this: the state is kQueued from the start. If this throws, the watch is over.
  void Begin() {
    FinishAtExit finish(*this);
    if (options_.interceptor != nullptr) {
      options_.interceptor->Attach([watch = weak_from_this()] {
        if (const auto self = watch.lock()) self->Wake();
      });
    }
    out_->OnClosed([self = shared_from_this()] { self->Cancel(); });
    if (Post()) finish.Dismiss();
  }

  void Cancel() {
    cancelled_.store(true, std::memory_order_release);
    Wake();
  }

 private:
  enum class State { kIdle, kQueued, kRunning, kRunningAndWoken, kOver };

  /// Calls Finish on scope exit, also after an exception, unless dismissed.
  class FinishAtExit {
   public:
    explicit FinishAtExit(ServedWatch& watch) : watch_(&watch) {}
    ~FinishAtExit() {
      if (watch_ != nullptr) watch_->Finish();
    }
    FinishAtExit(const FinishAtExit&) = delete;
    FinishAtExit& operator=(const FinishAtExit&) = delete;
    void Dismiss() { watch_ = nullptr; }

   private:
    ServedWatch* watch_;
  };

  /// Makes Pump run soon, or once more if it is running. Only signals.
  void Wake() {
    State state = state_.load();
    for (;;) {
      State next = State::kQueued;
      if (state == State::kRunning) {
        next = State::kRunningAndWoken;
      } else if (state != State::kIdle) {
        return;
      }
      if (state_.compare_exchange_weak(state, next)) {
        if (next == State::kQueued) Post();
        return;
      }
    }
  }

  /// False if the pool has been stopped.
  bool Post() {
    return pool_.Post([self = shared_from_this()] { self->Run(); });
  }

  void Run() {
    FinishAtExit finish(*this);
    state_.store(State::kRunning);
    for (;;) {
      const Turn turn = Pump();
      if (turn == Turn::kOver) {
        if (cancelled_.load(std::memory_order_acquire) && !out_->IsClosed()) End();
        return;
      }
      if (turn == Turn::kMore) {
        state_.store(State::kQueued);
        if (Post()) finish.Dismiss();
        return;
      }
      State expected = State::kRunning;
      if (state_.compare_exchange_strong(expected, State::kIdle)) return finish.Dismiss();
      state_.store(State::kRunning);
    }
  }

  enum class Turn { kWaits, kMore, kOver };

  Turn Pump() {
    if (options_.interceptor != nullptr && !std::exchange(begun_, true)) {
      if (!Proceed(options_.interceptor->OnBegin(*out_))) return Turn::kOver;
    }
    if (options_.interceptor != nullptr && !cancelled_.load(std::memory_order_acquire)) {
      const WatchInterceptor::Next next = options_.interceptor->OnTurn(*out_);
      if (next == WatchInterceptor::Next::kPause) return Turn::kWaits;
      if (!Proceed(next)) return Turn::kOver;
    }
    for (int pulls = 0; pulls < kPullsPerTurn; ++pulls) {
      if (cancelled_.load(std::memory_order_acquire)) return Turn::kOver;
      if (out_->QueuedBytes() > kMaxQueuedBytes) {
        out_->NotifyWhenDrained([self = shared_from_this()] { self->Wake(); });
        return Turn::kWaits;
      }
      Result<std::optional<WatchPart>> part = events_->TryNext();
      if (!part) {
        // Errors with a status are sent to the client. Otherwise the watch just ends, and the client reconnects.
        if (part.error().http_status != 0) {
          const std::vector<WatchEvent> last(
              1, WatchEvent{.type = WatchEventType::kError, .object = {}, .error = part.error()});
          if (!Write(last)) return Turn::kOver;
        }
        End();
        return Turn::kOver;
      }
      if (!*part) {
        events_->NotifyWhenReady([self = shared_from_this()] { self->Wake(); });
        return Turn::kWaits;
      }
      if (std::holds_alternative<WatchEnd>(**part)) {
        End();
        return Turn::kOver;
      }
      if (!Write(std::get<std::vector<WatchEvent>>(**part))) return Turn::kOver;
    }
    return Turn::kMore;
  }

  /// False if the watch is over.
  bool Write(const std::vector<WatchEvent>& events) {
    if (events.empty()) return true;
    const bool intercepted = options_.interceptor != nullptr && !options_.interceptor->PassesThrough();
    if (intercepted || web_socket_ != nullptr) return WriteOneByOne(events);
    bool failed = false;
    for (const WatchEvent& event : events) {
      parts_.push_back(BeginOf(event.type, parts_.empty()));
      AppendEventObject(event, options_, parts_);
      failed = event.type == WatchEventType::kError;
      if (failed) break;
    }
    parts_.push_back(Buffer::Static(kLineEnd));
    const bool written = out_->Write(parts_);
    parts_.clear();
    if (written && failed) End();
    return written && !failed;
  }

  bool WriteOneByOne(const std::vector<WatchEvent>& events) {
    for (const WatchEvent& event : events) {
      parts_.clear();
      parts_.push_back(BeginOf(event.type, true));
      AppendEventObject(event, options_, parts_);
      parts_.push_back(Buffer::Static(web_socket_ != nullptr ? kFrameEnd : kLineEnd));
      if (options_.interceptor != nullptr) {
        if (!Proceed(options_.interceptor->OnEvent(event, parts_, *out_))) return false;
      } else if (!out_->Write(parts_)) {
        return false;
      }
      if (event.type == WatchEventType::kError) {
        End();
        return false;
      }
    }
    parts_.clear();
    return true;
  }

  bool Proceed(WatchInterceptor::Next next) {
    if (next == WatchInterceptor::Next::kEnd) End();
    return next == WatchInterceptor::Next::kGoOn;
  }

  void End() {
    if (http_ != nullptr) {
      http_->End();
    } else {
      web_socket_->Close(1000);
    }
  }

  /// Releases everything. Wake has no effect afterwards. A connection that was not ended normally is cut off.
  void Finish() noexcept {
    state_.store(State::kOver);
    // If it throws, it may call back until it is destroyed, which is next.
    (void)internal::Contain([&] { events_->NotifyWhenReady(nullptr); });
    events_.reset();
    parts_.clear();
    options_.interceptor.reset();
    options_.until_end.reset();
    http_.reset();
    web_socket_.reset();
    {
      const MutexLock lock(watches_->mutex);
      watches_->all.erase(shared_from_this());
    }
    watches_->changed.NotifyAll();
  }

  TaskPool& pool_;
  const std::shared_ptr<Watches> watches_;
  std::unique_ptr<WatchEventStream> events_;
  std::shared_ptr<HttpStream> http_;
  std::shared_ptr<WebSocketStream> web_socket_;
  ServeOptions options_;
  OutputStream* const out_;
  std::vector<Buffer> parts_;
  bool begun_ = false;
  std::atomic<bool> cancelled_ = false;
  std::atomic<State> state_ = State::kQueued;
};

WatchServer::WatchServer(TaskPool& pool) : pool_(pool), watches_(std::make_shared<Watches>()) {}

WatchServer::~WatchServer() { Stop(); }

void WatchServer::Serve(std::unique_ptr<WatchEventStream> events, std::shared_ptr<HttpStream> out,
                        ServeOptions options) {
  Begin(std::make_shared<ServedWatch>(pool_, watches_, std::move(events), std::move(out), nullptr, std::move(options)));
}

void WatchServer::Serve(std::unique_ptr<WatchEventStream> events, std::shared_ptr<WebSocketStream> out,
                        ServeOptions options) {
  Begin(std::make_shared<ServedWatch>(pool_, watches_, std::move(events), nullptr, std::move(out), std::move(options)));
}

void WatchServer::Begin(const std::shared_ptr<ServedWatch>& watch) {
  {
    const MutexLock lock(watches_->mutex);
    if (watches_->stopped) return;
    watches_->all.insert(watch);
  }
  watch->Begin();
}

void WatchServer::Stop() {
  std::vector<std::shared_ptr<ServedWatch>> all;
  {
    const MutexLock lock(watches_->mutex);
    watches_->stopped = true;
    all.assign(watches_->all.begin(), watches_->all.end());
  }
  for (const auto& watch : all) watch->Cancel();
  all.clear();
  MutexLock lock(watches_->mutex);
  watches_->changed.Wait(lock, {}, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return watches_->all.empty(); });
}

std::size_t WatchServer::Count() const {
  const MutexLock lock(watches_->mutex);
  return watches_->all.size();
}

}  // namespace kinformer::apiserver
