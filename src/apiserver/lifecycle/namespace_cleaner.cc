#include "src/apiserver/lifecycle/namespace_cleaner.h"

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>

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
    } else {
      ending_.insert(name);
      due_.insert(name);
    }
    return;
  }
  // What waited for its finalizers may have been the last, and what came at the last moment must go.
  if (ending_.empty()) return;
  std::string name(news.object->Namespace());
  const bool stays = !news.gone && news.object->DeletionTimestamp();
  if (!stays && ending_.contains(name)) due_.insert(std::move(name));
}

bool NamespaceCleaner::Work(const std::stop_token& stop) {
  std::set<std::string> again;
  for (const std::string& name : std::exchange(due_, {})) {
    if (stop.stop_requested()) return true;
    if (const Result<void> cleaned = Clean(name, stop); !cleaned) {
      logger_.Warning("apiserver", "a namespace's end is tried again",
                      {{"namespace", name}, {"error", cleaned.error().message}});
      again.insert(name);
    }
  }
  due_.merge(again);
  return due_.empty();
}

Result<bool> NamespaceCleaner::Empty(const ResourceStore& store, const std::string& name, const std::stop_token& stop) {
  const Result<ListResult> deleted =
      store.DeleteCollection({.namespace_name = name}, {.grace_period_seconds = 0}, stop);
  if (!deleted) return deleted.error();
  if (deleted->items.empty()) return true;
  const Result<ListResult> left = store.List({.namespace_name = name, .limit = 1}, stop);
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
    if (!emptied) return emptied.error();
    empty = empty && *emptied;
  }
  if (!empty || namespaces == nullptr) return {};
  const Result<ObjectPtr> current = namespaces->Get("", name, "", stop);
  if (!current && IsNotFound(current.error())) return {};
  if (!current) return current.error();
  if (!(*current)->DeletionTimestamp()) return {};
  nlohmann::json finalized = (*current)->ToJson();
  finalized["spec"]["finalizers"] = nlohmann::json::array();
  const Result<UpdateOutcome> updated =
      namespaces->Update("", name, Subresource::kFinalize, finalized.dump(), {.field_manager = "kinformer"}, stop);
  if (updated || IsNotFound(updated.error())) return {};
  return updated.error();
}

}  // namespace kinformer::apiserver
