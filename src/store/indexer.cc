
#include "src/store/indexer.h"

#include <algorithm>

#include "src/base/user_code.h"
#include "src/meta/error_text.h"
#include "src/store/object_table.h"
#include "src/store/shared_mutex.h"
#include "src/store/value_index.h"

namespace kinformer {
namespace {

using internal::Delta;
using internal::kNoSlot;
using internal::ObjectTable;
using internal::ReaderLock;
using internal::SharedMutex;
using internal::Slot;
using internal::ValueIndex;
using internal::WriterLock;

struct IndexDefinition {
  std::string name{};
  IndexFunction function{};  ///< Empty only for the namespace index.
};
/// Definitions are shared so that functions can be called and destroyed without holding the lock.
using Definitions = std::vector<std::shared_ptr<const IndexDefinition>>;

/// The namespace index comes first. It has no function, and an object's value never changes while it keeps its slot.
constexpr std::size_t kNamespacePosition = 0;
constexpr std::size_t kFirstUserPosition = 1;

/// The state readers see, swapped as a whole by Replace.
struct Contents {
  ObjectTable objects{};
  std::vector<ValueIndex> indices{};  ///< In the order of the definitions.
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

/// An index being built by AddIndexer. Owned by the AddIndexer thread; `replaced` and `changed` record concurrent
/// writes: writers set them under the writer lock, the AddIndexer thread consumes them under either lock.
struct Fill {
  std::shared_ptr<const IndexDefinition> definition{};
  bool replaced = true;         ///< Every object must be filed again.
  std::vector<Slot> changed{};  ///< Otherwise: the slots to file again.
};

Error FunctionFailed(const IndexDefinition& index, const Object& object, std::string_view what) {
  Error error;
  error.code = ErrorCode::kInternal;
  error.message = "index " + internal::Quoted(index.name) + " failed for " + internal::Quoted(ToString(object.Key())) +
                  ": " + std::string(what);
  return error;
}

/// The object's index values, sorted and without duplicates. Runs user code: no lock may be held.
Result<Keys> ValuesOf(const IndexDefinition& index, const ObjectPtr& object) {
  Result<Keys> values =
      internal::ContainResult([&] { return index.function(object); },
                              [&](const std::string& what) { return FunctionFailed(index, *object, what); });
  if (values && values->size() > 1) {
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
  }
  return values;
}

/// The failures of one index function during one write: the first error and the count.
class Failures {
 public:
  void Add(Error error) {
    if (count_++ == 0) first_ = std::move(error);
  }
  void ReportTo(const std::function<void(const Error&)>& report) const {
    if (count_ == 0 || !report) return;
    Error error = first_;
    if (count_ > 1) error.message += " (and " + std::to_string(count_ - 1) + " more objects)";
    report(error);
  }

 private:
  std::size_t count_ = 0;
  Error first_{};
};

/// An object whose function call fails is filed under no value.
ValueIndex BuildIndex(const IndexDefinition& definition, const std::vector<ObjectPtr>& objects, Failures& failures) {
  ValueIndex index;
  index.Reserve(objects.size());
  for (Slot slot = 0; slot < objects.size(); ++slot) {
    Result<Keys> values = ValuesOf(definition, objects[slot]);
    index.File(slot, values.ok() ? *values : Keys());
    if (!values) failures.Add(std::move(values).error());
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

/// Keeps the last object of each key.
void DropDuplicates(std::vector<ObjectPtr>& objects, const ObjectTable& table) {
  std::vector<bool> seen(table.SlotsEnd());
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) {
    const Slot slot = table.Find((*object)->Namespace(), (*object)->Name());
    if (seen[slot]) object->reset();
    seen[slot] = true;
  }
  std::erase(objects, nullptr);
}

/// Precondition: the keys of `objects` are unique.
Replaced Difference(const ObjectTable& before, std::vector<ObjectPtr> objects) {
  Replaced replaced;
  replaced.previous.reserve(objects.size());
  std::vector<bool> stays(before.SlotsEnd());
  for (const ObjectPtr& object : objects) {
    const Slot slot = before.Find(object->Namespace(), object->Name());
    if (slot != kNoSlot) stays[slot] = before.At(slot)->Uid() == object->Uid();
    replaced.previous.push_back(slot != kNoSlot && stays[slot] ? before.At(slot) : nullptr);
  }
  for (Slot slot = 0; slot < before.SlotsEnd(); ++slot) {
    if (before.At(slot) != nullptr && !stays[slot]) replaced.removed.push_back(before.At(slot));
  }
  replaced.objects = std::move(objects);
  return replaced;
}

/// True if Indexer::Apply takes it.
bool IsApplicable(const Delta& delta) {
  switch (delta.kind) {
    case Delta::Kind::kAdd:
    case Delta::Kind::kUpdate:
    case Delta::Kind::kDelete:
    case Delta::Kind::kDrop:
      return delta.object != nullptr;
    case Delta::Kind::kBookmark:
      return true;
    case Delta::Kind::kReplaceAll:
    case Delta::Kind::kForget:
    case Delta::Kind::kResync:
      break;
  }
  return false;
}

}  // namespace

struct Indexer::Impl {
  explicit Impl(std::function<void(const Error&)> report) : on_index_error(std::move(report)) {
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
    std::string existing;
    for (const auto& definition : definitions) {
      existing += (existing.empty() ? "" : ", ") + internal::Quoted(definition->name);
    }
    return internal::InvalidArgument("there is no index " + internal::Quoted(name) + "; existing indices: " + existing);
  }

  std::vector<ObjectPtr> All() const KINFORMER_THREAD_ANNOTATION(requires_shared_capability(mutex)) {
    std::vector<ObjectPtr> objects;
    objects.reserve(contents.objects.Size());
    for (Slot slot = 0; slot < contents.objects.SlotsEnd(); ++slot) {
      if (contents.objects.At(slot) != nullptr) objects.push_back(contents.objects.At(slot));
    }
    return objects;
  }

  /// Returns the previous state. `values` holds the index values of all deltas, indexed by index position, then by
  /// delta.
  ObjectPtr ApplyOne(const Delta& delta, std::size_t number, const std::vector<std::vector<Keys>>& values)
      KINFORMER_REQUIRES(mutex) {
    if (delta.kind == Delta::Kind::kBookmark) {
      if (!delta.resource_version.empty()) contents.resource_version = delta.resource_version;
      return nullptr;
    }
    const Object& object = *delta.object;
    if (!object.ResourceVersion().empty()) contents.resource_version = object.ResourceVersion();
    const bool removes = Removes(delta);
    ObjectTable::Change change =
        removes ? contents.objects.Erase(object.Namespace(), object.Name()) : contents.objects.Set(delta.object);
    if (change.slot == kNoSlot) return nullptr;
    for (Fill* const fill : fills) fill->changed.push_back(change.slot);
    if (removes) {
      for (ValueIndex& index : contents.indices) index.Remove(change.slot);
      return std::move(change.before);
    }
    if (change.before == nullptr) contents.indices[kNamespacePosition].File(change.slot, object.Namespace());
    for (std::size_t i = kFirstUserPosition; i < contents.indices.size(); ++i) {
      contents.indices[i].File(change.slot, values[i][number]);
    }
    return std::move(change.before);
  }

  /// The slots still to be filed, each with its current object; null if the slot is now free.
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

  /// Fails if the name is taken, including by an index still being filled.
  Result<void> StartFill(Fill& fill) {
    const std::string& name = fill.definition->name;
    const WriterLock lock(mutex);
    const bool taken = FindIndex(name).ok() || std::any_of(fills.begin(), fills.end(), [&](const Fill* other) {
                         return other->definition->name == name;
                       });
    if (taken) return internal::InvalidArgument("index " + internal::Quoted(name) + " already exists");
    fills.push_back(&fill);
    return {};
  }

  void EndFill(const Fill& fill) {
    const WriterLock lock(mutex);
    std::erase(fills, &fill);
  }

  /// False if writes arrived that must be filed first.
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

  const std::function<void(const Error&)> on_index_error;
  mutable SharedMutex mutex;
  Contents contents KINFORMER_GUARDED_BY(mutex);
  Definitions definitions KINFORMER_GUARDED_BY(mutex);  ///< Append-only.
  std::vector<Fill*> fills KINFORMER_GUARDED_BY(mutex);
};

Indexer::Indexer(std::function<void(const Error&)> on_index_error)
    : impl_(std::make_unique<Impl>(std::move(on_index_error))) {}
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

Result<std::vector<ObjectPtr>> Indexer::Apply(std::span<const Delta> deltas) {
  if (!std::all_of(deltas.begin(), deltas.end(), IsApplicable)) {
    return internal::InvalidArgument("a delta has no object, or is not of a single object");
  }
  std::vector<ObjectPtr> previous;
  previous.reserve(deltas.size());
  std::vector<std::vector<Keys>> values(kFirstUserPosition);
  std::vector<Failures> failures(kFirstUserPosition);
  // Repeats if an index was added while the index functions ran.
  for (;;) {
    const Definitions definitions = impl_->CurrentDefinitions();
    for (std::size_t i = values.size(); i < definitions.size(); ++i) {
      std::vector<Keys>& of_index = values.emplace_back(deltas.size());
      Failures& of_function = failures.emplace_back();
      for (std::size_t number = 0; number < deltas.size(); ++number) {
        if (deltas[number].object == nullptr || Removes(deltas[number])) continue;
        Result<Keys> of_object = ValuesOf(*definitions[i], deltas[number].object);
        if (of_object) {
          of_index[number] = *std::move(of_object);
        } else {
          of_function.Add(std::move(of_object).error());
        }
      }
    }

    const WriterLock lock(impl_->mutex);
    if (impl_->definitions.size() != definitions.size()) continue;
    for (std::size_t number = 0; number < deltas.size(); ++number) {
      previous.push_back(impl_->ApplyOne(deltas[number], number, values));
    }
    break;
  }
  for (const Failures& of_function : failures) of_function.ReportTo(impl_->on_index_error);
  return previous;
}

Result<Replaced> Indexer::Replace(std::vector<ObjectPtr> objects, std::string resource_version) {
  if (std::find(objects.begin(), objects.end(), nullptr) != objects.end()) {
    return internal::InvalidArgument("one of the objects is null");
  }
  // Built aside and swapped in, so readers block only for the swap. Slots equal the positions in `objects`.
  Contents fresh;
  fresh.objects = BuildTable(objects);
  if (fresh.objects.Size() != objects.size()) {
    DropDuplicates(objects, fresh.objects);
    fresh.objects = BuildTable(objects);
  }
  fresh.resource_version = std::move(resource_version);
  fresh.indices.push_back(BuildNamespaceIndex(objects));

  Replaced replaced;
  {
    // There is one writer, so the difference computed here still holds at the swap.
    const ReaderLock lock(impl_->mutex);
    replaced = Difference(impl_->contents.objects, std::move(objects));
  }
  std::vector<Failures> failures;
  for (;;) {
    const Definitions definitions = impl_->CurrentDefinitions();
    for (std::size_t i = fresh.indices.size(); i < definitions.size(); ++i) {
      fresh.indices.push_back(BuildIndex(*definitions[i], replaced.objects, failures.emplace_back()));
    }

    const WriterLock lock(impl_->mutex);
    if (impl_->definitions.size() != definitions.size()) continue;
    std::swap(impl_->contents, fresh);  // The old contents are destroyed after the lock is released.
    for (Fill* const fill : impl_->fills) {
      fill->replaced = true;
      fill->changed.clear();
    }
    break;
  }
  for (const Failures& of_function : failures) of_function.ReportTo(impl_->on_index_error);
  return replaced;
}

}  // namespace kinformer
