#include "src/apiserver/cacher/cacher.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/cacher/object_text.h"
#include "src/apiserver/storage/query_rules.h"

namespace kinformer::apiserver {
namespace {

Error StatusOf(int status, std::string reason, std::string message) {
  return {
      .code = ErrorCode::kServer, .message = std::move(message), .http_status = status, .reason = std::move(reason)};
}

/// A watch that could not begin: its one event says why.
class ErrorStream final : public WatchEventStream {
 public:
  explicit ErrorStream(Error error) : error_(std::move(error)) {}

  Result<std::optional<WatchPart>> TryNext() override {
    if (std::exchange(told_, true)) return std::optional<WatchPart>(WatchEnd{});
    std::vector<WatchEvent> events(1);
    events[0].type = WatchEventType::kError;
    events[0].error = error_;
    return std::optional<WatchPart>(std::move(events));
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready) ready();
  }

 private:
  const Error error_;
  bool told_ = false;
};

/// The consumer's end of a watcher, which goes with it.
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

/// Namespace and name where the request, or else its field selector, names exactly one.
std::pair<std::string, std::string> ScopeOf(const std::string& namespace_name, const std::string& name,
                                            const Predicate& predicate) {
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

/// The Reflector's source, which tells when the Reflector begins to list: what it knew cannot be continued then.
class Cacher::Source final : public ListerWatcher {
 public:
  Source(std::shared_ptr<ListerWatcher> source, std::function<void()> on_list)
      : source_(std::move(source)), on_list_(std::move(on_list)) {}

  std::unique_ptr<ListStream> List(const ListRequest& request) override {
    on_list_();
    return source_->List(request);
  }
  std::unique_ptr<WatchEventStream> Watch(const WatchRequest& request) override { return source_->Watch(request); }
  bool SupportsStreamingLists() const override { return false; }

 private:
  const std::shared_ptr<ListerWatcher> source_;
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
      dispatcher_(std::make_shared<Dispatcher>(*pool_, storage_options_, options_.dispatcher)),
      cache_(std::make_shared<WatchCache>(
          WatchCacheOptions{.name = storage_options_->resource.resource,
                            .ring = options_.ring,
                            .fresh_timeout = options_.fresh_timeout,
                            .progress_interval = options_.progress_interval,
                            .request_progress = progress_.request_progress,
                            .clock = clock_,
                            .logger = options_.logger,
                            .on_event = [this](const CacheEventPtr& event) { dispatcher_->Push(event); },
                            .on_progress = [this](Revision revision) { dispatcher_->Progress(revision); },
                            .before_replace = [this] { BecomeUnready("it is being filled anew"); },
                            .after_replace = [this](Revision revision) { BecomeReady(revision); }})),
      reflector_(*pool_,
                 std::make_shared<Source>(std::move(source), [this] { BecomeUnready("it is being filled anew"); }),
                 *cache_, ReflectorOptionsOf(*storage_options_, options_, cache_.get()), [this](const Error& error) {
                   // Nothing but a list can follow, a moment later; until then the cache would only grow older.
                   if (IsResourceExpired(error) || IsGone(error)) BecomeUnready(ToString(error));
                 }) {}

Cacher::~Cacher() { Stop(); }

void Cacher::Start() { reflector_.Start(); }

void Cacher::Stop() {
  reflector_.Stop();
  BecomeUnready("it has been stopped", LogLevel::kDebug);
  dispatcher_->Stop();
}

void Cacher::BecomeReady(Revision revision) {
  // Watchers are taken before anybody is told that they may come.
  dispatcher_->Open(revision);
  {
    const MutexLock lock(mutex_);
    ready_ = true;
    ++fills_;
  }
  options_.logger.Info("cacher", "ready",
                       {{"resource", storage_options_->resource.resource}, {"revision", std::to_string(revision)}});
}

void Cacher::BecomeUnready(const std::string& why, LogLevel level) {
  {
    const MutexLock lock(mutex_);
    if (!ready_) return;
    ready_ = false;
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
  if (const Result<void> fresh = cache_->WaitUntilFresh(*revision, stop); !fresh) return fresh.error();
  ++reads_from_cache_;
  if (ObjectPtr object = cache_->Find(namespace_name, name)) return object;
  const GroupVersionResource& resource = storage_options_->resource;
  Error error = StatusOf(404, "NotFound", ToString(resource) + " \"" + name + "\" not found");
  error.details = {.name = name, .group = resource.group, .kind = resource.resource};
  return error;
}

Result<ListResult> Cacher::ListFromStorage(const ListQuery& query, const std::stop_token& stop) {
  ++reads_from_storage_;
  return storage_->List(query, stop);
}

Result<ListResult> Cacher::ListFromCache(const ListQuery& query) {
  ++reads_from_cache_;
  const auto [namespace_name, name] = ScopeOf(query.namespace_name, query.name, query.predicate);
  const CacheSnapshot snapshot = cache_->Snapshot(namespace_name, name);
  ListResult result{.resource_version = std::to_string(snapshot.revision)};
  if (query.predicate.IsEverything()) {
    result.items = *snapshot.objects;
    return result;
  }
  for (const ObjectPtr& object : *snapshot.objects) {
    if (query.predicate.Matches(*object, *storage_options_)) result.items.push_back(object);
  }
  return result;
}

Result<ListResult> Cacher::List(const ListQuery& query, const std::stop_token& stop) {
  const bool newest = query.resource_version.empty();
  const Result<Revision> revision = ParseListVersion(query.resource_version);
  if (!revision) return revision.error();
  const bool anything = !newest && *revision == 0;
  // The past, and pages of it, only the storage has; at "0" a limit does not count.
  if (query.match == VersionMatch::kExact || !query.continue_token.empty() || (query.limit > 0 && !anything) ||
      (newest && !progress_.is_reliable())) {
    return ListFromStorage(query, stop);
  }
  if (const Result<void> ready = Ready(); !ready) {
    // What costs the storage little may as well be answered.
    if (query.limit > 0 && query.predicate.IsEverything()) return ListFromStorage(query, stop);
    return ready.error();
  }
  Revision wanted = *revision;
  if (newest) {
    const Result<Revision> current = progress_.current_revision(stop);
    if (!current) return current.error();
    wanted = *current;
  }
  if (const Result<void> fresh = cache_->WaitUntilFresh(wanted, stop); !fresh) {
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
  // Old clients name no version and mean: first what is there.
  const bool initial = query.send_initial_events.value_or(*revision == 0 && query.match == VersionMatch::kUnset);
  if (initial && newest && !progress_.is_reliable()) return storage_->Watch(query, stop);

  const auto generation = dispatcher_->Generation();
  if (!generation) return NotReady();
  const auto failed = [](Error error) -> Result<std::unique_ptr<WatchEventStream>> {
    if (error.code == ErrorCode::kCancelled) return error;
    return std::make_unique<ErrorStream>(std::move(error));
  };

  auto [namespace_name, name] = ScopeOf(query.namespace_name, query.name, query.predicate);
  CacheWatcherOptions watcher{.selection = {.namespace_name = std::move(namespace_name),
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
      const Result<Revision> current = progress_.current_revision(stop);
      if (!current) return failed(current.error());
      wanted = *current;
    }
    if (const Result<void> fresh = cache_->WaitUntilFresh(wanted, stop); !fresh) return failed(fresh.error());
    CacheSnapshot snapshot = cache_->Snapshot(watcher.selection.namespace_name, watcher.selection.name);
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
