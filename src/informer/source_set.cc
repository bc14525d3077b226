#include "src/informer/source_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinformer::internal {
namespace {

/// Removes duplicates, keeps the order.
std::vector<std::string> Distinct(std::vector<std::string> names) {
  std::vector<std::string> distinct;
  for (std::string& name : names) {
    if (std::find(distinct.begin(), distinct.end(), name) == distinct.end()) distinct.push_back(std::move(name));
  }
  return distinct;
}

bool IsAmong(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::optional<std::string> TransformKeyOf(const NamedTransform& transform) {
  if (!transform.function) return std::string();
  if (transform.name.empty()) return std::nullopt;
  return transform.name;
}

Error EmptyNamespaceError(const std::string& name) {
  return Error{.code = ErrorCode::kInvalidArgument,
               .message = name +
                          ": \"\" is not a namespace; to watch all namespaces, leave InformerOptions::namespaces "
                          "unset"};
}

SourceSet::SourceSet(SourceSetOptions options, CacheProgress& progress, MakeSource make_source)
    : options_(std::move(options)),
      progress_(progress),
      make_source_(std::move(make_source)),
      transform_(options_.transform),
      transform_key_(options_.transform_key) {
  progress_.SetNamespaces(Distinct(options_.namespaces), {}, {});
}

CacheProgress::OpenedScope SourceSet::Open(const std::string& namespace_name,
                                           std::shared_ptr<ListerWatcher> lister_watcher) {
  const int scope = ++last_scope_;
  sources_[scope].source = make_source_(scope, namespace_name, std::move(lister_watcher), transform_);
  return {.scope = scope, .namespace_name = namespace_name};
}

bool SourceSet::Start() {
  const MutexLock lock(mutex_);
  const CacheProgress::RunState state = progress_.State();
  if (state.running || state.shut_down) return false;
  std::vector<CacheProgress::OpenedScope> opened;
  if (!state.started) {
    if (options_.everything) {
      opened.push_back(Open("", options_.everything));
    } else {
      for (const std::string& name : progress_.Namespaces()) opened.push_back(Open(name, options_.make(name)));
    }
  }
  progress_.Started(opened);
  // Under the lock, so that a concurrent Stop happens entirely before or after.
  for (const auto& [scope, entry] : sources_) {
    if (!entry.retired) entry.source->Start();
  }
  return true;
}

void SourceSet::Stop() {
  {
    const MutexLock lock(mutex_);
    progress_.Stopped();
    for (const auto& [scope, entry] : sources_) entry.source->RequestStop();
  }
  for (const auto& source : Sources()) (void)source->AwaitStopped({});
}

void SourceSet::RequestShutDown() {
  const MutexLock lock(mutex_);
  progress_.ShutDown();
  for (const auto& [scope, entry] : sources_) entry.source->RequestStop();
}

int SourceSet::AwaitStopped(std::optional<TimePoint> deadline) {
  std::vector<std::shared_ptr<InformerSource>> sources;
  {
    const MutexLock lock(mutex_);
    sources = ending_;
    for (const auto& [scope, entry] : sources_) sources.push_back(entry.source);
  }
  int running = 0;
  for (const auto& source : sources) running += source->AwaitStopped(deadline) ? 0 : 1;
  return running;
}

Result<void> SourceSet::SetNamespaces(std::vector<std::string> namespaces) {
  if (!options_.make) {
    return Error{
        .code = ErrorCode::kFailedPrecondition,
        .message = options_.name + ": its namespaces are fixed; set InformerOptions::namespaces to change them later"};
  }
  if (IsAmong(namespaces, "")) return EmptyNamespaceError(options_.name);
  namespaces = Distinct(std::move(namespaces));
  std::vector<std::shared_ptr<InformerSource>> ended;
  {
    const MutexLock lock(mutex_);
    const CacheProgress::RunState state = progress_.State();
    if (state.shut_down) return progress_.ShutDownError();
    std::vector<CacheProgress::OpenedScope> opened;
    std::vector<int> retired;
    std::vector<std::string> watched;
    for (auto& [scope, entry] : sources_) {
      if (entry.retired) continue;
      if (IsAmong(namespaces, entry.source->namespace_name())) {
        watched.push_back(entry.source->namespace_name());
      } else {
        entry.retired = true;
        entry.source->RequestStop();
        retired.push_back(scope);
        ended.push_back(entry.source);
      }
    }
    for (const std::string& name : namespaces) {
      if (state.started && !IsAmong(watched, name)) opened.push_back(Open(name, options_.make(name)));
    }
    progress_.SetNamespaces(std::move(namespaces), opened, retired);
    for (const auto& added : opened) {
      if (state.running) sources_[added.scope].source->Start();
    }
  }
  for (const auto& source : ended) {
    (void)source->AwaitStopped({});
    source->Forget();
  }
  return {};
}

Result<void> SourceSet::SetTransform(NamedTransform transform) {
  const MutexLock lock(mutex_);
  if (progress_.State().started) {
    return Error{
        .code = ErrorCode::kFailedPrecondition,
        .message = options_.name + ": cannot set a transform after Start: cached objects were stored without it"};
  }
  transform_key_ = TransformKeyOf(transform);
  transform_.swap(transform.function);  // The old one is destroyed after the lock is released.
  return {};
}

std::optional<std::string> SourceSet::TransformKey() const {
  const MutexLock lock(mutex_);
  return transform_key_;
}

std::vector<std::shared_ptr<InformerSource>> SourceSet::Sources() const {
  std::vector<std::shared_ptr<InformerSource>> sources;
  const MutexLock lock(mutex_);
  for (const auto& [scope, entry] : sources_) {
    if (!entry.retired) sources.push_back(entry.source);
  }
  return sources;
}

void SourceSet::Discard(const std::vector<int>& scopes) {
  std::vector<std::shared_ptr<InformerSource>> gone;  // Destroyed after the lock is released.
  const MutexLock lock(mutex_);
  for (const int scope : scopes) {
    const auto it = sources_.find(scope);
    ending_.push_back(std::move(it->second.source));
    sources_.erase(it);
  }
  const auto idle = std::stable_partition(ending_.begin(), ending_.end(),
                                          [](const auto& source) { return source->Busy() || source.use_count() > 1; });
  std::move(idle, ending_.end(), std::back_inserter(gone));
  ending_.erase(idle, ending_.end());
}

}  // namespace kinformer::internal
