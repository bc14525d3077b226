#include "src/apiserver/registry/renamed_storage.h"

#include <functional>
#include <optional>
#include <variant>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

enum class Direction { kExposed, kStored };

Result<ObjectPtr> Renamed(const Object& object, const GroupVersionKind& kind, const FieldNames& names,
                          Direction direction) {
  json value = object.ToJson();
  value["apiVersion"] = kind.ApiVersion();
  value["kind"] = kind.kind;
  for (const auto& [seen, stored] : names) {
    const std::string& from = direction == Direction::kExposed ? stored : seen;
    const std::string& to = direction == Direction::kExposed ? seen : stored;
    const auto found = value.find(from);
    if (found == value.end()) continue;
    json moved = std::move(*found);
    value.erase(found);
    value[to] = std::move(moved);
  }
  return Object::FromJson(value, {.keep_managed_fields = true});
}

/// Translates the selector's fields ("regarding.name") to their stored names.
SelectionPredicate ForStored(SelectionPredicate predicate, const FieldNames& names) {
  std::vector<FieldRequirement> requirements = predicate.fields.requirements();
  for (FieldRequirement& requirement : requirements) {
    for (const auto& [seen, stored] : names) {
      if (requirement.field != seen && !requirement.field.starts_with(seen + ".")) continue;
      requirement.field.replace(0, seen.size(), stored);
      break;
    }
  }
  // Renaming does not invalidate a requirement.
  if (Result<FieldSelector> fields = FieldSelector::From(std::move(requirements)))
    predicate.fields = *std::move(fields);
  return predicate;
}

class RenamedStream final : public WatchEventStream {
 public:
  RenamedStream(std::unique_ptr<WatchEventStream> stored, GroupVersionKind kind, FieldNames names)
      : stored_(std::move(stored)), kind_(std::move(kind)), names_(std::move(names)) {}

  Result<std::optional<WatchPart>> TryNext() override {
    Result<std::optional<WatchPart>> part = stored_->TryNext();
    if (!part || !*part) return part;
    auto* events = std::get_if<std::vector<WatchEvent>>(&**part);
    if (events == nullptr) return part;
    for (WatchEvent& event : *events) {
      if (event.object == nullptr) continue;
      Result<ObjectPtr> seen = Renamed(*event.object, kind_, names_, Direction::kExposed);
      if (!seen) return std::move(seen).error();
      event.object = *std::move(seen);
    }
    return part;
  }
  void NotifyWhenReady(std::function<void()> ready) override { stored_->NotifyWhenReady(std::move(ready)); }

 private:
  const std::unique_ptr<WatchEventStream> stored_;
  const GroupVersionKind kind_;
  const FieldNames names_;
};

}  // namespace

RenamedStorage::RenamedStorage(StorageOptions options, FieldNames names, std::shared_ptr<ObjectStorage> stored)
    : options_(std::move(options)), names_(std::move(names)), stored_(std::move(stored)) {}

Result<ObjectPtr> RenamedStorage::Create(const Object& object, std::chrono::seconds ttl, const std::stop_token& stop) {
  Result<ObjectPtr> stored = Renamed(object, stored_->options().kind, names_, Direction::kStored);
  if (!stored) return stored;
  Result<ObjectPtr> created = stored_->Create(**stored, ttl, stop);
  if (!created) return created;
  return Renamed(**created, options_.kind, names_, Direction::kExposed);
}

Result<ObjectPtr> RenamedStorage::Get(const std::string& namespace_name, const std::string& name,
                                      const std::string& resource_version, const std::stop_token& stop) {
  Result<ObjectPtr> found = stored_->Get(namespace_name, name, resource_version, stop);
  if (!found) return found;
  return Renamed(**found, options_.kind, names_, Direction::kExposed);
}

Result<ObjectList> RenamedStorage::List(const ListQuery& query, const std::stop_token& stop) {
  ListQuery of_stored = query;
  of_stored.predicate = ForStored(query.predicate, names_);
  Result<ObjectList> list = stored_->List(of_stored, stop);
  if (!list) return list;
  for (ObjectPtr& item : list->items) {
    Result<ObjectPtr> seen = Renamed(*item, options_.kind, names_, Direction::kExposed);
    if (!seen) return std::move(seen).error();
    item = *std::move(seen);
  }
  return list;
}

Result<ObjectPtr> RenamedStorage::GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                                   bool create_if_missing, const Preconditions& preconditions,
                                                   const Change& change, const std::stop_token& stop) {
  const auto of_stored = [&](const ObjectPtr& current) -> Result<ObjectPtr> {
    ObjectPtr seen;
    if (current != nullptr) {
      Result<ObjectPtr> renamed = Renamed(*current, options_.kind, names_, Direction::kExposed);
      if (!renamed) return renamed;
      seen = *std::move(renamed);
    }
    Result<ObjectPtr> wanted = change(seen);
    if (!wanted || *wanted == nullptr) return wanted;
    // Unchanged: returning `current` makes the storage skip the write.
    if (*wanted == seen) return current;
    return Renamed(**wanted, stored_->options().kind, names_, Direction::kStored);
  };
  Result<ObjectPtr> changed =
      stored_->GuaranteedUpdate(namespace_name, name, create_if_missing, preconditions, of_stored, stop);
  if (!changed || *changed == nullptr) return changed;
  return Renamed(**changed, options_.kind, names_, Direction::kExposed);
}

Result<std::unique_ptr<WatchEventStream>> RenamedStorage::Watch(const WatchQuery& query, const std::stop_token& stop) {
  WatchQuery of_stored = query;
  of_stored.predicate = ForStored(query.predicate, names_);
  Result<std::unique_ptr<WatchEventStream>> events = stored_->Watch(of_stored, stop);
  if (!events) return events;
  return std::unique_ptr<WatchEventStream>(std::make_unique<RenamedStream>(*std::move(events), options_.kind, names_));
}

}  // namespace kinformer::apiserver
