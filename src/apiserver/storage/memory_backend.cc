#include "src/apiserver/storage/memory_backend.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kinformer/base/mutex.h>

#include "src/apiserver/storage/ready_signal.h"
#include "src/apiserver/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

// The lock is let go after so many keys, changes or forgotten changes, so that nobody waits long for it.
constexpr int kKeysPerTurn = 1024;
constexpr int kChangesPerTurn = 4096;
constexpr int kForgottenPerTurn = 1024;
constexpr std::size_t kEventsPerPart = 256;
constexpr std::size_t kRememberedCounts = 64;

constexpr TimePoint kNever = TimePoint::max();

bool IsPrefix(std::string_view prefix) { return prefix.empty() || prefix.back() == '/'; }
bool IsBelow(std::string_view key, std::string_view prefix) {
  return IsPrefix(prefix) ? key.starts_with(prefix) : key == prefix;
}

struct Version {
  Bytes value{};  ///< Null: deleted, or never there.
  Revision create_revision = 0;
  Revision mod_revision = 0;
};

/// A key's versions. Older ones are in the order of their revisions; the first `forgotten` of them are gone.
struct Record {
  Version now{};
  TimePoint expires = kNever;
  std::vector<Version> older{};
  std::size_t forgotten = 0;

  /// Its version at that revision, or null.
  const Version* At(Revision revision) const {
    if (now.mod_revision <= revision) return &now;
    const auto begin = older.begin() + static_cast<std::ptrdiff_t>(forgotten);
    const auto after =
        std::upper_bound(begin, older.end(), revision, [](Revision r, const Version& v) { return r < v.mod_revision; });
    return after == begin ? nullptr : &*std::prev(after);
  }

  /// Nobody will ask for a version before that revision again.
  void ForgetBefore(Revision revision) {
    while (forgotten < older.size() && older[forgotten].mod_revision < revision) older[forgotten++].value.reset();
    if (forgotten * 2 < older.size()) return;
    older.erase(older.begin(), older.begin() + static_cast<std::ptrdiff_t>(forgotten));
    forgotten = 0;
    if (older.empty()) older.shrink_to_fit();
  }
};

using Records = std::map<std::string, Record, std::less<>>;

/// The write of one revision.
struct Change {
  Records::iterator record;
  Version now{};
  Version before{};

  std::size_t HistoryBytes() const { return sizeof(Change) + (before.value ? before.value->size() : 0); }
};

KeyValue ToKeyValue(const std::string& key, const Version& version) {
  return {.key = key,
          .value = version.value,
          .create_revision = version.create_revision,
          .mod_revision = version.mod_revision};
}

/// How many keys a range has that goes on where another ended.
struct Counted {
  std::string prefix{};
  std::string start{};
  Revision revision = 0;
  std::int64_t count = 0;
};

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

Error InterruptedError() { return {.code = ErrorCode::kUnreachable, .message = "the storage is interrupted"}; }

}  // namespace

class MemoryBackend::Core {
 public:
  /// One watch. All but the signal is guarded by the core's mutex.
  struct Watcher {
    std::string prefix{};
    /// Everything up to here has been told or did not concern it.
    Revision told = 0;
    /// The first change that may concern it and has not been told; zero: none.
    Revision pending = 0;
    bool progress_wanted = false;
    std::optional<Error> end{};
    ReadySignal ready{};
  };
  using Watchers = std::vector<std::shared_ptr<Watcher>>;

  explicit Core(MemoryBackendOptions options) : options_(std::move(options)) {}

  void Start() {
    const MutexLock lock(mutex_);
    if (closed_ || thread_.joinable()) return;
    thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
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
    EndWatches({.code = ErrorCode::kDisconnected, .message = "the storage was closed"});
  }

  std::optional<Error> Fault(BackendCall::Kind kind, BackendCall::Phase phase, std::string_view key) {
    std::shared_ptr<const FaultHook> hook;
    {
      const MutexLock lock(mutex_);
      hook = hook_;
    }
    return hook ? (*hook)({.kind = kind, .phase = phase, .key = key}) : std::nullopt;
  }

  /// `value` null: a delete.
  Result<WriteOutcome> Write(const std::string& key, Bytes value, Revision replaces, std::chrono::seconds ttl) {
    Watchers woken;
    Result<WriteOutcome> outcome = [&]() -> Result<WriteOutcome> {
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      Expire(woken);
      ++stats_.writes;
      const auto it = records_.find(key);
      const Version* current = it != records_.end() && it->second.now.value ? &it->second.now : nullptr;
      if ((current == nullptr ? 0 : current->mod_revision) != replaces) {
        return WriteOutcome{.revision = 0,
                            .current = current == nullptr ? KeyValue{.key = key} : ToKeyValue(key, *current)};
      }
      // A delete of what is not there changes nothing.
      if (value == nullptr && current == nullptr) return WriteOutcome{.revision = revision_};
      Append(it != records_.end() ? it : records_.emplace(key, Record{}).first, std::move(value), ttl, woken);
      return WriteOutcome{.revision = revision_};
    }();
    Fire(woken);
    return outcome;
  }

  Result<std::pair<std::optional<KeyValue>, Revision>> Get(const std::string& key) {
    Watchers woken;
    Result<std::pair<std::optional<KeyValue>, Revision>> result =
        [&]() -> Result<std::pair<std::optional<KeyValue>, Revision>> {
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      Expire(woken);
      ++stats_.gets;
      const auto it = records_.find(key);
      std::optional<KeyValue> found;
      if (it != records_.end() && it->second.now.value) found = ToKeyValue(key, it->second.now);
      return std::pair(std::move(found), revision_);
    }();
    Fire(woken);
    return result;
  }

  Result<RangeResult> Range(const RangeQuery& query, const std::stop_token& stop) {
    RangeResult result;
    Watchers woken;
    {
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      Expire(woken);
      ++stats_.ranges;
      if (query.revision > revision_) return TooLargeResourceVersionError(query.revision, revision_);
      if (query.revision != 0 && query.revision < compacted_) {
        return ExpiredError("The resourceVersion for the provided list is too old.");
      }
      result.revision = query.revision == 0 ? revision_ : query.revision;
      result.count = CountedBefore(query);
      // Compaction may go on while we read, but leaves us what we see.
      readers_.insert(result.revision);
    }
    Fire(woken);
    std::string from = std::max(query.start, query.prefix);
    const bool counted = result.count > 0;
    std::int64_t found = 0;
    while (ReadSome(query, counted, from, result, found)) {
      if (stop.stop_requested()) break;
    }
    if (!counted) result.count = found;
    const MutexLock lock(mutex_);
    readers_.erase(readers_.find(result.revision));
    if (stop.stop_requested()) return CancelledError();
    RememberCount(query, result);
    return result;
  }

  Result<Revision> CurrentRevision() {
    Watchers woken;
    Result<Revision> result = [&]() -> Result<Revision> {
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      Expire(woken);
      return revision_;
    }();
    Fire(woken);
    return result;
  }

  Result<void> Compact(Revision revision) {
    {
      const MutexLock lock(mutex_);
      if (interrupted_) return InterruptedError();
      if (revision > revision_) return TooLargeResourceVersionError(revision, revision_);
      if (revision <= compacted_) return ExpiredError("the revision has been compacted already");
      compacted_ = revision;
    }
    ForgetAll();
    return {};
  }

  std::shared_ptr<Watcher> AddWatcher(const std::string& prefix, Revision after) {
    auto watcher = std::make_shared<Watcher>();
    watcher->prefix = prefix;
    const MutexLock lock(mutex_);
    watcher->told = after;
    if (interrupted_ || closed_) {
      watcher->end = InterruptedError();
    } else if (after < compacted_) {
      watcher->end = TooOld();
    } else if (after < revision_) {
      watcher->pending = after + 1;
    }
    watchers_[prefix].push_back(watcher);
    ++stats_.open_watches;
    return watcher;
  }

  void RemoveWatcher(const std::shared_ptr<Watcher>& watcher) {
    const MutexLock lock(mutex_);
    const auto found = watchers_.find(watcher->prefix);
    if (found == watchers_.end()) return;
    if (std::erase(found->second, watcher) > 0) --stats_.open_watches;
    if (found->second.empty()) watchers_.erase(found);
  }

  Result<std::optional<BackendEvents>> Next(Watcher& watcher) {
    BackendEvents part;
    for (;;) {
      const MutexLock lock(mutex_);
      if (watcher.end) return *watcher.end;
      if (watcher.pending != 0) {
        if (watcher.pending <= compacted_) {
          watcher.end = TooOld();
          return *watcher.end;
        }
        ReadLog(watcher, part);
        if (part.events.empty() && watcher.pending != 0) continue;
      }
      if (!part.events.empty()) return std::optional(std::move(part));
      watcher.told = std::max(watcher.told, revision_);
      if (!watcher.progress_wanted) return std::optional<BackendEvents>();
      watcher.progress_wanted = false;
      part.revision = watcher.told;
      return std::optional(std::move(part));
    }
  }

  bool HasSomething(const Watcher& watcher) {
    const MutexLock lock(mutex_);
    return watcher.end || watcher.pending != 0 || watcher.progress_wanted;
  }

  void RequestProgress() {
    Watchers all;
    {
      const MutexLock lock(mutex_);
      WantProgress(all);
    }
    Fire(all);
  }

  void Interrupt() {
    {
      const MutexLock lock(mutex_);
      interrupted_ = true;
    }
    EndWatches({.code = ErrorCode::kDisconnected, .message = "the storage was interrupted"});
  }
  void Resume() {
    const MutexLock lock(mutex_);
    interrupted_ = false;
  }
  void Wipe() {
    {
      const MutexLock lock(mutex_);
      // A range that is being read finds nothing more.
      log_.clear();
      expiries_.clear();
      records_.clear();
      revision_ = 1;
      compacted_ = 0;
      log_begin_ = 2;
      history_bytes_ = 0;
      stats_.keys = 0;
    }
    EndWatches(TooOld());
  }
  void InjectFaults(FaultHook hook) {
    std::shared_ptr<const FaultHook> shared = hook ? std::make_shared<const FaultHook>(std::move(hook)) : nullptr;
    const MutexLock lock(mutex_);
    hook_.swap(shared);
  }

  MemoryBackendStats Stats() {
    const MutexLock lock(mutex_);
    MemoryBackendStats stats = stats_;
    stats.log_entries = log_.size();
    stats.history_bytes = history_bytes_;
    return stats;
  }

 private:
  static Error TooOld() { return ExpiredError("The resourceVersion for the provided watch is too old."); }

  static void Fire(const Watchers& watchers) {
    for (const std::shared_ptr<Watcher>& watcher : watchers) watcher->ready.Fire();
  }

  void EndWatches(const Error& error) {
    Watchers all;
    {
      const MutexLock lock(mutex_);
      for (auto& [prefix, list] : watchers_) {
        for (const std::shared_ptr<Watcher>& watcher : list) {
          if (!watcher->end) watcher->end = error;
          all.push_back(watcher);
        }
      }
    }
    Fire(all);
  }

  void WantProgress(Watchers& woken) KINFORMER_REQUIRES(mutex_) {
    for (auto& [prefix, list] : watchers_) {
      for (const std::shared_ptr<Watcher>& watcher : list) {
        watcher->progress_wanted = true;
        woken.push_back(watcher);
      }
    }
  }

  /// Makes the next revision, a write of that record.
  void Append(Records::iterator it, Bytes value, std::chrono::seconds ttl, Watchers& woken) KINFORMER_REQUIRES(mutex_) {
    Record& record = it->second;
    if (record.expires != kNever) expiries_.erase({record.expires, record.now.mod_revision});
    record.expires = kNever;

    ++revision_;
    const Version before = record.now.value ? record.now : Version{};
    Version now{.value = std::move(value), .create_revision = 0, .mod_revision = revision_};
    if (now.value) now.create_revision = before.value ? before.create_revision : revision_;
    stats_.keys += now.value && !before.value ? 1 : 0;
    stats_.keys -= !now.value && before.value ? 1 : 0;
    if (record.now.mod_revision != 0) record.older.push_back(std::move(record.now));
    record.now = now;
    if (ttl > std::chrono::seconds(0)) {
      record.expires = options_.clock->Now() + ttl;
      const auto added = expiries_.emplace(std::pair(record.expires, revision_), it).first;
      if (added == expiries_.begin()) changed_.NotifyAll();
    }

    log_.push_back({.record = it, .now = std::move(now), .before = before});
    history_bytes_ += log_.back().HistoryBytes();
    WakeWatchersOf(it->first, woken);
    while (history_bytes_ > options_.max_history_bytes && log_.size() > 1) {
      compacted_ = std::max(compacted_, log_begin_);
      if (!ForgetOldest()) break;
    }
  }

  // By each prefix that the key has, not by going through all watches.
  void WakeWatchersOf(std::string_view key, Watchers& woken) KINFORMER_REQUIRES(mutex_) {
    if (watchers_.empty()) return;
    const auto wake = [&](std::string_view prefix) KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
      const auto found = watchers_.find(prefix);
      if (found == watchers_.end()) return;
      for (const std::shared_ptr<Watcher>& watcher : found->second) {
        if (watcher->pending != 0 || watcher->told >= revision_) continue;
        watcher->pending = revision_;
        woken.push_back(watcher);
      }
    };
    wake("");
    for (std::size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/', slash + 1)) {
      wake(key.substr(0, slash + 1));
    }
    if (!IsPrefix(key)) wake(key);
  }

  void Expire(Watchers& woken) KINFORMER_REQUIRES(mutex_) {
    if (expiries_.empty()) return;
    const TimePoint now = options_.clock->Now();
    while (!expiries_.empty() && expiries_.begin()->first.first <= now) {
      Append(expiries_.begin()->second, nullptr, std::chrono::seconds(0), woken);
    }
  }

  /// Reads on from `from`; false at the end of the range, or where all that was wanted has been found.
  bool ReadSome(const RangeQuery& query, bool counted, std::string& from, RangeResult& result, std::int64_t& found) {
    const MutexLock lock(mutex_);
    auto it = records_.lower_bound(from);
    for (int looked_at = 0; it != records_.end() && IsBelow(it->first, query.prefix); ++it, ++looked_at) {
      if (counted && query.limit != 0 && found >= query.limit) return false;
      if (looked_at == kKeysPerTurn) {
        from = it->first;
        return true;
      }
      const Version* const version = it->second.At(result.revision);
      if (version == nullptr || !version->value) continue;
      ++found;
      if (query.limit == 0 || found <= query.limit) result.items.push_back(ToKeyValue(it->first, *version));
    }
    return false;
  }

  // What was there at a revision stays so. Who reads a list in pages has it counted once, not once a page.
  std::int64_t CountedBefore(const RangeQuery& query) const KINFORMER_REQUIRES(mutex_) {
    if (query.revision == 0 || query.start.empty()) return 0;
    const auto known = std::find_if(counts_.begin(), counts_.end(), [&](const Counted& counted) {
      return counted.revision == query.revision && counted.start == query.start && counted.prefix == query.prefix;
    });
    return known == counts_.end() ? 0 : known->count;
  }
  void RememberCount(const RangeQuery& query, const RangeResult& result) KINFORMER_REQUIRES(mutex_) {
    const auto shown = static_cast<std::int64_t>(result.items.size());
    if (shown == 0 || shown == result.count) return;
    if (counts_.size() == kRememberedCounts) counts_.pop_front();
    counts_.push_back({.prefix = query.prefix,
                       .start = result.items.back().key + '\0',
                       .revision = result.revision,
                       .count = result.count - shown});
  }

  void ReadLog(Watcher& watcher, BackendEvents& part) KINFORMER_REQUIRES(mutex_) {
    Revision revision = std::max({watcher.pending, watcher.told + 1, log_begin_});
    for (int looked_at = 0; revision <= revision_; ++revision, ++looked_at) {
      if (looked_at == kChangesPerTurn || part.events.size() == kEventsPerPart) break;
      const Change& change = log_[static_cast<std::size_t>(revision - log_begin_)];
      const std::string& key = change.record->first;
      if (!IsBelow(key, watcher.prefix)) continue;
      BackendEvent event;
      event.kind = change.now.value ? BackendEvent::Kind::kPut : BackendEvent::Kind::kDelete;
      event.now = ToKeyValue(key, change.now);
      if (change.before.value) event.before = ToKeyValue(key, change.before);
      part.events.push_back(std::move(event));
    }
    watcher.told = revision - 1;
    watcher.pending = revision <= revision_ ? revision : 0;
    if (!part.events.empty()) part.revision = part.events.back().now.mod_revision;
  }

  /// One change that has been compacted; false if there is none, or somebody reads a range as of then.
  bool ForgetOldest() KINFORMER_REQUIRES(mutex_) {
    if (log_.empty() || log_begin_ > compacted_) return false;
    if (!readers_.empty() && log_begin_ > *readers_.begin()) return false;
    const Change change = std::move(log_.front());
    log_.pop_front();
    history_bytes_ -= change.HistoryBytes();
    Record& record = change.record->second;
    if (!record.now.value && record.now.mod_revision == log_begin_) {
      records_.erase(change.record);
    } else {
      record.ForgetBefore(log_begin_);
    }
    ++log_begin_;
    return true;
  }

  void ForgetAll() {
    for (bool more = true; more;) {
      const MutexLock lock(mutex_);
      for (int i = 0; more && i < kForgottenPerTurn; ++i) more = ForgetOldest();
    }
  }

  void Work(const std::stop_token& stop) {
    const bool compacts = options_.compaction_interval > std::chrono::milliseconds(0);
    TimePoint next_compaction = compacts ? options_.clock->Now() + options_.compaction_interval : kNever;
    Revision seen = 0;
    while (!stop.stop_requested()) {
      Watchers woken;
      bool forget = false;
      {
        MutexLock lock(mutex_);
        const TimePoint expiry = expiries_.empty() ? kNever : expiries_.begin()->first.first;
        const TimePoint due = std::min(expiry, next_compaction);
        changed_.Wait(lock, *options_.clock, due == kNever ? std::nullopt : std::optional(due), stop,
                      [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
                        return !expiries_.empty() && expiries_.begin()->first.first < expiry;
                      });
        if (stop.stop_requested()) return;
        Expire(woken);
        if (options_.clock->Now() >= next_compaction) {
          next_compaction = options_.clock->Now() + options_.compaction_interval;
          seen = std::min(seen, revision_);  // after a Wipe it is ahead
          forget = seen > compacted_;
          compacted_ = std::max(compacted_, seen);
          seen = revision_;
          // So that those who have heard nothing for long can still be resumed after the next compaction.
          WantProgress(woken);
        }
      }
      Fire(woken);
      if (forget) ForgetAll();
    }
  }

  const MemoryBackendOptions options_;
  Mutex mutex_;
  CondVar changed_;  ///< The next expiry is earlier than it was.
  std::jthread thread_ KINFORMER_GUARDED_BY(mutex_);
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool interrupted_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const FaultHook> hook_ KINFORMER_GUARDED_BY(mutex_);

  Records records_ KINFORMER_GUARDED_BY(mutex_);
  Revision revision_ KINFORMER_GUARDED_BY(mutex_) = 1;
  Revision compacted_ KINFORMER_GUARDED_BY(mutex_) = 0;
  /// One for each revision from log_begin_ on.
  std::deque<Change> log_ KINFORMER_GUARDED_BY(mutex_);
  Revision log_begin_ KINFORMER_GUARDED_BY(mutex_) = 2;
  std::size_t history_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  /// As of which revisions ranges are being read.
  std::multiset<Revision> readers_ KINFORMER_GUARDED_BY(mutex_);
  std::deque<Counted> counts_ KINFORMER_GUARDED_BY(mutex_);
  std::map<std::pair<TimePoint, Revision>, Records::iterator> expiries_ KINFORMER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Watchers, StringHash, std::equal_to<>> watchers_ KINFORMER_GUARDED_BY(mutex_);
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
  const std::shared_ptr<Core::Watcher> watcher_;
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
  if (auto fault = core_->Fault(BackendCall::Kind::kPut, BackendCall::Phase::kBefore, key)) return *std::move(fault);
  Result<WriteOutcome> outcome = core_->Write(key, std::move(value), replaces, ttl);
  if (auto fault = core_->Fault(BackendCall::Kind::kPut, BackendCall::Phase::kAfter, key)) return *std::move(fault);
  return outcome;
}

Result<WriteOutcome> MemoryBackend::Delete(const std::string& key, Revision replaces, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  if (auto fault = core_->Fault(BackendCall::Kind::kDelete, BackendCall::Phase::kBefore, key)) return *std::move(fault);
  Result<WriteOutcome> outcome = core_->Write(key, nullptr, replaces, std::chrono::seconds(0));
  if (auto fault = core_->Fault(BackendCall::Kind::kDelete, BackendCall::Phase::kAfter, key)) return *std::move(fault);
  return outcome;
}

Result<std::pair<std::optional<KeyValue>, Revision>> MemoryBackend::Get(const std::string& key,
                                                                        const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  if (auto fault = core_->Fault(BackendCall::Kind::kGet, BackendCall::Phase::kBefore, key)) return *std::move(fault);
  auto result = core_->Get(key);
  if (auto fault = core_->Fault(BackendCall::Kind::kGet, BackendCall::Phase::kAfter, key)) return *std::move(fault);
  return result;
}

Result<RangeResult> MemoryBackend::Range(const RangeQuery& query, const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  if (auto fault = core_->Fault(BackendCall::Kind::kRange, BackendCall::Phase::kBefore, query.prefix)) {
    return *std::move(fault);
  }
  Result<RangeResult> result = core_->Range(query, stop);
  if (auto fault = core_->Fault(BackendCall::Kind::kRange, BackendCall::Phase::kAfter, query.prefix)) {
    return *std::move(fault);
  }
  return result;
}

Result<Revision> MemoryBackend::CurrentRevision(const std::stop_token& stop) {
  if (stop.stop_requested()) return CancelledError();
  return core_->CurrentRevision();
}

std::unique_ptr<BackendWatch> MemoryBackend::Watch(const std::string& prefix, Revision after) {
  std::optional<Error> fault = core_->Fault(BackendCall::Kind::kWatch, BackendCall::Phase::kBefore, prefix);
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
void MemoryBackend::InjectFaults(FaultHook hook) { core_->InjectFaults(std::move(hook)); }
MemoryBackendStats MemoryBackend::Stats() const { return core_->Stats(); }

}  // namespace kinformer::apiserver
