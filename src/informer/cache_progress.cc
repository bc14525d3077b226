#include "src/informer/cache_progress.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace kinformer::internal {
namespace {

Error StoppedWaiting() { return Error{.code = ErrorCode::kCancelled, .message = "stopped while waiting"}; }

// Whether applying the delta marks its scope as synced: its first Replace (even an empty one), or an event.
bool Syncs(const Delta& delta) {
  return delta.kind != Delta::Kind::kBookmark && delta.kind != Delta::Kind::kResync &&
         delta.kind != Delta::Kind::kForget;
}

}  // namespace

bool IsAtLeast(const std::string& version, const std::string& wanted) {
  if (wanted.empty() || version == wanted) return true;
  std::uint64_t have = 0;
  std::uint64_t want = 0;
  const auto read = [](const std::string& text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  return read(version, have) && read(wanted, want) && have >= want;
}

void CacheProgress::Open(const std::vector<OpenedScope>& opened) {
  for (const OpenedScope& scope : opened) scopes_[scope.scope].namespace_name = scope.namespace_name;
}

void CacheProgress::SetNamespaces(std::vector<std::string> namespaces, const std::vector<OpenedScope>& opened,
                                  const std::vector<int>& retired) {
  {
    const MutexLock lock(mutex_);
    namespaces_ = std::move(namespaces);
    for (const int scope : retired) scopes_[scope].retired = true;
    Open(opened);
  }
  changed_.NotifyAll();
}

void CacheProgress::Started(const std::vector<OpenedScope>& opened) {
  {
    const MutexLock lock(mutex_);
    Open(opened);
    state_.started = state_.running = true;
  }
  changed_.NotifyAll();
}

void CacheProgress::Stopped() {
  const MutexLock lock(mutex_);
  state_.running = false;
}

void CacheProgress::ShutDown() {
  {
    const MutexLock lock(mutex_);
    state_.shut_down = true;
    state_.running = false;
  }
  changed_.NotifyAll();
}

CacheProgress::RunState CacheProgress::State() const {
  const MutexLock lock(mutex_);
  return state_;
}

std::vector<std::string> CacheProgress::Namespaces() const {
  const MutexLock lock(mutex_);
  return namespaces_;
}

void CacheProgress::DropRetired(std::vector<Delta>& batch) const {
  const MutexLock lock(mutex_);
  std::erase_if(batch, [&](const Delta& delta) KINFORMER_REQUIRES(mutex_) {
    if (delta.kind == Delta::Kind::kResync || delta.kind == Delta::Kind::kForget) return false;
    const auto it = scopes_.find(delta.scope);
    return it == scopes_.end() || it->second.retired;
  });
}

CacheProgress::ReplacePlan CacheProgress::PlanReplace(int scope) const {
  const MutexLock lock(mutex_);
  const Scope& planned = scopes_.at(scope);
  const bool taken_over = std::any_of(scopes_.begin(), scopes_.end(), [&](const auto& entry) {
    const auto& [number, other] = entry;
    return number != scope && !other.retired && other.synced && other.namespace_name == planned.namespace_name;
  });
  return {.namespace_name = planned.namespace_name, .initial = !planned.synced, .taken_over = taken_over};
}

CacheProgress::Applied CacheProgress::OnApplied(const std::vector<Delta>& batch) {
  Applied applied;
  const MutexLock lock(mutex_);
  for (const Delta& delta : batch) {
    const auto it = scopes_.find(delta.scope);
    if (it == scopes_.end()) continue;  // A resync belongs to no scope.
    Scope& scope = it->second;
    if (delta.kind == Delta::Kind::kForget) {
      applied.forgotten.push_back(delta.scope);
      scopes_.erase(it);
      continue;
    }
    if (!delta.resource_version.empty()) {
      scope.resource_version = delta.resource_version;
    } else if (delta.object && !delta.object->ResourceVersion().empty()) {
      scope.resource_version = delta.object->ResourceVersion();
    }
    if (!scope.synced && Syncs(delta)) {
      scope.synced = true;
      scope.error.reset();
      // Errors of other namespaces and of index functions still stand.
      if (AllSynced() && !last_error_is_of_cache_) last_error_.reset();
    }
  }
  applied.first_sync = !first_sync_told_ && AllSynced();
  if (applied.first_sync) first_sync_told_ = true;
  return applied;
}

void CacheProgress::OnSourceError(int scope, const Error& error) {
  {
    const MutexLock lock(mutex_);
    const auto it = scopes_.find(scope);
    if (it != scopes_.end() && !it->second.synced) it->second.error = error;
    last_error_ = error;
    last_error_is_of_cache_ = false;
  }
  changed_.NotifyAll();
}

void CacheProgress::OnCacheError(const Error& error) {
  {
    const MutexLock lock(mutex_);
    last_error_ = error;
    last_error_is_of_cache_ = true;
  }
  changed_.NotifyAll();
}

bool CacheProgress::AllSynced() const {
  return state_.started && std::all_of(scopes_.begin(), scopes_.end(),
                                       [](const auto& entry) { return entry.second.synced || entry.second.retired; });
}

const std::optional<Error>& CacheProgress::WhyNotSynced() const {
  for (const auto& [number, scope] : scopes_) {
    if (!scope.retired && !scope.synced && scope.error) return scope.error;
  }
  return last_error_;
}

bool CacheProgress::Reached(const std::string& version, const std::string& namespace_name) const {
  if (options_.cache_version) return IsAtLeast(options_.cache_version(), version);
  return state_.started && std::all_of(scopes_.begin(), scopes_.end(), [&](const auto& entry) {
           const Scope& scope = entry.second;
           const bool counts = !scope.retired && (namespace_name.empty() || scope.namespace_name == namespace_name);
           return !counts || (scope.synced && IsAtLeast(scope.resource_version, version));
         });
}

std::string CacheProgress::OldestVersion() const {
  if (options_.cache_version) return options_.cache_version();
  std::optional<std::string> oldest;
  for (const auto& [number, scope] : scopes_) {
    if (scope.retired) continue;
    if (!scope.synced) return "";
    if (!oldest || !IsAtLeast(scope.resource_version, *oldest)) oldest = scope.resource_version;
  }
  return oldest.value_or("");
}

bool CacheProgress::HasSynced() const {
  const MutexLock lock(mutex_);
  return AllSynced();
}

std::string CacheProgress::ResourceVersion() const {
  const MutexLock lock(mutex_);
  return OldestVersion();
}

void CacheProgress::Describe(InformerStatus& status) const {
  const MutexLock lock(mutex_);
  status.resource_version = OldestVersion();
  status.synced = AllSynced();
  if (!status.last_error) status.last_error = last_error_;
}

Error CacheProgress::ShutDownError() const {
  return Error{.code = ErrorCode::kFailedPrecondition, .message = options_.name + " has been shut down"};
}

Result<void> CacheProgress::WaitForSync(std::optional<TimePoint> deadline, const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  const bool over = changed_.Wait(lock, *options_.clock, deadline, stop, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
    return AllSynced() || state_.shut_down;
  });
  if (over && AllSynced()) return {};
  if (state_.shut_down) return ShutDownError();
  if (stop.stop_requested()) return StoppedWaiting();
  if (const std::optional<Error>& why = WhyNotSynced()) return Annotate(*why, options_.name + " not synced");
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = options_.name + " not synced in time" +
                          (state_.running   ? ""
                           : state_.started ? ": it has been stopped"
                                            : ": it has not been started")};
}

Result<void> CacheProgress::CheckWatched(const std::string& namespace_name) const {
  if (namespace_name.empty()) return {};
  const std::string& only = options_.only_namespace;
  const bool watched = options_.cache_version
                           ? only.empty() || only == namespace_name
                           : std::find(namespaces_.begin(), namespaces_.end(), namespace_name) != namespaces_.end();
  if (watched) return {};
  return Error{.code = ErrorCode::kInvalidArgument,
               .message = options_.name + ": namespace \"" + namespace_name + "\" is not watched"};
}

Result<void> CacheProgress::WaitForResourceVersion(const std::string& version, const std::string& namespace_name,
                                                   std::optional<TimePoint> deadline,
                                                   const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  Result<void> watched;
  const bool over = changed_.Wait(lock, *options_.clock, deadline, stop, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS {
    watched = CheckWatched(namespace_name);
    return !watched || state_.shut_down || Reached(version, namespace_name);
  });
  if (!watched) return watched;
  if (over && Reached(version, namespace_name)) return {};
  if (state_.shut_down) return ShutDownError();
  if (stop.stop_requested()) return StoppedWaiting();
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = options_.name + ": the cache did not reach version " + version + " in time; it is at " +
                          OldestVersion()};
}

}  // namespace kinformer::internal
