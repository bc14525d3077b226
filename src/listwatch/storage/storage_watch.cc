#include "src/listwatch/storage/storage_watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/listwatch/storage/object_codec.h"
#include "src/listwatch/storage/ready_signal.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

constexpr std::chrono::seconds kBookmarkInterval{60};
constexpr std::chrono::seconds kBeforeDeadline{2};
constexpr std::size_t kInitialPerPart = 256;

Error Undecodable(const std::string& key, const Error& error) {
  return InternalServerError("cannot decode what is stored at " + key + ": " + error.message);
}

class ErrorWatch final : public WatchEventStream {
 public:
  explicit ErrorWatch(Error error) : error_(std::move(error)) {}

  Result<std::optional<WatchPart>> TryNext() override {
    if (std::exchange(sent_, true)) return std::optional<WatchPart>(WatchEnd{});
    return std::optional<WatchPart>(
        std::vector<WatchEvent>{{.type = WatchEventType::kError, .object = nullptr, .error = error_}});
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready) ready();
  }

 private:
  const Error error_;
  bool sent_ = false;
};

}  // namespace

/// State used by the pool's timers. They hold it weakly, so they do not keep a closed watch alive.
struct StorageWatch::Timers {
  ReadySignal ready{};
  std::atomic<bool> bookmark_due = false;

  static void Arm(const std::shared_ptr<Timers>& timers, const std::shared_ptr<Backend>& backend, TaskPool& pool,
                  TimePoint now, Bookmarks bookmarks, std::optional<TimePoint> deadline) {
    if (deadline) {
      pool.PostAt(*deadline, [weak = std::weak_ptr(timers)] {
        if (const auto alive = weak.lock()) alive->ready.Fire();
      });
    }
    if (bookmarks == Bookmarks::kPeriodic) ArmBookmark(timers, backend, pool, now, deadline);
  }

  static void ArmBookmark(const std::shared_ptr<Timers>& timers, const std::weak_ptr<Backend>& backend, TaskPool& pool,
                          TimePoint now, std::optional<TimePoint> deadline) {
    TimePoint when = now + kBookmarkInterval;
    if (deadline && *deadline - kBeforeDeadline <= when) when = *deadline - kBeforeDeadline;
    if (when < now || (deadline && now >= *deadline - kBeforeDeadline)) return;
    pool.PostAt(when, [weak = std::weak_ptr(timers), backend, &pool, when, deadline] {
      const auto alive = weak.lock();
      const auto source = backend.lock();
      if (alive == nullptr || source == nullptr) return;
      alive->bookmark_due = true;
      if (source->ProgressIsReliable()) {
        source->RequestProgress();
      } else {
        alive->ready.Fire();
      }
      ArmBookmark(alive, backend, pool, when, deadline);
    });
  }
};

StorageWatch::StorageWatch(std::shared_ptr<Backend> backend, std::shared_ptr<const StorageOptions> storage,
                           const std::string& key, StorageWatchOptions options, TaskPool& pool)
    : backend_(std::move(backend)),
      storage_(std::move(storage)),
      options_(std::move(options)),
      clock_(pool.clock()),
      timers_(std::make_shared<Timers>()),
      changes_(backend_->Watch(key, options_.start)),
      delivered_(options_.start) {
  Timers::Arm(timers_, backend_, pool, clock_->Now(), options_.bookmarks, options_.deadline);
}

StorageWatch::~StorageWatch() {
  changes_->NotifyWhenReady(nullptr);
  timers_->ready.Set(nullptr);
}

bool StorageWatch::Overdue() const { return options_.deadline && clock_->Now() >= *options_.deadline; }

Result<std::optional<WatchPart>> StorageWatch::Fail(Error error) {
  ended_ = true;
  if (error.code == ErrorCode::kServer) {
    return std::optional<WatchPart>(
        Events{{.type = WatchEventType::kError, .object = nullptr, .error = std::move(error)}});
  }
  if (options_.report_outages) return error;
  return std::optional<WatchPart>(WatchEnd{});
}

StorageWatch::Events StorageWatch::InitialEvents() {
  Events events;
  for (; sent_initial_ < options_.initial.size() && events.size() < kInitialPerPart; ++sent_initial_) {
    KeyValue& item = options_.initial[sent_initial_];
    Result<ObjectPtr> object = DecodeObject(*item.value, item.mod_revision, storage_->kind, storage_->convert);
    if (!object) {
      ended_ = true;
      events.push_back(
          {.type = WatchEventType::kError, .object = nullptr, .error = Undecodable(item.key, object.error())});
      return events;
    }
    item = {};
    if (!options_.predicate.Matches(**object, *storage_)) continue;
    events.push_back({.type = WatchEventType::kAdded, .object = *std::move(object), .error = {}});
  }
  if (sent_initial_ == options_.initial.size()) {
    options_.initial.clear();
    sent_initial_ = 0;
    if (std::exchange(options_.mark_initial_end, false)) {
      events.push_back({.type = WatchEventType::kBookmark,
                        .object = MakeBookmark(storage_->kind, options_.start, true),
                        .error = {}});
    }
  }
  return events;
}

std::optional<WatchEvent> StorageWatch::ToEvent(const BackendEvent& event) const {
  const bool all = options_.predicate.IsEverything();
  const bool put = event.kind == BackendEvent::Kind::kPut;
  const auto failed = [&](const Error& error) {
    return WatchEvent{.type = WatchEventType::kError, .object = nullptr, .error = Undecodable(event.now.key, error)};
  };
  ObjectPtr now;
  if (put) {
    Result<ObjectPtr> decoded =
        DecodeObject(*event.now.value, event.now.mod_revision, storage_->kind, storage_->convert);
    if (!decoded) return failed(decoded.error());
    now = *std::move(decoded);
  }
  const bool matches = put && (all || options_.predicate.Matches(*now, *storage_));
  // Decode the previous object only if the result depends on it.
  bool matched = event.before.has_value();
  ObjectPtr before;
  if (matched && (!all || !matches)) {
    // At the revision of the change, as in DELETED events.
    Result<ObjectPtr> decoded =
        DecodeObject(*event.before->value, event.now.mod_revision, storage_->kind, storage_->convert);
    if (!decoded) return failed(decoded.error());
    before = *std::move(decoded);
    matched = all || options_.predicate.Matches(*before, *storage_);
  }
  if (matches) {
    return WatchEvent{
        .type = matched ? WatchEventType::kModified : WatchEventType::kAdded, .object = std::move(now), .error = {}};
  }
  if (matched) return WatchEvent{.type = WatchEventType::kDeleted, .object = std::move(before), .error = {}};
  return std::nullopt;
}

std::optional<WatchEvent> StorageWatch::ToBookmark(const BackendEvents& part) {
  const bool newer = part.revision > delivered_;
  delivered_ = std::max(delivered_, part.revision);
  const bool wanted = options_.bookmarks == Bookmarks::kAllProgress
                          ? newer
                          : options_.bookmarks == Bookmarks::kPeriodic && delivered_ > options_.start &&
                                timers_->bookmark_due.exchange(false);
  if (!wanted) return std::nullopt;
  return WatchEvent{
      .type = WatchEventType::kBookmark, .object = MakeBookmark(storage_->kind, delivered_, false), .error = {}};
}

Result<std::optional<WatchPart>> StorageWatch::TryNext() {
  if (ended_ || Overdue()) {
    ended_ = true;
    return std::optional<WatchPart>(WatchEnd{});
  }
  if (!accepted_ && !options_.report_outages) {
    accepted_ = true;
    return std::optional<WatchPart>(Events{});
  }
  while (!options_.initial.empty() || options_.mark_initial_end) {
    if (Events events = InitialEvents(); !events.empty()) return std::optional<WatchPart>(std::move(events));
  }
  for (;;) {
    Result<std::optional<BackendEvents>> part = changes_->TryNext();
    if (!part) return Fail(std::move(part).error());
    const bool first = !accepted_ && changes_->Accepted();
    accepted_ = accepted_ || first;
    Events events;
    if (*part) {
      for (const BackendEvent& change : (*part)->events) {
        std::optional<WatchEvent> event = ToEvent(change);
        delivered_ = std::max(delivered_, change.now.mod_revision);
        if (!event) continue;
        ended_ = event->type == WatchEventType::kError;
        events.push_back(*std::move(event));
        if (ended_) return std::optional<WatchPart>(std::move(events));
      }
      if (auto bookmark = ToBookmark(**part)) events.push_back(*std::move(bookmark));
    } else if (timers_->bookmark_due && !backend_->ProgressIsReliable()) {
      // The backend will not report progress: use the last revision delivered.
      if (auto bookmark = ToBookmark({})) events.push_back(*std::move(bookmark));
      timers_->bookmark_due = false;
    }
    // An empty part announces acceptance, unless events do: progress alone may give none.
    if (first || !events.empty()) return std::optional<WatchPart>(std::move(events));
    if (!*part) return std::optional<WatchPart>();
  }
}

void StorageWatch::NotifyWhenReady(std::function<void()> ready) {
  const bool wanted = ready != nullptr;
  timers_->ready.Set(std::move(ready));
  if (!wanted) return changes_->NotifyWhenReady(nullptr);
  const bool at_once = ended_ || (!accepted_ && !options_.report_outages) || !options_.initial.empty() ||
                       options_.mark_initial_end || Overdue() ||
                       (timers_->bookmark_due && !backend_->ProgressIsReliable());
  if (at_once) return timers_->ready.Fire();
  changes_->NotifyWhenReady([timers = timers_] { timers->ready.Fire(); });
}

std::unique_ptr<WatchEventStream> MakeErrorWatch(Error error) { return std::make_unique<ErrorWatch>(std::move(error)); }

}  // namespace kinformer::apiserver
