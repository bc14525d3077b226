#include "src/listwatch/storage/undecorated_storage.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/object_codec.h"
#include "src/listwatch/storage/query_rules.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/listwatch/storage/storage_watch.h"

namespace kinformer::apiserver {
namespace {

constexpr std::int64_t kMaxPage = 10'000;

/// An object that exceeds the backend's size limit is the client's error.
Error WriteError(Error error) {
  if (error.code != ErrorCode::kTooLarge) return error;
  return RequestEntityTooLargeError(std::move(error.message));
}

}  // namespace

UndecoratedStorage::UndecoratedStorage(std::shared_ptr<Backend> backend, StorageOptions options, TaskPool& pool)
    : backend_(std::move(backend)), options_(std::make_shared<const StorageOptions>(std::move(options))), pool_(pool) {}

Result<ObjectPtr> UndecoratedStorage::Decode(const KeyValue& item, Revision revision) const {
  Result<ObjectPtr> object = DecodeObject(*item.value, revision, options_->kind, options_->convert);
  if (object) return object;
  return InternalServerError("cannot decode what is stored at " + item.key + ": " + object.error().message);
}

Result<ObjectPtr> UndecoratedStorage::Create(const Object& object, std::chrono::seconds ttl,
                                             const std::stop_token& stop) {
  if (!object.ResourceVersion().empty()) {
    return InternalServerError("resourceVersion should not be set on objects to be created");
  }
  const std::string name(object.Name());
  const Result<std::string> key = ObjectKey(*options_, std::string(object.Namespace()), name);
  if (!key) return key.error();
  const Bytes text = MakeBytes(EncodeObject(object));
  Result<WriteOutcome> outcome = backend_->Put(*key, text, 0, ttl, stop);
  if (!outcome) return WriteError(std::move(outcome).error());
  if (!outcome->Written()) return AlreadyExistsError(options_->resource, name);
  return Decode({.key = *key, .value = text}, outcome->revision);
}

Result<ObjectPtr> UndecoratedStorage::Get(const std::string& namespace_name, const std::string& name,
                                          const std::string& resource_version, const std::stop_token& stop) {
  const Result<std::string> key = ObjectKey(*options_, namespace_name, name);
  if (!key) return key.error();
  const Result<Revision> not_older_than = ParseResourceVersion(resource_version);
  if (!not_older_than) return not_older_than.error();
  const auto found = backend_->Get(*key, stop);
  if (!found) return found.error();
  if (*not_older_than > found->second) return TooLargeResourceVersionError(*not_older_than, found->second);
  if (!found->first) return NotFoundError(options_->resource, name);
  return Decode(*found->first, found->first->mod_revision);
}

Result<ObjectList> UndecoratedStorage::List(const ListQuery& query, const std::stop_token& stop) {
  const Result<std::string> key = QueryKey(*options_, query.namespace_name, query.name);
  if (!key) return key.error();
  Result<ListPlan> plan = PlanList(query, *key);
  if (!plan) return std::move(plan).error();

  const bool everything = query.predicate.IsEverything();
  const auto wanted = static_cast<std::size_t>(query.limit);
  std::int64_t page = query.limit == 0 ? kMaxPage : std::min(query.limit, kMaxPage);
  RangeQuery range{.prefix = *key, .start = plan->start, .limit = page, .revision = plan->exact};
  ObjectList result;
  for (;;) {
    const Result<RangeResult> part = backend_->Range(range, stop);
    if (!part) {
      if (IsResourceExpired(part.error()) && !range.start.empty()) return ContinueExpiredError(range.start, *key);
      return part.error();
    }
    if (plan->not_older_than > part->revision) {
      return TooLargeResourceVersionError(plan->not_older_than, part->revision);
    }
    // All further pages are at the revision of the first.
    range.revision = part->revision;
    std::size_t taken = 0;
    for (const KeyValue& item : part->items) {
      if (wanted != 0 && result.items.size() == wanted) break;
      ++taken;
      Result<ObjectPtr> object = Decode(item, item.mod_revision);
      if (!object) return std::move(object).error();
      if (everything || query.predicate.Matches(**object, *options_)) result.items.push_back(*std::move(object));
    }
    const std::int64_t remaining = part->count - static_cast<std::int64_t>(taken);
    if (remaining > 0) range.start = part->items.at(taken - 1).key + '\0';
    if (remaining <= 0 || (wanted != 0 && result.items.size() == wanted)) {
      result.metadata.resource_version = std::to_string(range.revision);
      if (remaining > 0) {
        result.metadata.continue_token = EncodeContinue({.start = range.start, .revision = range.revision}, *key);
        // With a selector, the number of remaining matches is unknown.
        if (everything) result.metadata.remaining_item_count = remaining;
      }
      return result;
    }
    // Probably few items match: read larger pages.
    page = std::min(page * 2, kMaxPage);
    range.limit = page;
  }
}

Result<void> UndecoratedStorage::CheckPreconditions(const std::string& name, const ObjectPtr& current,
                                                    const Preconditions& preconditions) const {
  const std::string_view uid = current ? current->Uid() : std::string_view();
  if (!preconditions.uid.empty() && preconditions.uid != uid) {
    return ConflictError(
        options_->resource, name,
        "Precondition failed: UID in precondition: " + preconditions.uid + ", UID in object meta: " + std::string(uid));
  }
  const std::string_view version = current ? current->ResourceVersion() : std::string_view();
  if (!preconditions.resource_version.empty() && preconditions.resource_version != version) {
    return ConflictError(options_->resource, name,
                         "Precondition failed: ResourceVersion in precondition: " + preconditions.resource_version +
                             ", ResourceVersion in object meta: " + std::string(version));
  }
  return {};
}

Result<ObjectPtr> UndecoratedStorage::GuaranteedUpdate(const std::string& namespace_name, const std::string& name,
                                                       bool create_if_missing, const Preconditions& preconditions,
                                                       const Change& change, const std::stop_token& stop) {
  const Result<std::string> key = ObjectKey(*options_, namespace_name, name);
  if (!key) return key.error();
  std::optional<KeyValue> current;
  {
    auto found = backend_->Get(*key, stop);
    if (!found) return std::move(found).error();
    current = std::move(found->first);
  }
  for (;;) {
    if (stop.stop_requested()) return CancelledError();
    ObjectPtr before;
    if (current) {
      Result<ObjectPtr> decoded = Decode(*current, current->mod_revision);
      if (!decoded) return decoded;
      before = *std::move(decoded);
    } else if (!create_if_missing) {
      return NotFoundError(options_->resource, name);
    }
    if (Result<void> met = CheckPreconditions(name, before, preconditions); !met) return std::move(met).error();
    const Result<ObjectPtr> after = change(before);
    if (!after) return after.error();

    const Revision replaces = current ? current->mod_revision : 0;
    Bytes text;
    Result<WriteOutcome> outcome = WriteOutcome{};
    if (*after == nullptr) {
      if (!current) return NotFoundError(options_->resource, name);
      outcome = backend_->Delete(*key, replaces, stop);
    } else {
      if ((*after)->Name() != name || (*after)->Namespace() != namespace_name) {
        return InternalServerError("an update must not change the name or the namespace of " + *key);
      }
      text = MakeBytes(EncodeObject(**after));
      if (current && *text == *current->value) return before;
      outcome = backend_->Put(*key, text, replaces, options_->update_ttl, stop);
    }
    if (!outcome) return WriteError(std::move(outcome).error());
    if (outcome->Written()) {
      return Decode({.key = *key, .value = text ? text : current->value}, outcome->revision);
    }
    // Write conflict: retry with the current object.
    current = std::move(outcome->current);
    if (current->value == nullptr) current.reset();
  }
}

Result<std::unique_ptr<WatchEventStream>> UndecoratedStorage::Watch(const WatchQuery& query,
                                                                    const std::stop_token& stop) {
  const Result<std::string> key = QueryKey(*options_, query.namespace_name, query.name);
  if (!key) return key.error();
  const Result<WatchPlan> plan = PlanWatch(query);
  if (!plan) return plan.error();

  StorageWatchOptions options{.predicate = query.predicate,
                              .mark_initial_end = plan->initial_events && query.allow_bookmarks,
                              .start = plan->revision,
                              .bookmarks = query.allow_bookmarks ? Bookmarks::kPeriodic : Bookmarks::kNone,
                              .deadline = query.deadline};
  if (plan->initial_events) {
    RangeQuery range{.prefix = *key, .limit = kMaxPage};
    for (;;) {
      Result<RangeResult> part = backend_->Range(range, stop);
      if (!part) return std::move(part).error();
      range.revision = part->revision;
      const bool more = part->count > static_cast<std::int64_t>(part->items.size());
      if (more) range.start = part->items.back().key + '\0';
      std::move(part->items.begin(), part->items.end(), std::back_inserter(options.initial));
      if (!more) break;
    }
    if (plan->revision > range.revision) {
      return MakeErrorWatch(TooLargeResourceVersionError(plan->revision, range.revision));
    }
    options.start = range.revision;
  } else if (plan->revision == 0) {
    const Result<Revision> now = backend_->CurrentRevision(stop);
    if (!now) return now.error();
    options.start = *now;
  }
  return std::unique_ptr<WatchEventStream>(
      std::make_unique<StorageWatch>(backend_, options_, *key, std::move(options), pool_));
}

}  // namespace kinformer::apiserver
