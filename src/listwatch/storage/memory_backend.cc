#include "src/listwatch/storage/memory_backend.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "src/base/mutex.h"
#include "src/listwatch/storage/compaction_schedule.h"
#include "src/listwatch/storage/expiry_queue.h"
#include "src/listwatch/storage/memory_watchers.h"
#include "src/listwatch/storage/mvcc_log.h"
#include "src/listwatch/storage/range_counts.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

/// Compaction releases the lock after this many dropped changes.
constexpr int kDroppedPerTurn = 1024;

Error InterruptedError() { return {.code = ErrorCode::kUnreachable, .message = "the storage is interrupted"}; }
Error WatchTooOldError() { return ExpiredError("The resourceVersion for the provided watch is too old."); }

}  // namespace

/// The lock and the thread, around the parts that know neither.
class MemoryBackend::Core {
 public:
  explicit Core(MemoryBackendOptions options) : options_(std::move(options)) {}

  BackendFaults& faults() { return faults_; }

  void Start() {
    const MutexLock lock(mutex_);
    if (closed_ || thread_.joinable()) return;
    thread_ = std::jthread([this](const std::stop_token& stop) { ExpireAndCompact(stop); });
  }

  void Close() {
    std::jthread thread;
    {
      const MutexLock lock(mutex_);
      closed_ = true;
      thread = std::move(thread_);
    }
    if (thread.joinable()) {
      thread.request_stop();
      thread.join();
    }
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    watchers_.EndAll({.code = ErrorCode::kDisconnected, .message = "the storage was closed"}, woken);
  }

  /// `value` null: a delete.
  Result<WriteOutcome> Write(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl) {
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    if (interrupted_) return InterruptedError();
    Expire(woken);
    ++stats_.writes;
    const MvccLog::Position at = log_.Find(key);
    const MvccLog::Version* const current = log_.Current(at);
    if ((current == nullptr ? 0 : current->mod_revision) != replaces) {
      return WriteOutcome{.revision = 0,
                          .current = current == nullptr ? KeyValue{.key = key} : ToKeyValue(key, *current)};
    }
    // Deleting a missing key changes nothing.
    if (value == nullptr && current == nullptr) return WriteOutcome{.revision = log_.revision()};
    Append(log_.IsEnd(at) ? log_.Insert(key) : at, std::move(value), ttl, woken);
    return WriteOutcome{.revision = log_.revision()};
  }

  Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key) {
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    if (interrupted_) return InterruptedError();
    Expire(woken);
    ++stats_.gets;
    std::optional<KeyValue> found;
    if (const MvccLog::Version* const current = log_.Current(log_.Find(key))) found = ToKeyValue(key, *current);
    return std::pair(std::move(found), log_.revision());
  }

  Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) {
    MvccLog::RangeRead read{.query = query, .from = std::max(query.start, query.prefix)};
    RangeResult& result = read.result;
    std::uint64_t wipes = 0;
    {
      WokenWatchers woken;
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      Expire(woken);
      ++stats_.ranges;
      if (query.revision > log_.revision()) return TooLargeResourceVersionError(query.revision, log_.revision());
      if (query.revision != 0 && query.revision < log_.compacted()) {
        return ExpiredError("The resourceVersion for the provided list is too old.");
      }
      result.revision = query.revision == 0 ? log_.revision() : query.revision;
      result.count = counts_.Find(query);
      read.counted = result.count > 0;
      wipes = wipes_;
      log_.Pin(result.revision);
    }
    while (ReadSome(read)) {
      if (stop.stop_requested()) break;
    }
    if (!read.counted) result.count = read.found;
    const MutexLock lock(mutex_);
    log_.Unpin(result.revision);
    if (stop.stop_requested()) return CancelledError();
    // Part of the result may be from before the wipe.
    if (wipes != wipes_) return ExpiredError("The storage was wiped while the list was read.");
    counts_.Remember(query, result);
    return std::move(result);
  }

  Result<Revision> CurrentRevision() {
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    if (interrupted_) return InterruptedError();
    Expire(woken);
    return log_.revision();
  }

  Result<void> Compact(Revision revision) {
    {
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      if (revision > log_.revision()) return TooLargeResourceVersionError(revision, log_.revision());
      if (!log_.Compact(revision)) return ExpiredError("the revision has been compacted already");
    }
    DropCompacted();
    return {};
  }

  MemoryWatcherPtr AddWatcher(const std::string& prefix, Revision after) {
    auto watcher = std::make_shared<MemoryWatcher>();
    watcher->prefix = prefix;
    watcher->delivered = after;
    const MutexLock lock(mutex_);
    if (interrupted_ || closed_) {
      watcher->end = InterruptedError();
    } else if (after < log_.compacted()) {
      watcher->end = WatchTooOldError();
    } else if (after < log_.revision()) {
      watcher->pending = after + 1;
    }
    watchers_.Add(watcher);
    return watcher;
  }

  void RemoveWatcher(const MemoryWatcherPtr& watcher) {
    const MutexLock lock(mutex_);
    watchers_.Remove(watcher);
  }

  Result<std::optional<BackendEvents>> Next(MemoryWatcher& watcher) {
    BackendEvents part;
    for (;;) {
      const MutexLock lock(mutex_);
      if (watcher.end) return *watcher.end;
      if (watcher.pending != 0) {
        if (watcher.pending <= log_.compacted()) {
          watcher.end = WatchTooOldError();
          return *watcher.end;
        }
        watcher.Read(log_, part);
        if (!part.events.empty()) return std::optional(std::move(part));
        if (watcher.pending != 0) continue;
      }
      return watcher.TakeProgress(log_.revision());
    }
  }

  bool HasSomething(const MemoryWatcher& watcher) {
    const MutexLock lock(mutex_);
    return watcher.HasSomething();
  }

  void RequestProgress() {
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    watchers_.RequestProgress(woken);
  }

  void Interrupt() {
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    interrupted_ = true;
    watchers_.EndAll({.code = ErrorCode::kDisconnected, .message = "the storage was interrupted"}, woken);
  }
  void Resume() {
    const MutexLock lock(mutex_);
    interrupted_ = false;
  }
  void Wipe() {
    WokenWatchers woken;
    const MutexLock lock(mutex_);
    ++wipes_;
    counts_.Clear();
    expiries_.Clear();
    log_.Wipe();
    watchers_.EndAll(WatchTooOldError(), woken);
  }

  MemoryBackendStats Stats() {
    const MutexLock lock(mutex_);
    MemoryBackendStats stats = stats_;
    stats.keys = log_.keys();
    stats.log_entries = log_.changes();
    stats.history_bytes = log_.history_bytes();
    stats.open_watches = watchers_.size();
    return stats;
  }

 private:
  void Append(MvccLog::Position at, Bytes value, std::chrono::seconds ttl, WokenWatchers& woken)
      KINFORMER_REQUIRES(mutex_) {
    expiries_.Cancel(at);
    log_.Append(at, std::move(value));
    if (ttl > std::chrono::seconds(0) && expiries_.Set(at, options_.clock->Now() + ttl)) changed_.NotifyAll();
    watchers_.Wake(at->first, log_.revision(), woken);
    log_.TrimTo(options_.max_history_bytes);
  }

  void Expire(WokenWatchers& woken) KINFORMER_REQUIRES(mutex_) {
    if (expiries_.empty()) return;
    const TimePoint now = options_.clock->Now();
    while (expiries_.Next() <= now) Append(expiries_.Front(), nullptr, std::chrono::seconds(0), woken);
  }

  bool ReadSome(MvccLog::RangeRead& read) {
    const MutexLock lock(mutex_);
    return log_.ReadSome(read);
  }

  void DropCompacted() {
    for (bool more = true; more;) {
      const MutexLock lock(mutex_);
      for (int i = 0; more && i < kDroppedPerTurn; ++i) more = log_.DropOldest();
    }
  }

  void ExpireAndCompact(const std::stop_token& stop) {
    CompactionSchedule compaction(options_.compaction_interval, options_.clock->Now());
    while (!stop.stop_requested()) {
      bool compacted = false;
      {
        WokenWatchers woken;
        MutexLock lock(mutex_);
        const TimePoint expiry = expiries_.Next();
        const TimePoint due = std::min(expiry, compaction.Next());
        changed_.Wait(lock, *options_.clock, due == TimePoint::max() ? std::nullopt : std::optional(due), stop,
                      [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return expiries_.Next() < expiry; });
        if (stop.stop_requested()) return;
        Expire(woken);
        const TimePoint now = options_.clock->Now();
        if (compaction.Due(now)) {
          compacted = log_.Compact(compaction.Take(now, log_.revision()));
          // So that idle watches have a revision from which they can resume after the next compaction.
          watchers_.RequestProgress(woken);
        }
      }
      if (compacted) DropCompacted();
    }
  }

  const MemoryBackendOptions options_;
  BackendFaults faults_;
  Mutex mutex_;
  CondVar changed_;  ///< Notified when the next expiry becomes earlier.
  std::jthread thread_ KINFORMER_GUARDED_BY(mutex_);
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool interrupted_ KINFORMER_GUARDED_BY(mutex_) = false;
  /// Detects ranges during which the storage was wiped.
  std::uint64_t wipes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  MvccLog log_ KINFORMER_GUARDED_BY(mutex_);
  RangeCounts counts_ KINFORMER_GUARDED_BY(mutex_);
  ExpiryQueue expiries_ KINFORMER_GUARDED_BY(mutex_);
  MemoryWatchers watchers_ KINFORMER_GUARDED_BY(mutex_);
  /// Only the numbers of calls; the rest is computed by Stats.
  MemoryBackendStats stats_ KINFORMER_GUARDED_BY(mutex_);
};

class MemoryBackend::WatchStream final : public BackendWatch {
 public:
  WatchStream(std::shared_ptr<Core> core, const std::string& prefix, Revision after, std::optional<Error> fault)
      : core_(std::move(core)), fault_(std::move(fault)), watcher_(core_->AddWatcher(prefix, after)) {}
  ~WatchStream() override {
    core_->RemoveWatcher(watcher_);
    watcher_->ready.Set(nullptr);
  }
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  Result<std::optional<BackendEvents>> TryNext() override {
    if (fault_) return *fault_;
    return core_->Next(*watcher_);
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    watcher_->ready.Set(std::move(ready));
    if (fault_ || core_->HasSomething(*watcher_)) watcher_->ready.Fire();
  }

 private:
  const std::shared_ptr<Core> core_;
  const std::optional<Error> fault_;
  const MemoryWatcherPtr watcher_;
};

MemoryBackend::MemoryBackend(MemoryBackendOptions options) : core_(std::make_shared<Core>(std::move(options))) {}
MemoryBackend::~MemoryBackend() { core_->Close(); }

void MemoryBackend::Start() { core_->Start(); }

Result<WriteOutcome> MemoryBackend::Put(const std::string& key, Bytes value, Revision replaces,
                                        std::chrono::seconds ttl, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  if (key.empty() || value == nullptr) {
    return Error{.code = ErrorCode::kInvalidArgument, .message = "a write needs a key and a value"};
  }
  return core_->faults().Around(BackendCall::Kind::kPut, key,
                                [&] { return core_->Write(key, std::move(value), replaces, ttl); });
}

Result<WriteOutcome> MemoryBackend::Delete(const std::string& key, Revision replaces, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  return core_->faults().Around(BackendCall::Kind::kDelete, key,
                                [&] { return core_->Write(key, nullptr, replaces, std::chrono::seconds(0)); });
}

Result<std::pair<std::optional<KeyValue>, Revision>> MemoryBackend::Get(const std::string& key,
                                                                        const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  return core_->faults().Around(BackendCall::Kind::kGet, key, [&] { return core_->Get(key); });
}

Result<RangeResult> MemoryBackend::Range(const RangeQuery& query, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  return core_->faults().Around(BackendCall::Kind::kRange, query.prefix, [&] { return core_->Range(query, stop); });
}

Result<Revision> MemoryBackend::CurrentRevision(const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  return core_->CurrentRevision();
}

std::unique_ptr<BackendWatch> MemoryBackend::Watch(const std::string& prefix, Revision after) {
  std::optional<Error> fault = core_->faults().Check({BackendCall::Kind::kWatch, BackendCall::Phase::kBefore, prefix});
  return std::make_unique<WatchStream>(core_, prefix, after, std::move(fault));
}

void MemoryBackend::RequestProgress() { core_->RequestProgress(); }

Result<void> MemoryBackend::Compact(Revision revision, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  return core_->Compact(revision);
}

void MemoryBackend::Interrupt() { core_->Interrupt(); }
void MemoryBackend::Resume() { core_->Resume(); }
void MemoryBackend::Wipe() { core_->Wipe(); }
void MemoryBackend::InjectFaults(FaultHook hook) { core_->faults().Set(std::move(hook)); }
MemoryBackendStats MemoryBackend::Stats() const { return core_->Stats(); }

}  // namespace kinformer::apiserver
