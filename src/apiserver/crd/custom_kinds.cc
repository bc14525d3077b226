#include "src/apiserver/crd/custom_kinds.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;

json EssenceOf(const json& definition) {
  json conditions = json::array();
  for (const json& condition : FieldOf(FieldOf(definition, "status"), "conditions")) {
    conditions.push_back({FieldOf(condition, "type"), FieldOf(condition, "status")});
  }
  return {{"spec", FieldOf(definition, "spec")},
          {"names", FieldOf(FieldOf(definition, "status"), "acceptedNames")},
          {"conditions", std::move(conditions)}};
}

bool SameStorage(const ServedKind& a, const ServedKind& b) { return a.Gvk() == b.Gvk() && a.Prefix() == b.Prefix(); }

}  // namespace

/// Erases an entry without a storage, even if the host throws.
class CustomKinds::EraseUnlessOpen {
 public:
  EraseUnlessOpen(std::map<std::string, Served>& served, const std::string& name) : served_(served), name_(name) {}
  ~EraseUnlessOpen() {
    if (const auto found = served_.find(name_); found != served_.end() && found->second.storage == nullptr) {
      served_.erase(found);
    }
  }
  EraseUnlessOpen(const EraseUnlessOpen&) = delete;
  EraseUnlessOpen& operator=(const EraseUnlessOpen&) = delete;

 private:
  std::map<std::string, Served>& served_;
  const std::string& name_;
};

Result<void> CustomKinds::Serve(const json& definition, const std::stop_token& stop) {
  const json& metadata = FieldOf(definition, "metadata");
  const std::string& name = TextOf(metadata, "name");
  const EraseUnlessOpen erase_unless_open(served_, name);
  Served& served = served_[name];
  json essence = EssenceOf(definition);
  if (served.storage != nullptr && served.uid == TextOf(metadata, "uid") && served.essence != nullptr &&
      *served.essence == essence)
    return {};
  Result<CustomDefinition> read = ReadDefinition(definition);
  if (!read) return std::move(read).error();
  if (served.storage != nullptr &&
      (served.uid != TextOf(metadata, "uid") || !SameStorage(served.stored, read->stored))) {
    Close(served, stop);
  }
  if (served.storage == nullptr) {
    Result<std::shared_ptr<ObjectStorage>> opened = host_.Open(read->stored, stop);
    if (!opened) return std::move(opened).error();
    served.storage = *std::move(opened);
    served.ender = std::make_shared<WatchEnder>();
  }
  served.uid = TextOf(metadata, "uid");
  served.stored = read->stored;
  served.essence = std::make_shared<const json>(std::move(essence));
  const std::vector<GroupVersionResource> before = std::exchange(served.resources, {});
  for (const ServedKind& kind : read->served) {
    host_.Install(kind, std::make_shared<CustomStorage>(served.storage, kind.resource, served.ender));
    served.resources.push_back(kind.resource);
  }
  for (const GroupVersionResource& resource : before) {
    if (std::find(served.resources.begin(), served.resources.end(), resource) == served.resources.end()) {
      host_.Remove(resource);
    }
  }
  host_.KindsChanged();
  return {};
}

Result<bool> CustomKinds::DeleteObjects(const std::string& name, const RegistryContext& context,
                                        const std::stop_token& stop) const {
  const auto found = served_.find(name);
  if (found == served_.end()) return true;
  const ResourceStore objects(found->second.stored, found->second.storage, context);
  const Result<ObjectList> deleted = objects.DeleteCollection({}, {}, stop);
  if (!deleted) return deleted.error();
  if (deleted->items.empty()) return true;
  const Result<ObjectList> left = objects.List({.limit = 1}, stop);
  if (!left) return left.error();
  return left->items.empty();
}

void CustomKinds::Close(Served& served, const std::stop_token& stop) {
  if (served.storage == nullptr) return;
  host_.Drain(served.storage, stop);
  served.ender->End();
  host_.Close(std::exchange(served.storage, nullptr));
}

void CustomKinds::Remove(const std::string& name, const std::stop_token& stop) {
  const auto found = served_.find(name);
  if (found == served_.end()) return;
  for (const GroupVersionResource& resource : found->second.resources) host_.Remove(resource);
  Close(found->second, stop);
  served_.erase(found);
  host_.KindsChanged();
}

void CustomKinds::Clear() {
  for (auto& [name, served] : served_) {
    if (served.storage == nullptr) continue;
    served.ender->End();
    host_.Close(served.storage);
  }
  served_.clear();
}

}  // namespace kinformer::apiserver
