#include "src/apiserver/lifecycle/garbage_collector.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "src/apiserver/registry/strategy.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Somebody else may write at the same time.
constexpr int kChangeTries = 10;

bool WasReplaced(const Error& error) { return IsNotFound(error) || IsConflict(error); }

/// Those that the owner, deleted in the foreground, waits for.
bool Blocks(const OwnedObject& dependent, std::string_view owner) {
  return std::any_of(dependent.owners.begin(), dependent.owners.end(),
                     [owner](const OwnerClaim& claim) { return claim.uid == owner && claim.blocks; });
}

void DropOwners(json& object, const std::vector<std::string>& uids) {
  json& metadata = object["metadata"];
  const auto owners = metadata.find("ownerReferences");
  if (owners == metadata.end() || !owners->is_array()) return;
  json kept = json::array();
  for (json& owner : *owners) {
    const std::string uid = owner.is_object() ? owner.value("uid", std::string()) : std::string();
    if (std::find(uids.begin(), uids.end(), uid) == uids.end()) kept.push_back(std::move(owner));
  }
  if (kept.empty()) {
    metadata.erase(owners);
  } else {
    *owners = std::move(kept);
  }
}

void LetOwnersGo(json& object) {
  const auto owners = object["metadata"].find("ownerReferences");
  if (owners == object["metadata"].end() || !owners->is_array()) return;
  for (json& owner : *owners) {
    if (owner.is_object()) owner["blockOwnerDeletion"] = false;
  }
}

}  // namespace

void GarbageCollector::Take(const ObjectNews& news) {
  std::string uid(news.object->Uid());
  if (!news.gone) {
    OwnedObject object = OwnedObject::Of(news.store->kind().resource, *news.object);
    const bool concerned = !object.owners.empty() || object.waits_for_dependents || object.orphans_dependents;
    // Who waits for it may wait no longer.
    for (const OwnerClaim& owner : object.owners) {
      const OwnedObject* const waiting = graph_.Find(owner.uid);
      if (waiting != nullptr && waiting->waits_for_dependents) Enqueue(owner.uid);
    }
    graph_.Set(std::move(object));
    if (concerned) Enqueue(std::move(uid));
    return;
  }
  std::vector<std::string> owners;
  if (const OwnedObject* const known = graph_.Find(uid)) {
    for (const OwnerClaim& owner : known->owners) owners.push_back(owner.uid);
  }
  graph_.Remove(uid);
  for (std::string& owner : owners) Enqueue(std::move(owner));
  for (std::string& dependent : graph_.DependentsOf(uid)) Enqueue(std::move(dependent));
}

void GarbageCollector::Enqueue(std::string uid) {
  if (queued_.insert(uid).second) queue_.push_back(std::move(uid));
}

bool GarbageCollector::Work(const std::stop_token& stop) {
  std::vector<std::string> again;
  while (!queue_.empty() && !stop.stop_requested()) {
    std::string uid = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(uid);
    const OwnedObject* const found = graph_.Find(uid);
    if (found == nullptr) continue;
    // A copy: what is done about it may change the graph.
    const OwnedObject object = *found;
    if (const Result<void> checked = Check(object, stop); !checked) {
      logger_.Warning(
          "apiserver", "garbage collection is tried again",
          {{"object", ToString(object.resource) + " " + ToString(object.key)}, {"error", checked.error().message}});
      again.push_back(std::move(uid));
    }
  }
  const bool done = again.empty();
  for (std::string& uid : again) Enqueue(std::move(uid));
  return done;
}

Result<void> GarbageCollector::Check(const OwnedObject& object, const std::stop_token& stop) {
  if (object.orphans_dependents) return OrphanDependents(object, stop);
  if (object.waits_for_dependents) return WaitForDependents(object, stop);
  // What is being deleted already needs no reason.
  if (object.deleting || object.owners.empty()) return {};
  return CheckOwners(object, stop);
}

Result<GarbageCollector::OwnerState> GarbageCollector::StateOf(const OwnedObject& dependent, const OwnerClaim& owner,
                                                               const std::stop_token& stop) const {
  const auto state = [](const OwnedObject& found) {
    return found.deleting && found.waits_for_dependents ? OwnerState::kWaitsForDependents : OwnerState::kThere;
  };
  if (const OwnedObject* const known = graph_.Find(owner.uid)) return state(*known);
  // Its event may come after the dependent's: what is not known is asked for.
  const StorePtr store = stores_.find_kind(owner.api_version, owner.kind);
  if (store == nullptr) return OwnerState::kThere;
  const bool namespaced = store->kind().scope == Scope::kNamespaced;
  // Nothing that is in no namespace can be owned by something in one; such a claim is left alone.
  if (namespaced && dependent.key.namespace_name.empty()) return OwnerState::kThere;
  const Result<ObjectPtr> found =
      store->Get(namespaced ? dependent.key.namespace_name : std::string(), owner.name, "", stop);
  if (!found && IsNotFound(found.error())) return OwnerState::kGone;
  if (!found) return found.error();
  if ((*found)->Uid() != owner.uid) return OwnerState::kGone;
  return state(OwnedObject::Of(store->kind().resource, **found));
}

Result<void> GarbageCollector::CheckOwners(const OwnedObject& object, const std::stop_token& stop) {
  bool any_there = false;
  bool any_waits = false;
  std::vector<std::string> others;
  for (const OwnerClaim& owner : object.owners) {
    const Result<OwnerState> state = StateOf(object, owner, stop);
    if (!state) return state.error();
    any_there = any_there || *state == OwnerState::kThere;
    any_waits = any_waits || *state == OwnerState::kWaitsForDependents;
    if (*state != OwnerState::kThere) others.push_back(owner.uid);
  }
  if (others.empty()) return {};
  if (any_there) {
    return Change(
        object, [&others](json& changed) { DropOwners(changed, others); }, stop);
  }
  const std::vector<std::string> dependents = graph_.DependentsOf(object.uid);
  if (!any_waits || dependents.empty()) return Delete(object, "Background", stop);
  const bool circle = std::any_of(dependents.begin(), dependents.end(), [this](const std::string& uid) {
    const OwnedObject* const dependent = graph_.Find(uid);
    return dependent != nullptr && dependent->waits_for_dependents;
  });
  if (circle) {
    // Each would wait for the other: this one lets its owners go first.
    Result<void> released = Change(object, LetOwnersGo, stop);
    if (!released) return released;
  }
  return Delete(object, "Foreground", stop);
}

Result<void> GarbageCollector::WaitForDependents(const OwnedObject& object, const std::stop_token& stop) {
  bool blocked = false;
  for (const std::string& uid : graph_.DependentsOf(object.uid)) {
    const OwnedObject* const dependent = graph_.Find(uid);
    if (dependent == nullptr) continue;
    blocked = blocked || Blocks(*dependent, object.uid);
    if (!dependent->deleting) Enqueue(uid);
  }
  // The last that blocks it puts it into the queue again when it goes.
  return blocked ? Result<void>() : DropFinalizer(object, kForegroundFinalizer, stop);
}

Result<void> GarbageCollector::OrphanDependents(const OwnedObject& object, const std::stop_token& stop) {
  for (const std::string& uid : graph_.DependentsOf(object.uid)) {
    const OwnedObject* const dependent = graph_.Find(uid);
    if (dependent == nullptr) continue;
    Result<void> changed = Change(
        *dependent, [&object](json& orphan) { DropOwners(orphan, {object.uid}); }, stop);
    if (!changed) return changed;
  }
  return DropFinalizer(object, kOrphanFinalizer, stop);
}

Result<void> GarbageCollector::Delete(const OwnedObject& object, std::string_view propagation,
                                      const std::stop_token& stop) const {
  const StorePtr store = stores_.find(object.resource);
  if (store == nullptr) return {};
  const Result<DeleteOutcome> deleted =
      store->Delete(object.key.namespace_name, object.key.name,
                    {.preconditions = {.uid = object.uid}, .propagation_policy = std::string(propagation)}, stop);
  if (deleted || WasReplaced(deleted.error())) return {};
  return deleted.error();
}

Result<void> GarbageCollector::Change(const OwnedObject& object, const std::function<void(json&)>& change,
                                      const std::stop_token& stop) const {
  const StorePtr store = stores_.find(object.resource);
  if (store == nullptr) return {};
  Error last;
  for (int tries = 0; tries < kChangeTries; ++tries) {
    const Result<ObjectPtr> current = store->Get(object.key.namespace_name, object.key.name, "", stop);
    if (!current && IsNotFound(current.error())) return {};
    if (!current) return current.error();
    if ((*current)->Uid() != object.uid) return {};
    json changed = (*current)->ToJson();
    change(changed);
    const Result<UpdateOutcome> updated = store->Update(object.key.namespace_name, object.key.name, Subresource::kNone,
                                                        changed.dump(), {.field_manager = "kinformer-gc"}, stop);
    if (updated || IsNotFound(updated.error())) return {};
    if (!IsConflict(updated.error())) return updated.error();
    last = updated.error();
  }
  return last;
}

Result<void> GarbageCollector::DropFinalizer(const OwnedObject& object, std::string_view finalizer,
                                             const std::stop_token& stop) const {
  return Change(
      object,
      [finalizer](json& changed) {
        json& metadata = changed["metadata"];
        const auto finalizers = metadata.find("finalizers");
        if (finalizers == metadata.end() || !finalizers->is_array()) return;
        finalizers->erase(std::remove(finalizers->begin(), finalizers->end(), finalizer), finalizers->end());
        if (finalizers->empty()) metadata.erase(finalizers);
      },
      stop);
}

}  // namespace kinformer::apiserver
