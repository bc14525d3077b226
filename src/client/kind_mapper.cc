#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <kinformer/base/mutex.h>
#include <kinformer/client/discovery.h>

namespace kinformer {
namespace {

/// What a server serves, and which version of each group it prefers: a look-up is linear in the resources, however many
/// groups there are.
struct Index {
  explicit Index(ApiCatalog found) : catalog(std::move(found)) {
    for (const ApiGroup& group : catalog.groups) preferred.emplace(group.name, group.preferred_version);
  }
  bool IsPreferred(const GroupVersionResource& gvr) const {
    const auto it = preferred.find(gvr.group);
    return it != preferred.end() && it->second == gvr.version;
  }

  const ApiCatalog catalog;
  std::unordered_map<std::string, std::string> preferred;
};

/// The match in the preferred version of its group, else the first.
template <typename Matches>
std::optional<ApiResource> Best(const Index& index, Matches matches) {
  const ApiResource* best = nullptr;
  for (const ApiResource& resource : index.catalog.resources) {
    if (!matches(resource)) continue;
    if (index.IsPreferred(resource.resource.gvr)) return resource;
    if (best == nullptr) best = &resource;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::optional<ApiResource> FindName(const Index& index, std::string_view text) {
  const std::size_t dot = text.find('.');
  const std::string_view name = text.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  const auto named = [&](const ApiResource& r) {
    return r.resource.gvr.resource == name || r.singular == name ||
           std::find(r.short_names.begin(), r.short_names.end(), name) != r.short_names.end();
  };
  if (rest.empty()) return Best(index, named);
  const std::size_t second = rest.find('.');
  // "deployments.v1.apps" and "deployments.apps"; a group's own dots make both readings possible.
  if (second != std::string_view::npos) {
    auto versioned = Best(index, [&](const ApiResource& r) {
      return named(r) && r.resource.gvr.version == rest.substr(0, second) &&
             r.resource.gvr.group == rest.substr(second + 1);
    });
    if (versioned) return versioned;
  }
  return Best(index, [&](const ApiResource& r) { return named(r) && r.resource.gvr.group == rest; });
}

}  // namespace

struct KindMapper::State {
  explicit State(Discovery d) : discovery(std::move(d)) {}

  struct Known {
    std::shared_ptr<const Index> index;
    std::uint64_t generation = 0;
  };

  /// What is known, if it is newer than `than`; else discovers, or waits for whoever does.
  Result<Known> NewerThan(std::uint64_t than, const std::stop_token& stop) {
    MutexLock lock(mutex);
    const bool mine = changed.Wait(
        lock, stop, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return known.generation > than || !discovering; });
    if (!mine) return Error{.code = ErrorCode::kCancelled, .message = "stopped while discovering"};
    if (known.generation > than) return known;
    discovering = true;
    lock.Unlock();
    Result<ApiCatalog> found = discovery.Discover(stop);
    lock.Lock();
    discovering = false;
    Result<Known> result = Known{};
    if (found) {
      known = {std::make_shared<const Index>(*std::move(found)), known.generation + 1};
      result = known;
    } else {
      result = std::move(found).error();
    }
    lock.Unlock();
    changed.NotifyAll();
    return result;
  }

  Result<ApiResource> Find(const std::string& what, const std::function<std::optional<ApiResource>(const Index&)>& find,
                           const std::stop_token& stop) {
    Known current;
    {
      const MutexLock lock(mutex);
      current = known;
    }
    if (current.index) {
      if (auto found = find(*current.index)) return *std::move(found);
    }
    // It may be new on the server: asked once more than we knew.
    Result<Known> newer = NewerThan(current.generation, stop);
    if (!newer) return std::move(newer).error();
    current = *std::move(newer);
    if (auto found = find(*current.index)) return *std::move(found);
    Error error{
        .code = ErrorCode::kServer, .message = "the server has no " + what, .http_status = 404, .reason = "NotFound"};
    if (!current.index->catalog.failures.empty()) {
      error.message += "; it could not describe " + current.index->catalog.failures.begin()->first + " (" +
                       current.index->catalog.failures.begin()->second.message + ")";
    }
    return error;
  }

  const Discovery discovery;
  Mutex mutex;
  CondVar changed;
  Known known KINFORMER_GUARDED_BY(mutex);
  bool discovering KINFORMER_GUARDED_BY(mutex) = false;
};

KindMapper::KindMapper(Discovery discovery) : state_(std::make_shared<State>(std::move(discovery))) {}

Result<ApiResource> KindMapper::ForKind(const GroupVersionKind& gvk, const std::stop_token& stop) const {
  return state_->Find(
      "kind " + gvk.kind + " in " +
          GroupVersionKind{gvk.group, gvk.version.empty() ? "*" : gvk.version, ""}.ApiVersion(),
      [&](const Index& index) {
        return Best(index, [&](const ApiResource& r) {
          return r.resource.kind == gvk.kind && r.resource.gvr.group == gvk.group &&
                 (gvk.version.empty() || r.resource.gvr.version == gvk.version);
        });
      },
      stop);
}

Result<ApiResource> KindMapper::ForResource(const GroupVersionResource& gvr, const std::stop_token& stop) const {
  return state_->Find(
      "resource " + gvr.resource + " in " +
          GroupVersionKind{gvr.group, gvr.version.empty() ? "*" : gvr.version, ""}.ApiVersion(),
      [&](const Index& index) {
        return Best(index, [&](const ApiResource& r) {
          return r.resource.gvr.resource == gvr.resource && r.resource.gvr.group == gvr.group &&
                 (gvr.version.empty() || r.resource.gvr.version == gvr.version);
        });
      },
      stop);
}

Result<ApiResource> KindMapper::ForName(std::string_view name, const std::stop_token& stop) const {
  return state_->Find(
      "resource called \"" + std::string(name) + "\"", [&](const Index& index) { return FindName(index, name); }, stop);
}

void KindMapper::Reset() const {
  const MutexLock lock(state_->mutex);
  state_->known.index = nullptr;
}

}  // namespace kinformer
