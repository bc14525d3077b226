#include "src/listwatch/cacher/cacher.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <kinformer/meta/status_error.h>

#include "src/listwatch/cacher/object_text.h"
#include "src/listwatch/storage/query_rules.h"
#include "src/listwatch/storage/storage_watch.h"

namespace kinformer::apiserver {
namespace {

Error StatusOf(int status, std::string reason, std::string message) {
  return {
      .code = ErrorCode::kServer, .message = std::move(message), .http_status = status, .reason = std::move(reason)};
}

/// The consumer's side of a watcher. Its destructor removes the watcher from the dispatcher.
class WatcherStream final : public WatchEventStream {
 public:
  WatcherStream(std::shared_ptr<CacheWatcher> watcher, std::weak_ptr<Dispatcher> dispatcher)
      : watcher_(std::move(watcher)), dispatcher_(std::move(dispatcher)) {}
  ~WatcherStream() override {
    watcher_->NotifyWhenReady(nullptr);
    if (const auto dispatcher = dispatcher_.lock()) dispatcher->Remove(watcher_.get());
  }

  Result<std::optional<WatchPart>> TryNext() override { return watcher_->TryNext(); }
  void NotifyWhenReady(std::function<void()> ready) override { watcher_->NotifyWhenReady(std::move(ready)); }

 private:
  const std::shared_ptr<CacheWatcher> watcher_;
  const std::weak_ptr<Dispatcher> dispatcher_;
};

/// The namespace and name that the request, or else its field selector, requires exactly; empty if there is none.
std::pair<std::string, std::string> ScopeOf(const std::string& namespace_name, const std::string& name,
                                            const SelectionPredicate& predicate) {
  return {
      !namespace_name.empty() ? namespace_name : predicate.fields.RequiresExactMatch("metadata.namespace").value_or(""),
      !name.empty() ? name : predicate.fields.RequiresExactMatch("metadata.name").value_or("")};
}

internal::ReflectorOptions ReflectorOptionsOf(const StorageOptions& storage, const CacherOptions& options,
                                              const KnownObjects* known) {
  return {.name = "storage/cacher " + ToString(storage.resource),
          .expected = storage.kind,
          .known = known,
          .backoff = {.initial = options.restart_delay, .factor = 1.0, .cap = options.restart_delay, .jitter = 0.0},
          .streaming_lists = false,
          .page_size = options.page_size,
          .max_internal_error_retry = options.max_internal_error_retry,
          .logger = options.logger};
}

}  // namespace

BackendProgress BackendProgress::Of(Backend& backend) {
  return {.current_revision = [&backend](const std::stop_token& stop) { return backend.CurrentRevision(stop); },
          .request_progress = [&backend] { backend.RequestProgress(); },
          .is_reliable = [&backend] { return backend.ProgressIsReliable(); }};
}

/// A watch of the storage that reports its health to a FollowTracker.
class Cacher::FollowedWatch final : public WatchEventStream {
 public:
  FollowedWatch(std::unique_ptr<WatchEventStream> watch, FollowTracker& follow)
      : watch_(std::move(watch)), follow_(follow) {}

  Result<std::optional<WatchPart>> TryNext() override {
    Result<std::optional<WatchPart>> part = watch_->TryNext();
    if (part && *part) {
      if (const auto* events = std::get_if<std::vector<WatchEvent>>(&**part)) Take(*events);
    }
    return part;
  }
  void NotifyWhenReady(std::function<void()> ready) override { watch_->NotifyWhenReady(std::move(ready)); }

 private:
  void Take(const std::vector<WatchEvent>& events) {
    if (events.empty()) {
      follow_.Accepted();
    } else if (events.front().type != WatchEventType::kError) {
      follow_.DataReceived();
    }
  }

  const std::unique_ptr<WatchEventStream> watch_;
  FollowTracker& follow_;
};

/// The Reflector's source. Reports the start of a list, since a new list means that the watch could not be resumed, and
/// the health of its watches.
class Cacher::Source final : public ListerWatcher {
 public:
  Source(std::shared_ptr<ListerWatcher> source, FollowTracker& follow, std::function<void()> on_list)
      : source_(std::move(source)), follow_(follow), on_list_(std::move(on_list)) {}

  std::unique_ptr<ListStream> List(const ListRequest& request) override {
    on_list_();
    return source_->List(request);
  }
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override {
    std::unique_ptr<WatchEventStream> watch = source_->Watch(request);
    if (watch == nullptr) return watch;
    return std::make_unique<FollowedWatch>(std::move(watch), follow_);
  }
  bool SupportsStreamingLists() const override { return false; }

 private:
  const std::shared_ptr<ListerWatcher> source_;
  FollowTracker& follow_;
  const std::function<void()> on_list_;
};

Cacher::Cacher(std::shared_ptr<TaskPool> pool, std::shared_ptr<ListerWatcher> source,
               std::shared_ptr<ObjectStorage> storage, BackendProgress progress, CacherOptions options)
    : pool_(std::move(pool)),
      storage_(std::move(storage)),
      storage_options_(std::make_shared<StorageOptions>(storage_->options())),
      progress_(std::move(progress)),
      options_(std::move(options)),
      clock_(pool_->clock()),
      unready_since_(clock_->Now()),
      follow_(options_.follow, clock_),
      dispatcher_(std::make_shared<Dispatcher>(*pool_, storage_options_, options_.dispatcher)),
      cache_(std::make_shared<WatchCache>(
          WatchCacheOptions{.name = storage_options_->resource.resource,
                            .ring = options_.ring,
                            .fresh_timeout = options_.fresh_timeout,
                            .progress_interval = options_.progress_interval,
                            .request_progress = progress_.request_progress,
                            .clock = clock_,
                            .logger = options_.logger,
                            .on_event =
                                [this](const CacheEventPtr& event) {
                                  dispatcher_->Push(event);
                                  waits_->Advance(event->revision);
                                },
                            .on_progress =
                                [this](Revision revision) {
                                  dispatcher_->Progress(revision);
                                  waits_->Advance(revision);
                                },
                            .before_replace = [this] { BecomeUnready("the cache is being refilled"); },
                            .after_replace =
                                [this](Revision revision) {
                                  BecomeReady(revision);
                                  waits_->Advance(revision);
                                }})),
      waits_(std::make_shared<FreshWaits>(
          *pool_, FreshWaitsOptions{.progress_interval = options_.progress_interval,
                                    .request_progress = progress_.request_progress,
                                    .current = [cache = cache_] { return cache->revision(); }})),
      reflector_(*pool_,
                 std::make_shared<Source>(std::move(source), follow_,
                                          [this] { BecomeUnready("the cache is being refilled"); }),
                 *cache_, ReflectorOptionsOf(*storage_options_, options_, cache_.get()), [this](const Error& error) {
                   follow_.Failed(error);
                   // Only a new list can follow, after a delay; until then the cache would just go stale.
                   if (IsResourceExpired(error) || IsGone(error)) BecomeUnready(ToString(error));
                 }) {}

Cacher::~Cacher() { Stop(); }

void Cacher::Start() { reflector_.Start(); }

void Cacher::Stop() {
  reflector_.Stop();
  BecomeUnready("it has been stopped", LogLevel::kDebug);
  // After BecomeUnready, so that resumed reads find the cache not ready.
  waits_->Stop();
  dispatcher_->Stop();
}

void Cacher::BecomeReady(Revision revision) {
  follow_.DataReceived();
  // Accept watchers before reporting ready.
  dispatcher_->Open(revision);
  {
    const MutexLock lock(mutex_);
    ready_ = true;
    filled_ = true;
    ++fills_;
  }
  became_ready_.NotifyAll();
  options_.logger.Info("cacher", "ready",
                       {{"resource", storage_options_->resource.resource}, {"revision", std::to_string(revision)}});
}

void Cacher::BecomeUnready(const std::string& why, LogLevel level) {
  {
    const MutexLock lock(mutex_);
    if (!ready_) return;
    ready_ = false;
    filled_ = false;
    why_not_ready_ = why;
    unready_since_ = clock_->Now();
  }
  dispatcher_->Shut();
  options_.logger.Log(level, "cacher", "not ready, all watches ended",
                      {{"resource", storage_options_->resource.resource}, {"why", why}});
}

Error Cacher::NotReady() const {
  const MutexLock lock(mutex_);
  const double downtime = std::chrono::duration<double>(clock_->Now() - unready_since_).count();
  const double wait = std::clamp(std::exp(0.06 * downtime), 1.0, 30.0);
  Error error = StatusOf(429, "TooManyRequests", "storage is (re)initializing: " + why_not_ready_);
  error.retry_after = std::chrono::seconds(static_cast<std::int64_t>(wait));
  return error;
}

Result<void> Cacher::Ready() const {
  {
    const MutexLock lock(mutex_);
    if (ready_) return {};
  }
  return NotReady();
}

bool Cacher::AwaitReady(const Clock& clock, TimePoint deadline, const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  return became_ready_.Wait(lock, clock, deadline, stop, [this]() KINFORMER_REQUIRES(mutex_) { return ready_; });
}

bool Cacher::AwaitDispatched(const Clock& clock, TimePoint deadline, const std::stop_token& stop) {
  if (!Ready()) return false;
  // A consistent list returns once the cache has all writes.
  const Result<ObjectList> newest = List({}, stop);
  if (!newest) return false;
  const Revision revision = ParseRevision(newest->metadata.resource_version).value_or(0);
  return dispatcher_->AwaitDispatched(revision, clock, deadline, stop);
}

Result<void> Cacher::Following() const {
  Result<void> ready = Ready();
  const std::optional<FollowTracker::Failure> failure = follow_.Check(/*tolerant=*/ready.ok());
  if (!failure) return ready;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(failure->duration).count();
  return Annotate(failure->error, (ready ? "stale for " : "not filled after ") + std::to_string(seconds) + "s");
}

bool Cacher::HasBeenFilled() const {
  const MutexLock lock(mutex_);
  return fills_ > 0;
}

CacherStatus Cacher::Status() const {
  CacherStatus status{.cache = cache_->Status(),
                      .dispatcher = dispatcher_->Status(),
                      .reflector = reflector_.Status(),
                      .reads_from_cache = reads_from_cache_,
                      .reads_from_storage = reads_from_storage_,
                      .consistent_fallbacks = consistent_fallbacks_};
  const MutexLock lock(mutex_);
  status.ready = ready_;
  status.fills = fills_;
  return status;
}

// --- Writes ---

Result<ObjectPtr> Cacher::Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) {
  return storage_->Create(object, ttl, stop);
}

Result<ObjectPtr> Cacher::GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                           bool create_if_missing, const Preconditions& preconditions,
                                           const Change& change, const std::stop_token& stop) {
  return storage_->GuaranteedUpdate(namespace_name, name, create_if_missing, preconditions, change, stop);
}

// --- Reads ---

Result<ObjectPtr> Cacher::Get(const std::string& namespace_name, const std::string& name,
                              const std::string& resource_version, const std::stop_token& stop) {
  const Result<Revision> revision = ParseResourceVersion(resource_version);
  if (!revision) return revision.error();
  const Result<void> ready = Ready();
  if (resource_version.empty() || (*revision == 0 && !ready)) {
    ++reads_from_storage_;
    return storage_->Get(namespace_name, name, resource_version, stop);
  }
  if (!ready) return ready.error();
  if (const Result<void> fresh = AwaitFresh(*revision, nullptr, stop); !fresh) return fresh.error();
  ++reads_from_cache_;
  if (ObjectPtr object = cache_->Find(namespace_name, name)) return object;
  const GroupVersionResource& resource = storage_options_->resource;
  Error error = StatusOf(404, "NotFound", ToString(resource) + " \"" + name + "\" not found");
  error.details = {.name = name, .group = resource.group, .kind = resource.resource};
  return error;
}

Result<void> Cacher::AwaitVersion(const std::string& resource_version, Suspension& suspension,
                                  const std::stop_token& stop) {
  const Result<Revision> revision = ParseResourceVersion(resource_version);
  if (!revision || *revision == 0 || !Ready()) return {};
  return AwaitFresh(*revision, &suspension, stop);
}

Result<void> Cacher::AwaitFresh(Revision revision, Suspension* suspension, const std::stop_token& stop) {
  if (suspension == nullptr) return cache_->WaitUntilFresh(revision, stop);
  const Revision current = cache_->revision();
  if (current >= revision) return {};
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"};
  const TimePoint now = clock_->Now();
  if (suspension->revision == 0) {
    suspension->revision = revision;
    suspension->deadline = now + options_.fresh_timeout;
  }
  if (now >= suspension->deadline) return WatchCache::TooLarge(revision, current);
  suspension->wait = [waits = waits_, revision, deadline = suspension->deadline](std::function<void()> resume) {
    waits->Add(revision, deadline, std::move(resume));
  };
  return Error{.code = ErrorCode::kCancelled, .message = "suspended until the cache is fresh enough"};
}

Result<Revision> Cacher::NewestRevision(const Suspension* suspension, const std::stop_token& stop) const {
  if (suspension != nullptr && suspension->revision != 0) return suspension->revision;
  return progress_.current_revision(stop);
}

Result<ObjectList> Cacher::ListFromStorage(const ListQuery& query, const std::stop_token& stop) {
  ++reads_from_storage_;
  return storage_->List(query, stop);
}

Result<ObjectList> Cacher::ListFromCache(const ListQuery& query) {
  ++reads_from_cache_;
  const auto [namespace_name, name] = ScopeOf(query.namespace_name, query.name, query.predicate);
  const CacheSnapshot snapshot = cache_->Snapshot(namespace_name, name);
  ObjectList result{.metadata = {.resource_version = std::to_string(snapshot.revision)}};
  if (query.predicate.IsEverything()) {
    result.items = *snapshot.objects;
    return result;
  }
  for (const ObjectPtr& object : *snapshot.objects) {
    if (query.predicate.Matches(*object, *storage_options_)) result.items.push_back(object);
  }
  return result;
}

Result<ObjectList> Cacher::List(const ListQuery& query, const std::stop_token& stop) {
  const bool newest = query.resource_version.empty();
  const Result<Revision> revision = ParseListVersion(query.resource_version);
  if (!revision) return revision.error();
  const bool anything = !newest && *revision == 0;
  // Only the storage has past revisions and pages. At resourceVersion "0" the limit is ignored.
  if (query.match == VersionMatch::kExact || !query.continue_token.empty() || (query.limit > 0 && !anything) ||
      (newest && !progress_.is_reliable())) {
    return ListFromStorage(query, stop);
  }
  if (const Result<void> ready = Ready(); !ready) {
    // A limited list without selectors is cheap for the storage.
    if (query.limit > 0 && query.predicate.IsEverything()) return ListFromStorage(query, stop);
    return ready.error();
  }
  Revision wanted = *revision;
  if (newest) {
    const Result<Revision> current = NewestRevision(query.suspension, stop);
    if (!current) return current.error();
    wanted = *current;
  }
  if (const Result<void> fresh = AwaitFresh(wanted, query.suspension, stop); !fresh) {
    if (!newest || !IsTooLargeResourceVersion(fresh.error())) return fresh.error();
    ++consistent_fallbacks_;
    return ListFromStorage(query, stop);
  }
  return ListFromCache(query);
}

Result<std::unique_ptr<WatchEventStream>> Cacher::Watch(const WatchQuery& query, const std::stop_token& stop) {
  const bool newest = query.resource_version.empty();
  const Result<Revision> revision = ParseResourceVersion(query.resource_version);
  if (!revision) return revision.error();
  // Legacy behaviour: without a version, or at "0", the current objects come first.
  const bool initial = query.send_initial_events.value_or(*revision == 0 && query.match == VersionMatch::kUnset);
  if (initial && newest && !progress_.is_reliable()) return storage_->Watch(query, stop);

  const auto generation = dispatcher_->Generation();
  if (!generation) return NotReady();
  const auto failed = [](Error error) -> Result<std::unique_ptr<WatchEventStream>> {
    if (error.code == ErrorCode::kCancelled) return error;
    return MakeErrorWatch(std::move(error));
  };

  auto [namespace_name, name] = ScopeOf(query.namespace_name, query.name, query.predicate);
  CacheWatcherOptions watcher{.filter = {.namespace_name = std::move(namespace_name),
                                         .name = std::move(name),
                                         .matcher = dispatcher_->MatcherFor(query.predicate)},
                              .capacity = dispatcher_->BufferSize(query.predicate, cache_->capacity()),
                              .start = *revision,
                              .bookmarks = query.allow_bookmarks,
                              .deadline = query.deadline,
                              .clock = clock_};
  if (initial) {
    Revision wanted = *revision;
    if (newest) {
      const Result<Revision> current = NewestRevision(query.suspension, stop);
      if (!current) return failed(current.error());
      wanted = *current;
    }
    if (const Result<void> fresh = AwaitFresh(wanted, query.suspension, stop); !fresh) return failed(fresh.error());
    CacheSnapshot snapshot = cache_->Snapshot(watcher.filter.namespace_name, watcher.filter.name);
    watcher.start = snapshot.revision;
    watcher.initial = std::move(snapshot.objects);
    if (query.allow_bookmarks) watcher.initial_events_end = dispatcher_->Bookmark(watcher.start, true);
  } else if (*revision == 0) {
    watcher.start = cache_->revision();
  } else if (const Result<void> there = cache_->CheckSince(*revision); !there) {
    return failed(there.error());
  }
  auto made = std::make_shared<CacheWatcher>(cache_, std::move(watcher));
  if (!dispatcher_->Register(made, *generation)) return NotReady();
  return std::make_unique<WatcherStream>(std::move(made), dispatcher_);
}

}  // namespace kinformer::apiserver
