#include "src/apiserver/lifecycle/owner_graph.h"

#include <algorithm>
#include <utility>

#include "src/apiserver/registry/strategy.h"

namespace kinformer::apiserver {

OwnedObject OwnedObject::Of(const GroupVersionResource& resource, const Object& object) {
  OwnedObject owned{.resource = resource,
                    .kind = std::string(object.Kind()),
                    .key = object.Key(),
                    .uid = std::string(object.Uid()),
                    .deleting = object.DeletionTimestamp().has_value()};
  for (const OwnerReference& owner : object.OwnerReferences()) {
    owned.owners.push_back({.uid = std::string(owner.uid),
                            .api_version = std::string(owner.api_version),
                            .kind = std::string(owner.kind),
                            .name = std::string(owner.name),
                            .blocks = owner.block_owner_deletion});
  }
  if (owned.deleting) {
    const auto& finalizers = object.Finalizers();
    const auto has = [&](std::string_view name) {
      return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
    };
    owned.waits_for_dependents = has(kForegroundFinalizer);
    owned.orphans_dependents = has(kOrphanFinalizer);
  }
  return owned;
}

bool OwnedObject::IsElsewhere(std::string_view namespace_name) const {
  return !key.namespace_name.empty() && key.namespace_name != namespace_name;
}

bool OwnedObject::IsNamedBy(const OwnerClaim& claim, std::string_view namespace_name) const {
  const std::string_view version = claim.api_version;
  const std::size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  return claim.uid == uid && claim.name == key.name && claim.kind == kind && group == resource.group &&
         !IsElsewhere(namespace_name);
}

void OwnerGraph::Set(OwnedObject object) {
  const auto [it, is_new] = objects_.try_emplace(object.uid);
  if (!is_new) DropClaims(it->second);
  for (const OwnerClaim& owner : object.owners) dependents_[owner.uid].insert(object.uid);
  it->second = std::move(object);
}

void OwnerGraph::Remove(std::string_view uid) {
  const auto it = objects_.find(std::string(uid));
  if (it == objects_.end()) return;
  DropClaims(it->second);
  objects_.erase(it);
}

void OwnerGraph::DropClaims(const OwnedObject& object) {
  for (const OwnerClaim& owner : object.owners) {
    const auto it = dependents_.find(owner.uid);
    if (it == dependents_.end()) continue;
    it->second.erase(object.uid);
    if (it->second.empty()) dependents_.erase(it);
  }
}

const OwnedObject* OwnerGraph::Find(std::string_view uid) const {
  const auto it = objects_.find(std::string(uid));
  return it == objects_.end() ? nullptr : &it->second;
}

std::vector<std::string> OwnerGraph::DependentsOf(std::string_view uid) const {
  const auto it = dependents_.find(std::string(uid));
  if (it == dependents_.end()) return {};
  return {it->second.begin(), it->second.end()};
}

}  // namespace kinformer::apiserver
