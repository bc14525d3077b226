#include "src/informer/delta_applier.h"

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace kinformer::internal {
namespace {

Notification AddOf(ObjectPtr after, bool in_initial_list) {
  return {.kind = Notification::Kind::kAdd, .after = std::move(after), .in_initial_list = in_initial_list};
}

Notification UpdateOf(ObjectPtr before, ObjectPtr after) {
  return {.kind = Notification::Kind::kUpdate, .before = std::move(before), .after = std::move(after)};
}

Notification DeleteOf(ObjectPtr last_known, bool final_state_unknown) {
  return {
      .kind = Notification::Kind::kDelete, .before = std::move(last_known), .final_state_unknown = final_state_unknown};
}

Notification SyncOf(const ObjectPtr& object) {
  return {.kind = Notification::Kind::kSync, .before = object, .after = object};
}

bool IsSameVersion(const Object& a, const Object& b) {
  return a.Uid() == b.Uid() && !a.ResourceVersion().empty() && a.ResourceVersion() == b.ResourceVersion();
}

Notification ReplacedBy(ObjectPtr previous, ObjectPtr object, bool initial) {
  if (!previous) return AddOf(std::move(object), initial);
  if (previous == object || IsSameVersion(*previous, *object)) return SyncOf(object);
  return UpdateOf(std::move(previous), std::move(object));
}

void NoteEvent(const Delta& delta, ObjectPtr previous, std::vector<Notification>& notifications) {
  if (Removes(delta)) {
    if (!previous) return;
    if (delta.kind == Delta::Kind::kDrop) {
      notifications.push_back(DeleteOf(std::move(previous), true));
    } else {
      // A deletion carries the final state, which is newer than the cached one.
      notifications.push_back(DeleteOf(delta.object, false));
    }
  } else if (!previous) {
    notifications.push_back(AddOf(delta.object, false));
  } else if (previous->Uid() != delta.object->Uid()) {
    // Deleted and recreated while no watch was open.
    notifications.push_back(DeleteOf(std::move(previous), true));
    notifications.push_back(AddOf(delta.object, false));
  } else {
    notifications.push_back(UpdateOf(std::move(previous), delta.object));
  }
}

}  // namespace

std::vector<Notification> DeltaApplier::Replace(const std::string& namespace_name, std::vector<ObjectPtr> objects,
                                                const std::string& resource_version, bool initial) {
  Replaced replaced = namespace_name.empty() ? indexer_.Replace(std::move(objects), resource_version).value()
                                             : ReplaceNamespace(namespace_name, std::move(objects));
  std::vector<Notification> notifications;
  notifications.reserve(replaced.removed.size() + replaced.objects.size());
  for (ObjectPtr& object : replaced.removed) notifications.push_back(DeleteOf(std::move(object), true));
  for (std::size_t i = 0; i < replaced.objects.size(); ++i) {
    notifications.push_back(ReplacedBy(std::move(replaced.previous[i]), std::move(replaced.objects[i]), initial));
  }
  return notifications;
}

/// Like Indexer::Replace, for one namespace.
Replaced DeltaApplier::ReplaceNamespace(const std::string& namespace_name, std::vector<ObjectPtr> objects) {
  std::unordered_set<std::string_view> names;
  for (const ObjectPtr& object : objects) names.insert(object->Name());
  Replaced replaced;
  std::vector<Delta> deltas;
  for (ObjectPtr& known : indexer_.ListNamespace(namespace_name)) {
    if (names.contains(known->Name())) continue;
    deltas.push_back({.kind = Delta::Kind::kDrop, .object = known});
    replaced.removed.push_back(std::move(known));
  }
  const std::size_t drops = deltas.size();
  for (const ObjectPtr& object : objects) deltas.push_back({.kind = Delta::Kind::kAdd, .object = object});
  std::vector<ObjectPtr> previous = indexer_.Apply(deltas).value();
  previous.erase(previous.begin(), previous.begin() + static_cast<std::ptrdiff_t>(drops));
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (previous[i] && previous[i]->Uid() != objects[i]->Uid()) replaced.removed.push_back(std::move(previous[i]));
  }
  replaced.objects = std::move(objects);
  replaced.previous = std::move(previous);
  return replaced;
}

std::vector<Notification> DeltaApplier::Apply(std::span<const Delta> events) {
  std::vector<ObjectPtr> previous = indexer_.Apply(events).value();
  std::vector<Notification> notifications;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].object) NoteEvent(events[i], std::move(previous[i]), notifications);
  }
  return notifications;
}

std::vector<Notification> DeltaApplier::Resync() const {
  std::vector<Notification> notifications;
  for (const ObjectPtr& object : indexer_.List()) notifications.push_back(SyncOf(object));
  return notifications;
}

}  // namespace kinformer::internal
