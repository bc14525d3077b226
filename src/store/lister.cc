#include <kinformer/store/lister.h>

#include <string>

#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/names.h>

namespace kinformer {
namespace {

std::vector<ObjectPtr> Selected(std::vector<ObjectPtr> objects, const LabelSelector& selector) {
  if (!selector.IsEverything()) {
    std::erase_if(objects, [&](const ObjectPtr& object) { return !selector.Matches(object->Labels()); });
  }
  return objects;
}

}  // namespace

Error internal::NotInCache(const KindInfo& info, std::string_view namespace_name, std::string_view name) {
  Error error;
  error.code = ErrorCode::kServer;
  error.http_status = 404;
  error.reason = "NotFound";
  error.details.name = name;
  error.details.group = info.group;
  error.details.kind = info.resource;
  const std::string what = info.resource.empty() ? "object" : ToString(info.Gvr());
  error.message = what + " \"" + ToString(NamespacedName{std::string(namespace_name), std::string(name)}) +
                  "\" not found in the cache";
  return error;
}

Result<ObjectPtr> Lister::Get(std::string_view namespace_name, std::string_view name) const {
  ObjectPtr object = indexer_->Get(namespace_name, name);
  if (object == nullptr) return internal::NotInCache({}, namespace_name, name);
  return object;
}

std::vector<ObjectPtr> Lister::List(const LabelSelector& selector) const {
  return Selected(indexer_->List(), selector);
}

std::vector<ObjectPtr> Lister::List(std::string_view namespace_name, const LabelSelector& selector) const {
  if (namespace_name.empty()) return List(selector);
  return Selected(indexer_->ListNamespace(namespace_name), selector);
}

std::vector<ObjectPtr> Lister::ByIndex(std::string_view index, std::string_view value) const {
  Result<std::vector<ObjectPtr>> objects = indexer_->ByIndex(index, value);
  return objects ? *std::move(objects) : std::vector<ObjectPtr>();
}

std::vector<ObjectPtr> Lister::ByIndexes(std::vector<IndexLookup> lookups) const {
  Result<std::vector<ObjectPtr>> objects = indexer_->ByIndexes(lookups);
  return objects ? *std::move(objects) : std::vector<ObjectPtr>();
}

}  // namespace kinformer
