#include "src/apiserver/lifecycle/namespace_cleaner.h"

#include <utility>

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

#include "src/base/user_code.h"

namespace kinformer::apiserver {
namespace {

bool IsNamespaces(const ServedKind& kind) { return kind.resource == GroupVersionResource{"", "v1", "namespaces"}; }

}  // namespace

void NamespaceCleaner::Take(const ObjectNews& news) {
  if (IsNamespaces(news.store->kind())) {
    const std::string name(news.object->Name());
    if (news.gone || !news.object->DeletionTimestamp()) {
      ending_.erase(name);
      due_.erase(name);
      retries_.Forget(name);
    } else {
      ending_.insert(name);
      due_.insert(name);
    }
    return;
  }
  // A removed object may have been the last one; an object that slipped in late must be deleted.
  if (ending_.empty()) return;
  std::string name(news.object->Namespace());
  const bool stays = !news.gone && news.object->DeletionTimestamp();
  if (!stays && ending_.contains(name)) due_.insert(std::move(name));
}

std::optional<TimePoint> NamespaceCleaner::Work(TimePoint now, const std::stop_token& stop) {
  for (std::string& name : retries_.TakeDue(now)) due_.insert(std::move(name));
  for (const std::string& name : std::exchange(due_, {})) {
    if (stop.stop_requested()) break;
    Result<void> cleaned;
    if (const auto thrown = internal::Contain([&] { cleaned = Clean(name, stop); })) {
      cleaned = Error{.code = ErrorCode::kInternal, .message = *thrown};
    }
    if (cleaned) {
      retries_.Forget(name);
      continue;
    }
    retries_.Fail(name, now);
    logger_.Warning("apiserver", "the deletion of a namespace's contents failed, will be retried",
                    {{"namespace", name}, {"error", cleaned.error().message}});
  }
  return retries_.Next();
}

Result<bool> NamespaceCleaner::Empty(const ResourceStore& store, const std::string& name, const std::stop_token& stop) {
  const Result<ObjectList> deleted =
      store.DeleteCollection({.namespace_name = name}, {.grace_period_seconds = 0}, stop);
  if (!deleted) return deleted.error();
  if (deleted->items.empty()) return true;
  const Result<ObjectList> left = store.List({.namespace_name = name, .limit = 1}, stop);
  if (!left) return left.error();
  return left->items.empty();
}

Result<void> NamespaceCleaner::Clean(const std::string& name, const std::stop_token& stop) const {
  StorePtr namespaces;
  bool empty = true;
  for (const StorePtr& store : stores_()) {
    if (IsNamespaces(store->kind())) namespaces = store;
    if (store->kind().scope != Scope::kNamespaced) continue;
    const Result<bool> emptied = Empty(*store, name, stop);
    if (!emptied.ok()) return emptied.error();
    empty = empty && *emptied;
  }
  if (!empty || namespaces == nullptr) return {};
  const Result<ObjectPtr> current = namespaces->Get("", name, "", stop);
  if (!current && IsNotFound(current.error())) return {};
  if (!current) return current.error();
  if (!(*current)->DeletionTimestamp()) return {};
  nlohmann::json finalized = (*current)->ToJson();
  nlohmann::json& spec = finalized["spec"];
  if (!spec.is_object()) spec = nlohmann::json::object();
  spec["finalizers"] = nlohmann::json::array();
  const Result<UpdateOutcome> updated = namespaces->Update(
      "", name, Subresource::kFinalize, finalized.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
      {.field_manager = "kinformer"}, stop);
  if (updated || IsNotFound(updated.error())) return {};
  return updated.error();
}

}  // namespace kinformer::apiserver
