#include <kinformer/store/lister.h>

#include <string>
#include <utility>

#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>

#include "src/store/indexer.h"

namespace kinformer {
namespace {

std::vector<ObjectPtr> Selected(std::vector<ObjectPtr> objects, const LabelSelector& selector) {
  if (!selector.IsEverything()) {
    std::erase_if(objects, [&](const ObjectPtr& object) { return !selector.Matches(object->Labels()); });
  }
  return objects;
}

}  // namespace

Error internal::NotInCache(const KindInfo& info, const NamespacedName& key) {
  Error error;
  error.code = ErrorCode::kServer;
  error.http_status = 404;
  error.reason = "NotFound";
  error.details.name = key.name;
  error.details.group = info.group;
  error.details.kind = info.resource;
  const std::string what = info.resource.empty() ? "object" : ToString(info.Gvr());
  error.message = what + " \"" + ToString(key) + "\" not found in the cache";
  return error;
}

Lister::Lister(std::shared_ptr<const Indexer> indexer) : indexer_(std::move(indexer)) {}

std::size_t Lister::Size() const { return indexer_->Size(); }

Result<ObjectPtr> Lister::Get(const NamespacedName& key) const {
  ObjectPtr object = Find(key);
  if (object == nullptr) return internal::NotInCache({}, key);
  return object;
}

ObjectPtr Lister::Find(const NamespacedName& key) const { return indexer_->Get(key.namespace_name, key.name); }

std::vector<ObjectPtr> Lister::List(const LabelSelector& selector) const {
  return Selected(indexer_->List(), selector);
}

std::vector<ObjectPtr> Lister::List(std::string_view namespace_name, const LabelSelector& selector) const {
  if (namespace_name.empty()) return List(selector);
  return Selected(indexer_->ListNamespace(namespace_name), selector);
}

Result<std::vector<ObjectPtr>> Lister::ByIndex(std::string_view index, std::string_view value) const {
  return indexer_->ByIndex(index, value);
}

Result<std::vector<ObjectPtr>> Lister::ByIndexes(const std::vector<IndexLookup>& lookups) const {
  return indexer_->ByIndexes(lookups);
}

}  // namespace kinformer
