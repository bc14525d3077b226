#include "src/informer/delta_applier.h"

#include <iterator>
#include <optional>
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

void NoteReplaced(StoreChange change, bool initial, std::vector<Notification>& notifications) {
  if (!change.after) {
    notifications.push_back(DeleteOf(std::move(change.before), true));
  } else if (!change.before) {
    notifications.push_back(AddOf(std::move(change.after), initial));
  } else if (change.before == change.after || IsSameVersion(*change.before, *change.after)) {
    notifications.push_back(SyncOf(change.after));
  } else {
    notifications.push_back(UpdateOf(std::move(change.before), std::move(change.after)));
  }
}

void NoteEvent(const Delta& delta, StoreChange change, std::vector<Notification>& notifications) {
  if (!change.before && !change.after) return;
  if (delta.kind == Delta::Kind::kDrop) {
    notifications.push_back(DeleteOf(std::move(change.before), true));
  } else if (!change.after) {
    // The event carries the final state, which is newer than the cached one.
    notifications.push_back(DeleteOf(delta.object, false));
  } else if (!change.before) {
    notifications.push_back(AddOf(std::move(change.after), false));
  } else if (change.before->Uid() != change.after->Uid()) {
    // Deleted and recreated while no watch was open.
    notifications.push_back(DeleteOf(std::move(change.before), true));
    notifications.push_back(AddOf(std::move(change.after), false));
  } else {
    notifications.push_back(UpdateOf(std::move(change.before), std::move(change.after)));
  }
}

}  // namespace

std::vector<Notification> DeltaApplier::Replace(const std::string& namespace_name, std::vector<ObjectPtr> objects,
                                                const std::string& resource_version, bool initial) {
  std::vector<StoreChange> changes = namespace_name.empty()
                                         ? indexer_.Replace(std::move(objects), resource_version).value()
                                         : ReplaceNamespace(namespace_name, std::move(objects));
  std::vector<Notification> notifications;
  notifications.reserve(changes.size());
  for (StoreChange& change : changes) NoteReplaced(std::move(change), initial, notifications);
  return notifications;
}

/// Like Indexer::Replace, for one namespace.
std::vector<StoreChange> DeltaApplier::ReplaceNamespace(const std::string& namespace_name,
                                                        std::vector<ObjectPtr> objects) {
  std::unordered_set<std::string_view> names;
  for (const ObjectPtr& object : objects) names.insert(object->Name());
  std::vector<Indexer::Write> writes;
  for (const ObjectPtr& known : indexer_.ListNamespace(namespace_name)) {
    if (!names.contains(known->Name())) writes.push_back({.kind = Indexer::Write::Kind::kErase, .object = known});
  }
  for (ObjectPtr& object : objects) writes.push_back({.object = std::move(object)});
  std::vector<StoreChange> changes = indexer_.Apply(writes).value();
  std::vector<StoreChange> removed;
  std::vector<StoreChange> kept;
  for (StoreChange& change : changes) {
    if (!change.after) {
      removed.push_back(std::move(change));
    } else if (change.before && change.before->Uid() != change.after->Uid()) {
      removed.push_back({.before = std::move(change.before)});
      kept.push_back({.after = std::move(change.after)});
    } else {
      kept.push_back(std::move(change));
    }
  }
  removed.insert(removed.end(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
  return removed;
}

std::vector<Notification> DeltaApplier::Apply(std::span<const Delta> events) {
  std::vector<Indexer::Write> writes;
  std::optional<std::string> bookmark;
  // A bookmark is always last in a batch, so the writes line up with the events before it.
  for (const Delta& delta : events) {
    if (delta.kind == Delta::Kind::kBookmark) {
      bookmark = delta.resource_version;
    } else {
      const bool erase = delta.kind == Delta::Kind::kDelete || delta.kind == Delta::Kind::kDrop;
      writes.push_back(
          {.kind = erase ? Indexer::Write::Kind::kErase : Indexer::Write::Kind::kSet, .object = delta.object});
    }
  }
  std::vector<StoreChange> changes = indexer_.Apply(writes, bookmark).value();
  std::vector<Notification> notifications;
  for (std::size_t i = 0; i < changes.size(); ++i) NoteEvent(events[i], std::move(changes[i]), notifications);
  return notifications;
}

std::vector<Notification> DeltaApplier::Resync() const {
  std::vector<Notification> notifications;
  for (const ObjectPtr& object : indexer_.List()) notifications.push_back(SyncOf(object));
  return notifications;
}

}  // namespace kinformer::internal
