#include "src/listwatch/storage/storage_lister_watcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <kinformer/meta/status_error.h>

#include "src/listwatch/storage/continue_token.h"
#include "src/listwatch/storage/object_codec.h"
#include "src/listwatch/storage/query_rules.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/listwatch/storage/storage_watch.h"
#include "src/reflector/failed_stream.h"

namespace kinformer::apiserver {
namespace {

/// Number of objects to read and decode at a time: a few milliseconds on the pool.
constexpr std::int64_t kKeysPerPart = 500;

/// One page of a list, in parts.
class StorageList final : public ListStream {
 public:
  StorageList(std::shared_ptr<Backend> backend, std::shared_ptr<const StorageOptions> options, const ListPlan& plan,
              std::int64_t limit)
      : backend_(std::move(backend)),
        options_(std::move(options)),
        left_(limit),
        query_{.prefix = options_->prefix, .start = plan.start, .revision = plan.exact} {}

  Result<std::optional<ListPart>> TryNext() override {
    if (ended_) return std::optional<ListPart>();
    if (end_) {
      ended_ = true;
      return std::optional<ListPart>(*std::exchange(end_, std::nullopt));
    }
    if (range_ == nullptr) StartRange();
    Result<std::optional<RangeResult>> part = range_->TryNext();
    if (!part) {
      if (IsResourceExpired(part.error()) && !query_.start.empty()) {
        return ContinueExpiredError(query_.start, query_.prefix);
      }
      return std::move(part).error();
    }
    if (!*part) return std::optional<ListPart>();
    range_.reset();
    return Take(**std::move(part));
  }

  void NotifyWhenReady(std::function<void()> ready) override {
    if (!ready) {
      if (range_ != nullptr) range_->NotifyWhenReady(nullptr);
      return;
    }
    if (ended_) return;
    if (end_ || range_ == nullptr) return ready();
    range_->NotifyWhenReady(std::move(ready));
  }

 private:
  void StartRange() {
    query_.limit = std::min(left_, kKeysPerPart);
    range_ = backend_->StartRange(query_);
  }

  Result<std::optional<ListPart>> Take(RangeResult part) {
    query_.revision = part.revision;
    std::vector<ObjectPtr> objects;
    objects.reserve(part.items.size());
    for (const KeyValue& item : part.items) {
      Result<ObjectPtr> object = DecodeObject(*item.value, item.mod_revision, options_->kind, options_->convert);
      if (!object) {
        return InternalServerError("cannot decode what is stored at " + item.key + ": " + object.error().message);
      }
      objects.push_back(*std::move(object));
    }
    const auto taken = static_cast<std::int64_t>(part.items.size());
    const std::int64_t remaining = part.count - taken;
    left_ -= taken;
    if (remaining > 0) query_.start = part.items.back().key + '\0';
    if (remaining <= 0 || left_ <= 0) {
      end_ = ListMeta{.resource_version = std::to_string(query_.revision)};
      if (remaining > 0) {
        end_->continue_token = EncodeContinue({.start = query_.start, .revision = query_.revision}, query_.prefix);
        end_->remaining_item_count = remaining;
      }
    } else {
      StartRange();
    }
    return std::optional<ListPart>(std::move(objects));
  }

  const std::shared_ptr<Backend> backend_;
  const std::shared_ptr<const StorageOptions> options_;
  std::int64_t left_;
  RangeQuery query_;
  std::unique_ptr<PullStream<RangeResult>> range_;
  std::optional<ListMeta> end_;
  bool ended_ = false;
};

}  // namespace

StorageListerWatcher::StorageListerWatcher(std::shared_ptr<Backend> backend, StorageOptions options, TaskPool& pool)
    : backend_(std::move(backend)), options_(std::make_shared<const StorageOptions>(std::move(options))), pool_(pool) {}

std::unique_ptr<ListStream> StorageListerWatcher::List(const ListRequest& request) {
  const std::int64_t limit = request.limit > 0 ? std::min(request.limit, kStoragePageSize) : kStoragePageSize;
  const Result<ListPlan> plan = PlanList({.limit = limit, .continue_token = request.continue_token}, options_->prefix);
  if (!plan) return std::make_unique<internal::FailedStream<ListPart>>(plan.error());
  return std::make_unique<StorageList>(backend_, options_, *plan, limit);
}

std::unique_ptr<WatchEventStream> StorageListerWatcher::Watch(const WatchRequest& request) {
  if (request.send_initial_events) {
    return std::make_unique<internal::FailedStream<WatchPart>>(
        ForbiddenOptionError("sendInitialEvents", "a storage does not serve streaming lists"));
  }
  const Result<Revision> start = ParseResourceVersion(request.resource_version);
  if (!start) return std::make_unique<internal::FailedStream<WatchPart>>(start.error());
  if (*start == 0) {
    return std::make_unique<internal::FailedStream<WatchPart>>(
        BadRequestError("a watch of a storage needs the resourceVersion of a list"));
  }
  StorageWatchOptions options{.start = *start,
                              .bookmarks = request.allow_bookmarks ? Bookmarks::kAllProgress : Bookmarks::kNone,
                              .report_outages = true};
  if (request.timeout > std::chrono::seconds(0)) options.deadline = pool_.clock()->Now() + request.timeout;
  return std::make_unique<StorageWatch>(backend_, options_, options_->prefix, std::move(options), pool_);
}

}  // namespace kinformer::apiserver
