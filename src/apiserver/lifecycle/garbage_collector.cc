#include "src/apiserver/lifecycle/garbage_collector.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/registry/strategy.h"
#include "src/base/user_code.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::JsonText;
using internal::TextOf;
using nlohmann::json;

/// Attempts of a read-modify-write under concurrent writes.
constexpr int kTries = 10;
constexpr const char* kManager = "kinformer-gc";
constexpr const char* kComponent = "garbage-collector-controller";

json* FindOwners(json& object) {
  if (!object.is_object()) return nullptr;
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return nullptr;
  const auto owners = metadata->find("ownerReferences");
  return owners == metadata->end() || !owners->is_array() ? nullptr : &*owners;
}

void DropOwners(json& object, const std::vector<std::string>& uids) {
  json* const owners = FindOwners(object);
  if (owners == nullptr) return;
  json kept = json::array();
  for (json& owner : *owners) {
    if (std::find(uids.begin(), uids.end(), TextOf(owner, "uid")) == uids.end()) kept.push_back(std::move(owner));
  }
  if (kept.empty()) {
    object["metadata"].erase("ownerReferences");
  } else {
    *owners = std::move(kept);
  }
}

void UnblockOwners(json& object) {
  json* const owners = FindOwners(object);
  if (owners == nullptr) return;
  for (json& owner : *owners) {
    if (owner.is_object()) owner["blockOwnerDeletion"] = false;
  }
}

/// Updates the object, provided that its resourceVersion has not changed.
Result<ObjectPtr> UpdateIfUnchanged(const ResourceStore& store, const Object& live,
                                    const std::function<void(json&)>& change, const std::stop_token& stop) {
  json changed = live.ToJson();
  change(changed);
  Result<UpdateOutcome> updated =
      store.Update(std::string(live.Namespace()), std::string(live.Name()), Subresource::kNone, JsonText(changed),
                   {.field_manager = kManager}, stop);
  if (!updated) return std::move(updated).error();
  return std::move(updated->object);
}

/// Deletes the object, provided that it has not changed. Success if it is already gone.
Result<bool> DeleteIfUnchanged(const ResourceStore& store, const Object& live, std::string_view propagation,
                               const std::stop_token& stop) {
  const Result<DeleteOutcome> deleted = store.Delete(
      std::string(live.Namespace()), std::string(live.Name()),
      {.preconditions = {.uid = std::string(live.Uid()), .resource_version = std::string(live.ResourceVersion())},
       .propagation_policy = std::string(propagation)},
      stop);
  if (deleted || IsNotFound(deleted.error())) return true;
  return deleted.error();
}

/// The propagation policy that keeps the object's propagation finalizer.
std::string_view PropagationOf(const Object& object) {
  const auto& finalizers = object.Finalizers();
  const auto has = [&](std::string_view name) {
    return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
  };
  if (has(kOrphanFinalizer)) return "Orphan";
  return has(kForegroundFinalizer) ? "Foreground" : "Background";
}

std::string ToText(const OwnedObject& object) { return ToString(object.resource) + " " + ToString(object.key); }

}  // namespace

void GarbageCollector::Take(const ObjectNews& news) {
  std::string uid(news.object->Uid());
  // Owners waiting for their dependents: this object may no longer block them.
  std::vector<std::string> waiting;
  const auto add_waiting = [&](const OwnedObject& object) {
    for (const OwnerClaim& claim : object.owners) {
      const OwnedObject* const owner = graph_.Find(claim.uid);
      if (owner != nullptr && owner->waits_for_dependents) waiting.push_back(claim.uid);
    }
  };
  if (const OwnedObject* const before = graph_.Find(uid)) add_waiting(*before);
  if (news.gone) {
    graph_.Remove(uid);
    retries_.Forget(uid);
    unresolved_.erase(uid);
    reported_.erase(reported_.lower_bound({uid, ""}), reported_.lower_bound({uid + '\0', ""}));
    for (std::string& dependent : graph_.DependentsOf(uid)) Enqueue(std::move(dependent));
  } else {
    OwnedObject object = OwnedObject::Of(news.store->kind().resource, *news.object);
    add_waiting(object);
    const bool concerned = object.waits_for_dependents || object.orphans_dependents || NeedsCheck(object);
    graph_.Set(std::move(object));
    if (concerned) Enqueue(std::move(uid));
  }
  for (std::string& owner : waiting) Enqueue(std::move(owner));
}

bool GarbageCollector::NeedsCheck(const OwnedObject& object) const {
  if (object.deleting) return false;
  return std::any_of(object.owners.begin(), object.owners.end(), [&](const OwnerClaim& claim) {
    const OwnedObject* const owner = graph_.Find(claim.uid);
    return owner == nullptr || owner->waits_for_dependents || !owner->IsNamedBy(claim, object.key.namespace_name);
  });
}

void GarbageCollector::KindsChanged() {
  for (const std::string& uid : std::exchange(unresolved_, {})) Enqueue(uid);
}

void GarbageCollector::Enqueue(std::string uid) {
  if (queued_.insert(uid).second) queue_.push_back(std::move(uid));
}

std::optional<TimePoint> GarbageCollector::Work(TimePoint now, const std::stop_token& stop) {
  for (std::string& uid : retries_.TakeDue(now)) Enqueue(std::move(uid));
  while (!queue_.empty() && !stop.stop_requested()) {
    const std::string uid = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(uid);
    const OwnedObject* const found = graph_.Find(uid);
    if (found == nullptr) {
      retries_.Forget(uid);
      continue;
    }
    // A copy, because Check may change the graph.
    const OwnedObject object = *found;
    Result<bool> checked = true;
    if (const auto thrown = internal::Contain([&] { checked = Check(object, stop); })) {
      checked = Error{.code = ErrorCode::kInternal, .message = *thrown};
    }
    if (checked.ok() && *checked) {
      retries_.Forget(uid);
    } else if (checked.ok()) {
      retries_.Later(uid, now);
    } else {
      retries_.Fail(uid, now);
      if (stop.stop_requested()) break;
      logger_.Warning("apiserver", "garbage collection of an object failed, will be retried",
                      {{"object", ToText(object)}, {"error", checked.error().message}});
    }
  }
  return retries_.Next();
}

Result<bool> GarbageCollector::Check(const OwnedObject& object, const std::stop_token& stop) {
  if (object.orphans_dependents) return OrphanDependents(object, stop);
  if (object.waits_for_dependents) return WaitForDependents(object, stop);
  // An object that is already being deleted needs no check.
  if (object.deleting || !NeedsCheck(object)) return true;
  return CheckOwners(object, stop);
}

Result<bool> GarbageCollector::CheckOwners(const OwnedObject& known, const std::stop_token& stop) {
  const StorePtr store = stores_.find(known.resource);
  if (store == nullptr) return true;
  Error last;
  for (int tries = 0; tries < kTries; ++tries) {
    const Result<ObjectPtr> live = store->Get(known.key.namespace_name, known.key.name, "", stop);
    if (!live && IsNotFound(live.error())) return true;
    if (!live) return live.error();
    // A different object of the same name; news of both will follow.
    if ((*live)->Uid() != known.uid) return true;
    Result<bool> decided = Decide(*store, **live, stop);
    if (decided.ok() || !IsConflict(decided.error())) return decided;
    last = std::move(decided).error();
  }
  return last;
}

Result<GarbageCollector::Owner> GarbageCollector::FindOwner(const OwnedObject& dependent, const OwnerClaim& claim,
                                                            const std::stop_token& stop) {
  const std::string& namespace_name = dependent.key.namespace_name;
  const auto state = [](const OwnedObject& owner) {
    return owner.waits_for_dependents ? OwnerState::kWaitsForDependents : OwnerState::kThere;
  };
  const OwnedObject* const known = graph_.Find(claim.uid);
  // If it has been deleted since, its dependents are checked again when that news arrives.
  if (known != nullptr && known->IsNamedBy(claim, namespace_name)) return Owner{.state = state(*known)};
  if (known != nullptr && known->IsElsewhere(namespace_name)) ReportInvalidNamespace(dependent, claim, stop);
  const StorePtr store = stores_.find_kind(claim.api_version, claim.kind);
  if (store == nullptr) return Owner{.state = OwnerState::kUnknownKind};
  const bool namespaced = store->kind().scope == Scope::kNamespaced;
  if (namespaced && namespace_name.empty()) return Owner{.state = OwnerState::kInvalid};
  const Result<ObjectPtr> found = store->Get(namespaced ? namespace_name : std::string(), claim.name, "", stop);
  if (!found && IsNotFound(found.error())) return Owner{.state = OwnerState::kGone};
  if (!found) return found.error();
  if ((*found)->Uid() != claim.uid) return Owner{.state = OwnerState::kGone};
  return Owner{.state = state(OwnedObject::Of(store->kind().resource, **found)),
               .unobserved = known == nullptr && store->kind().cached};
}

Result<bool> GarbageCollector::Decide(const ResourceStore& store, const Object& live, const std::stop_token& stop) {
  const OwnedObject object = OwnedObject::Of(store.kind().resource, live);
  if (object.deleting) return true;
  bool any_there = false;
  bool any_waits = false;
  // If an owner is deleted before the graph has seen it, its deletion may never be reported.
  bool observed = true;
  std::vector<std::string> others;
  for (const OwnerClaim& claim : object.owners) {
    const Result<Owner> owner = FindOwner(object, claim, stop);
    if (!owner) return owner.error();
    switch (owner->state) {
      case OwnerState::kUnknownKind:
        unresolved_.insert(object.uid);
        return true;
      case OwnerState::kInvalid:
        return true;
      case OwnerState::kThere:
        any_there = true;
        break;
      case OwnerState::kWaitsForDependents:
        any_waits = true;
        others.push_back(claim.uid);
        break;
      case OwnerState::kGone:
        others.push_back(claim.uid);
        break;
    }
    observed = observed && !owner->unobserved;
  }
  if (others.empty()) return observed;
  if (any_there) {
    const Result<ObjectPtr> updated = UpdateIfUnchanged(
        store, live, [&others](json& changed) { DropOwners(changed, others); }, stop);
    if (!updated && !IsNotFound(updated.error())) return updated.error();
    return observed;
  }
  const std::vector<std::string> dependents = graph_.DependentsOf(object.uid);
  if (!any_waits || dependents.empty()) return DeleteIfUnchanged(store, live, PropagationOf(live), stop);
  const bool circle = std::any_of(dependents.begin(), dependents.end(), [this](const std::string& uid) {
    const OwnedObject* const dependent = graph_.Find(uid);
    return dependent != nullptr && dependent->waits_for_dependents;
  });
  if (!circle) return DeleteIfUnchanged(store, live, "Foreground", stop);
  // Break the deadlock: this object stops blocking its owners first.
  const Result<ObjectPtr> unblocked = UpdateIfUnchanged(store, live, UnblockOwners, stop);
  if (!unblocked && IsNotFound(unblocked.error())) return true;
  if (!unblocked) return unblocked.error();
  return DeleteIfUnchanged(store, **unblocked, "Foreground", stop);
}

Result<bool> GarbageCollector::WaitForDependents(const OwnedObject& object, const std::stop_token& stop) {
  bool blocked = false;
  for (const std::string& uid : graph_.DependentsOf(object.uid)) {
    const OwnedObject* const dependent = graph_.Find(uid);
    if (dependent == nullptr) continue;
    blocked = blocked || std::any_of(dependent->owners.begin(), dependent->owners.end(), [&](const OwnerClaim& claim) {
                return claim.blocks && object.IsNamedBy(claim, dependent->key.namespace_name);
              });
    if (!dependent->deleting) Enqueue(uid);
  }
  // When the last blocking dependent is gone, it enqueues this object again.
  if (blocked) return true;
  if (Result<void> dropped = DropFinalizer(object, kForegroundFinalizer, stop); !dropped) {
    return std::move(dropped).error();
  }
  return true;
}

Result<bool> GarbageCollector::OrphanDependents(const OwnedObject& object, const std::stop_token& stop) {
  for (const std::string& uid : graph_.DependentsOf(object.uid)) {
    const OwnedObject* const dependent = graph_.Find(uid);
    if (dependent == nullptr) continue;
    Result<void> changed = Change(
        *dependent, [&object](json& orphan) { DropOwners(orphan, {object.uid}); }, stop);
    if (!changed) return std::move(changed).error();
  }
  if (Result<void> dropped = DropFinalizer(object, kOrphanFinalizer, stop); !dropped) {
    return std::move(dropped).error();
  }
  return true;
}

Result<void> GarbageCollector::Change(const OwnedObject& object, const std::function<void(json&)>& change,
                                      const std::stop_token& stop) const {
  const StorePtr store = stores_.find(object.resource);
  if (store == nullptr) return {};
  Error last;
  for (int tries = 0; tries < kTries; ++tries) {
    const Result<ObjectPtr> live = store->Get(object.key.namespace_name, object.key.name, "", stop);
    if (!live && IsNotFound(live.error())) return {};
    if (!live) return live.error();
    if ((*live)->Uid() != object.uid) return {};
    Result<ObjectPtr> updated = UpdateIfUnchanged(*store, **live, change, stop);
    if (updated || IsNotFound(updated.error())) return {};
    if (!IsConflict(updated.error())) return std::move(updated).error();
    last = std::move(updated).error();
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

void GarbageCollector::ReportInvalidNamespace(const OwnedObject& dependent, const OwnerClaim& claim,
                                              const std::stop_token& stop) {
  const StorePtr store = stores_.find({"", "v1", "events"});
  if (store == nullptr || !reported_.emplace(dependent.uid, claim.uid).second) return;
  const std::string& place = dependent.key.namespace_name;
  const std::string event_namespace = place.empty() ? "default" : place;
  const Timestamp now = clock_->WallNow();
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();
  std::array<char, 32> suffix{};
  (void)std::snprintf(suffix.data(), suffix.size(), "%llx", static_cast<unsigned long long>(nanos) + events_++);
  const std::string time = FormatTimestamp(now);
  json involved = {{"kind", dependent.kind},
                   {"apiVersion", dependent.resource.ApiVersion()},
                   {"name", dependent.key.name},
                   {"uid", dependent.uid}};
  if (!place.empty()) involved["namespace"] = place;
  const json event = {
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", dependent.key.name + "." + suffix.data()}, {"namespace", event_namespace}}},
      {"involvedObject", std::move(involved)},
      {"reason", "OwnerRefInvalidNamespace"},
      {"message", "ownerRef [" + claim.api_version + "/" + claim.kind + ", namespace: " + place + ", name: " +
                      claim.name + ", uid: " + claim.uid + "] does not exist in namespace \"" + place + "\""},
      {"type", "Warning"},
      {"count", 1},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"source", {{"component", kComponent}}},
      {"reportingComponent", kComponent},
      {"reportingInstance", ""}};
  const Result<ObjectPtr> created = store->Create(event_namespace, JsonText(event), {.field_manager = kManager}, stop);
  if (created) return;
  logger_.Warning("apiserver", "creating an Event for an invalid owner reference failed",
                  {{"object", ToText(dependent)}, {"owner", claim.uid}, {"error", created.error().message}});
}

}  // namespace kinformer::apiserver
