#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <kinformer/client/discovery.h>

#include "src/base/mutex.h"

namespace kinformer {
namespace {

/// The catalog with each group's preferred version, so that a lookup is linear in the number of resources, independent
/// of the number of groups.
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

/// The match in its group's preferred version, otherwise the first match.
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
  // "deployments.v1.apps" or "deployments.apps". Groups may contain dots, so both readings are tried.
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
  explicit State(const Discovery& d) : discovery(d) {}

  using IndexPtr = std::shared_ptr<const Index>;

  /// Returns the known index if it is not `than`, in which the lookup failed; otherwise runs discovery, or waits for a
  /// running one. Never null.
  Result<IndexPtr> OtherThan(const IndexPtr& than, const std::stop_token& stop) {
    MutexLock lock(mutex);
    const auto is_other = [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return known != nullptr && known != than; };
    const bool mine =
        changed.Wait(lock, stop, [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return is_other() || !discovering; });
    if (!mine) return Error{.code = ErrorCode::kCancelled, .message = "stopped while discovering"};
    if (is_other()) return known;
    discovering = true;
    const std::uint64_t resets_before = resets;
    lock.Unlock();
    Result<ApiCatalog> found = discovery.Discover(stop);
    lock.Lock();
    discovering = false;
    Result<IndexPtr> result = IndexPtr();
    if (found) {
      const auto index = std::make_shared<const Index>(*std::move(found));
      // A result requested before a reset may serve this lookup, which began before the reset, but no later one.
      if (resets == resets_before) known = index;
      result = index;
    } else {
      result = std::move(found).error();
    }
    lock.Unlock();
    changed.NotifyAll();
    return result;
  }

  Result<ApiResource> Find(const std::string& what, const std::function<std::optional<ApiResource>(const Index&)>& find,
                           const std::stop_token& stop) {
    IndexPtr current;
    {
      const MutexLock lock(mutex);
      current = known;
    }
    if (current != nullptr) {
      if (auto found = find(*current)) return *std::move(found);
    }
    // The kind may be new on the server: discover once more.
    Result<IndexPtr> newer = OtherThan(current, stop);
    if (!newer) return std::move(newer).error();
    current = *std::move(newer);
    if (auto found = find(*current)) return *std::move(found);
    Error error{
        .code = ErrorCode::kServer, .message = "the server has no " + what, .http_status = 404, .reason = "NotFound"};
    if (!current->catalog.failures.empty()) {
      const auto& [group_version, why] = *current->catalog.failures.begin();
      error.message += "; discovery of " + group_version + " failed (" + why.message + ")";
    }
    return error;
  }

  const Discovery discovery;
  Mutex mutex;
  CondVar changed;
  IndexPtr known KINFORMER_GUARDED_BY(mutex);  ///< Null: nothing discovered yet, or reset.
  std::uint64_t resets KINFORMER_GUARDED_BY(mutex) = 0;
  bool discovering KINFORMER_GUARDED_BY(mutex) = false;
};

KindMapper::KindMapper(const Discovery& discovery) : state_(std::make_shared<State>(discovery)) {}

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
  state_->known = nullptr;
  ++state_->resets;
}

}  // namespace kinformer
