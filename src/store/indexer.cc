#include <kinformer/store/indexer.h>

#include <algorithm>
#include <exception>

#include "src/meta/error_text.h"
#include "src/store/object_table.h"
#include "src/store/shared_mutex.h"
#include "src/store/value_index.h"

namespace kinformer {
namespace {

using internal::kNoSlot;
using internal::ObjectTable;
using internal::ReaderLock;
using internal::SharedMutex;
using internal::Slot;
using internal::ValueIndex;
using internal::WriterLock;

struct IndexDefinition {
  std::string name{};
  IndexFunction function{};  ///< Empty for the namespace index alone.
};
/// Shared, so that functions can be called, and destroyed, without a lock.
using Definitions = std::vector<std::shared_ptr<const IndexDefinition>>;

/// The namespace index is the first; its values need no function and never change while an object keeps its slot.
constexpr std::size_t kNamespacePosition = 0;
constexpr std::size_t kFirstUserPosition = 1;

/// What readers see.
struct Contents {
  ObjectTable objects{};
  std::vector<ValueIndex> indices{};  ///< As the definitions.
  std::string resource_version{};
};

std::vector<ObjectPtr> InGroup(const Contents& contents, std::size_t position, std::string_view value) {
  std::vector<ObjectPtr> objects;
  const ValueIndex& index = contents.indices[position];
  if (const ValueIndex::Group* const group = index.Find(value); group != nullptr) {
    objects.reserve(group->Size());
    index.ForEach(*group, [&](Slot slot) { objects.push_back(contents.objects.At(slot)); });
  }
  return objects;
}

/// An index that is being filled: by AddIndexer's thread, which alone touches it, but for the notes that a writer
/// leaves under the lock for writing and AddIndexer's thread takes under either lock.
struct Fill {
  std::shared_ptr<const IndexDefinition> definition{};
  bool replaced = true;         ///< All objects must be filed anew.
  std::vector<Slot> changed{};  ///< Those that must, otherwise.
};

Error FunctionFailed(const IndexDefinition& index, const Object& object, std::string_view what) {
  Error error;
  error.code = ErrorCode::kInternal;
  error.message = "index " + internal::Quoted(index.name) + " failed for " + internal::Quoted(ToString(object.Key())) +
                  ": " + std::string(what);
  return error;
}

/// The values of an object, sorted, each once. User code runs here: no lock may be held.
Result<Keys> ValuesOf(const IndexDefinition& index, const ObjectPtr& object) {
  try {
    Keys values = index.function(object);
    if (values.size() > 1) {
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
    return values;
  } catch (const std::exception& e) {
    return FunctionFailed(index, *object, e.what());
  } catch (...) {
    return FunctionFailed(index, *object, "an exception of unknown type");
  }
}

Result<ValueIndex> BuildIndex(const IndexDefinition& definition, const std::vector<ObjectPtr>& objects) {
  ValueIndex index;
  index.Reserve(objects.size());
  for (Slot slot = 0; slot < objects.size(); ++slot) {
    Result<Keys> values = ValuesOf(definition, objects[slot]);
    if (!values) return std::move(values).error();
    index.File(slot, *values);
  }
  return index;
}

ValueIndex BuildNamespaceIndex(const std::vector<ObjectPtr>& objects) {
  ValueIndex index;
  index.Reserve(objects.size());
  for (Slot slot = 0; slot < objects.size(); ++slot) index.File(slot, objects[slot]->Namespace());
  return index;
}

ObjectTable BuildTable(const std::vector<ObjectPtr>& objects) {
  ObjectTable table;
  table.Reserve(objects.size());
  for (const ObjectPtr& object : objects) table.Set(object);
  table.ShrinkTexts();
  return table;
}

/// Of objects with the same key the last one stays.
void DropDuplicates(std::vector<ObjectPtr>& objects, const ObjectTable& table) {
  std::vector<bool> seen(table.SlotsEnd());
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
    const Slot slot = table.Find((*object)->Namespace(), (*object)->Name());
    if (seen[slot]) object->reset();
    seen[slot] = true;
  }
  std::erase(objects, nullptr);
}

/// What it means to go from `before` to `after`, whose keys are different from one another.
std::vector<StoreChange> Difference(const ObjectTable& before, const std::vector<ObjectPtr>& after) {
  std::vector<StoreChange> arrivals;
  arrivals.reserve(after.size());
  std::vector<bool> stays(before.SlotsEnd());
  for (const ObjectPtr& object : after) {
    const Slot slot = before.Find(object->Namespace(), object->Name());
    if (slot != kNoSlot) stays[slot] = before.At(slot)->Uid() == object->Uid();
    arrivals.push_back({slot != kNoSlot && stays[slot] ? before.At(slot) : nullptr, object});
  }
  std::vector<StoreChange> changes;
  for (Slot slot = 0; slot < before.SlotsEnd(); ++slot) {
    if (before.At(slot) != nullptr && !stays[slot]) changes.push_back({before.At(slot), nullptr});
  }
  if (changes.empty()) return arrivals;
  changes.insert(changes.end(), std::make_move_iterator(arrivals.begin()), std::make_move_iterator(arrivals.end()));
  return changes;
}

}  // namespace

struct Indexer::Impl {
  Impl() {
    definitions.push_back(std::make_shared<IndexDefinition>(IndexDefinition{std::string(kNamespaceIndex), {}}));
    contents.indices.emplace_back();
  }

  Definitions CurrentDefinitions() const {
    const ReaderLock lock(mutex);
    return definitions;
  }

  Result<std::size_t> FindIndex(std::string_view name) const
      KINFORMER_THREAD_ANNOTATION(requires_shared_capability(mutex)) {
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      if (definitions[i]->name == name) return i;
    }
    return internal::InvalidArgument("there is no index " + internal::Quoted(name));
  }

  std::vector<ObjectPtr> All() const KINFORMER_THREAD_ANNOTATION(requires_shared_capability(mutex)) {
    std::vector<ObjectPtr> objects;
    objects.reserve(contents.objects.Size());
    for (Slot slot = 0; slot < contents.objects.SlotsEnd(); ++slot) {
      if (contents.objects.At(slot) != nullptr) objects.push_back(contents.objects.At(slot));
    }
    return objects;
  }

  /// `values` are those of all writes, by index and by write.
  StoreChange ApplyOne(const Write& write, std::size_t number, const std::vector<std::vector<Keys>>& values)
      KINFORMER_REQUIRES(mutex) {
    const Object& object = *write.object;
    if (!object.ResourceVersion().empty()) contents.resource_version = object.ResourceVersion();
    const bool erase = write.kind == Write::Kind::kErase;
    ObjectTable::Change change =
        erase ? contents.objects.Erase(object.Namespace(), object.Name()) : contents.objects.Set(write.object);
    if (change.slot == kNoSlot) return {};
    for (Fill* const fill : fills) fill->changed.push_back(change.slot);
    if (erase) {
      for (ValueIndex& index : contents.indices) index.Remove(change.slot);
      return {std::move(change.before), nullptr};
    }
    if (change.before == nullptr) contents.indices[kNamespacePosition].File(change.slot, object.Namespace());
    for (std::size_t i = kFirstUserPosition; i < contents.indices.size(); ++i) {
      contents.indices[i].File(change.slot, values[i][number]);
    }
    return {std::move(change.before), write.object};
  }

  /// What `fill` has not filed yet, with its objects as they are now; a slot without one is no longer used.
  std::vector<std::pair<Slot, ObjectPtr>> TakeNotes(Fill& fill) const
      KINFORMER_THREAD_ANNOTATION(requires_shared_capability(mutex)) {
    std::vector<std::pair<Slot, ObjectPtr>> notes;
    if (std::exchange(fill.replaced, false)) {
      notes.reserve(contents.objects.Size());
      for (Slot slot = 0; slot < contents.objects.SlotsEnd(); ++slot) {
        if (contents.objects.At(slot) != nullptr) notes.emplace_back(slot, contents.objects.At(slot));
      }
    } else {
      std::sort(fill.changed.begin(), fill.changed.end());
      fill.changed.erase(std::unique(fill.changed.begin(), fill.changed.end()), fill.changed.end());
      notes.reserve(fill.changed.size());
      for (const Slot slot : fill.changed) notes.emplace_back(slot, contents.objects.At(slot));
    }
    fill.changed.clear();
    return notes;
  }

  /// Refused if the name is taken, also by an index that is still being filled.
  Result<void> StartFill(Fill& fill) {
    const std::string& name = fill.definition->name;
    const WriterLock lock(mutex);
    const bool taken = FindIndex(name).ok() || std::any_of(fills.begin(), fills.end(), [&](const Fill* other) {
                         return other->definition->name == name;
                       });
    if (taken) return internal::InvalidArgument("there is an index " + internal::Quoted(name) + " already");
    fills.push_back(&fill);
    return {};
  }

  void EndFill(const Fill& fill) {
    const WriterLock lock(mutex);
    std::erase(fills, &fill);
  }

  /// False if there is something new to be filed.
  bool Publish(const Fill& fill, ValueIndex& index) {
    const WriterLock lock(mutex);
    if (fill.replaced || !fill.changed.empty()) return false;
    contents.indices.push_back(std::move(index));
    definitions.push_back(fill.definition);
    return true;
  }

  Result<void> FillAndPublish(Fill& fill) {
    ValueIndex index;
    do {
      std::vector<std::pair<Slot, ObjectPtr>> notes;
      {
        const ReaderLock lock(mutex);
        if (fill.replaced) index = {};
        notes = TakeNotes(fill);
      }
      index.Reserve(notes.size());
      for (const auto& [slot, object] : notes) {
        if (object == nullptr) {
          index.Remove(slot);
          continue;
        }
        Result<Keys> values = ValuesOf(*fill.definition, object);
        if (!values) return std::move(values).error();
        index.File(slot, *values);
      }
    } while (!Publish(fill, index));
    return {};
  }

  mutable SharedMutex mutex;
  Contents contents KINFORMER_GUARDED_BY(mutex);
  Definitions definitions KINFORMER_GUARDED_BY(mutex);  ///< Only ever appended to.
  std::vector<Fill*> fills KINFORMER_GUARDED_BY(mutex);
};

Indexer::Indexer() : impl_(std::make_unique<Impl>()) {}
Indexer::~Indexer() = default;

ObjectPtr Indexer::Get(std::string_view namespace_name, std::string_view name) const {
  const ReaderLock lock(impl_->mutex);
  const Slot slot = impl_->contents.objects.Find(namespace_name, name);
  return slot == kNoSlot ? nullptr : impl_->contents.objects.At(slot);
}

std::vector<ObjectPtr> Indexer::List() const {
  const ReaderLock lock(impl_->mutex);
  return impl_->All();
}

std::vector<ObjectPtr> Indexer::ListNamespace(std::string_view namespace_name) const {
  const ReaderLock lock(impl_->mutex);
  return InGroup(impl_->contents, kNamespacePosition, namespace_name);
}

Result<std::vector<ObjectPtr>> Indexer::ByIndex(std::string_view index, std::string_view value) const {
  const ReaderLock lock(impl_->mutex);
  const Result<std::size_t> position = impl_->FindIndex(index);
  if (!position) return position.error();
  return InGroup(impl_->contents, *position, value);
}

Result<std::vector<ObjectPtr>> Indexer::ByIndexes(std::span<const IndexLookup> lookups) const {
  struct Match {
    const ValueIndex* index;
    const ValueIndex::Group* group;
  };
  std::vector<Match> matches;
  matches.reserve(lookups.size());
  const ReaderLock lock(impl_->mutex);
  if (lookups.empty()) return impl_->All();
  for (const IndexLookup& lookup : lookups) {
    const Result<std::size_t> position = impl_->FindIndex(lookup.index);
    if (!position) return position.error();
    const ValueIndex& index = impl_->contents.indices[*position];
    matches.push_back({&index, index.Find(lookup.value)});
  }
  const auto size = [](const Match& match) { return match.group == nullptr ? 0 : match.group->Size(); };
  std::sort(matches.begin(), matches.end(), [&](const Match& a, const Match& b) { return size(a) < size(b); });

  std::vector<ObjectPtr> objects;
  const Match& smallest = matches.front();
  if (smallest.group == nullptr) return objects;
  const ObjectTable& table = impl_->contents.objects;
  smallest.index->ForEach(*smallest.group, [&](Slot slot) {
    const bool in_all = std::all_of(matches.begin() + 1, matches.end(),
                                    [&](const Match& other) { return other.index->Contains(*other.group, slot); });
    if (in_all) objects.push_back(table.At(slot));
  });
  return objects;
}

Result<std::vector<std::string>> Indexer::IndexValues(std::string_view index) const {
  std::vector<std::string> values;
  {
    const ReaderLock lock(impl_->mutex);
    const Result<std::size_t> position = impl_->FindIndex(index);
    if (!position) return position.error();
    values = impl_->contents.indices[*position].Values();
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::string> Indexer::IndexNames() const {
  std::vector<std::string> names;
  for (const auto& definition : impl_->CurrentDefinitions()) names.push_back(definition->name);
  return names;
}

std::size_t Indexer::Size() const {
  const ReaderLock lock(impl_->mutex);
  return impl_->contents.objects.Size();
}

std::string Indexer::ResourceVersion() const {
  const ReaderLock lock(impl_->mutex);
  return impl_->contents.resource_version;
}

Result<void> Indexer::AddIndexer(std::string name, IndexFunction function) {
  if (!function) return internal::InvalidArgument("index " + internal::Quoted(name) + " has no function");
  Fill fill;
  fill.definition = std::make_shared<IndexDefinition>(IndexDefinition{std::move(name), std::move(function)});
  if (auto started = impl_->StartFill(fill); !started) return started;
  Result<void> filled = impl_->FillAndPublish(fill);
  impl_->EndFill(fill);
  return filled;
}

bool Indexer::CanBeFiled(const ObjectPtr& object) const {
  const Definitions definitions = impl_->CurrentDefinitions();
  return std::all_of(definitions.begin() + kFirstUserPosition, definitions.end(),
                     [&](const auto& definition) { return ValuesOf(*definition, object).ok(); });
}

Result<std::vector<StoreChange>> Indexer::Apply(std::span<const Write> writes,
                                                std::optional<std::string> resource_version) {
  for (const Write& write : writes) {
    if (write.object == nullptr) return internal::InvalidArgument("a write has no object");
  }
  std::vector<StoreChange> changes;
  changes.reserve(writes.size());
  std::vector<std::vector<Keys>> values(kFirstUserPosition);
  // Again for indices that were added while the functions of the others ran.
  for (;;) {
    const Definitions definitions = impl_->CurrentDefinitions();
    for (std::size_t i = values.size(); i < definitions.size(); ++i) {
      std::vector<Keys>& of_index = values.emplace_back(writes.size());
      for (std::size_t number = 0; number < writes.size(); ++number) {
        if (writes[number].kind == Write::Kind::kErase) continue;
        Result<Keys> of_object = ValuesOf(*definitions[i], writes[number].object);
        if (!of_object) return std::move(of_object).error();
        of_index[number] = *std::move(of_object);
      }
    }

    const WriterLock lock(impl_->mutex);
    if (impl_->definitions.size() != definitions.size()) continue;
    for (std::size_t number = 0; number < writes.size(); ++number) {
      changes.push_back(impl_->ApplyOne(writes[number], number, values));
    }
    if (resource_version && !resource_version->empty()) impl_->contents.resource_version = *resource_version;
    return changes;
  }
}

Result<std::vector<StoreChange>> Indexer::Replace(std::vector<ObjectPtr> objects, std::string resource_version) {
  if (std::find(objects.begin(), objects.end(), nullptr) != objects.end()) {
    return internal::InvalidArgument("one of the objects is null");
  }
  // Built on the side and swapped in: readers wait for no more than the swap. Slots are the places in `objects`.
  Contents fresh;
  fresh.objects = BuildTable(objects);
  if (fresh.objects.Size() != objects.size()) {
    DropDuplicates(objects, fresh.objects);
    fresh.objects = BuildTable(objects);
  }
  fresh.resource_version = std::move(resource_version);
  fresh.indices.push_back(BuildNamespaceIndex(objects));

  std::vector<StoreChange> changes;
  {
    // Nobody else writes: what is true here is still true at the swap.
    const ReaderLock lock(impl_->mutex);
    changes = Difference(impl_->contents.objects, objects);
  }
  for (;;) {
    const Definitions definitions = impl_->CurrentDefinitions();
    for (std::size_t i = fresh.indices.size(); i < definitions.size(); ++i) {
      Result<ValueIndex> index = BuildIndex(*definitions[i], objects);
      if (!index) return std::move(index).error();
      fresh.indices.push_back(*std::move(index));
    }

    const WriterLock lock(impl_->mutex);
    if (impl_->definitions.size() != definitions.size()) continue;
    std::swap(impl_->contents, fresh);  // What was there is destroyed after the lock.
    for (Fill* const fill : impl_->fills) {
      fill->replaced = true;
      fill->changed.clear();
    }
    return changes;
  }
}

}  // namespace kinformer
