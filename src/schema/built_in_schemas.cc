#include "src/schema/built_in_schemas.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/base/mutex.h"
#include "src/schema/built_in_columns.h"
#include "src/schema/built_in_defaults.h"
#include "src/schema/built_in_definitions.h"
#include "src/schema/built_in_selectable_fields.h"
#include "src/schema/schema_reader.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Empty: not found.
std::string_view DefinitionText(const std::string& name) {
  const auto all = AllBuiltInDefinitions();
  const auto found = std::lower_bound(all.begin(), all.end(), name,
                                      [](const BuiltInDefinition& one, std::string_view n) { return one.name < n; });
  return found == all.end() || found->name != name ? std::string_view() : found->json;
}

std::optional<nlohmann::json> DefinitionOf(const std::string& name) {
  const std::string_view text = DefinitionText(name);
  if (text.empty()) return std::nullopt;
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::optional<std::string> DefinitionNameOf(const GroupVersionKind& kind) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  const Key key{kind.group, kind.version, kind.kind};
  const auto all = AllBuiltInKinds();
  const auto found = std::lower_bound(all.begin(), all.end(), key, [](const BuiltInKind& one, const Key& k) {
    return Key{one.group, one.version, one.kind} < k;
  });
  if (found == all.end() || Key{found->group, found->version, found->kind} != key) return std::nullopt;
  return std::string(found->name);
}

/// Schemas are only added to the pool, under the lock and complete: those handed out never change.
class BuiltInSchemas {
 public:
  static BuiltInSchemas& Instance() {
    static BuiltInSchemas instance;
    return instance;
  }

  KindSchemaPtr Find(const GroupVersionKind& kind) {
    const MutexLock lock(mutex_);
    if (const auto found = kinds_.find(kind); found != kinds_.end()) return found->second;
    const std::optional<std::string> name = DefinitionNameOf(kind);
    if (!name) return nullptr;
    const Result<const Schema*> root = reader_.ReadDefinition(*name);
    // Cannot happen: a test parses all generated texts.
    if (!root) return nullptr;
    auto schema = std::make_shared<const KindSchema>(KindSchema{.kind = kind,
                                                                .root = *root,
                                                                .columns = BuiltInColumns(kind),
                                                                .selectable_fields = BuiltInSelectableFields(kind),
                                                                .pool = pool_});
    kinds_.emplace(kind, schema);
    return schema;
  }

  const Schema* FindDefinition(const std::string& name) {
    if (DefinitionText(name).empty()) return nullptr;
    const MutexLock lock(mutex_);
    const Result<const Schema*> read = reader_.ReadDefinition(name);
    return read ? *read : nullptr;
  }

 private:
  Mutex mutex_;
  const std::shared_ptr<SchemaPool> pool_ = std::make_shared<SchemaPool>();
  SchemaReader reader_ KINFORMER_GUARDED_BY(mutex_){
      *pool_, {.find_definition = DefinitionOf, .on_definition = AddBuiltInDefaults}};
  std::map<GroupVersionKind, KindSchemaPtr> kinds_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace

KindSchemaPtr FindBuiltInSchema(const GroupVersionKind& kind) { return BuiltInSchemas::Instance().Find(kind); }

const Schema* FindBuiltInDefinition(const std::string& name) { return BuiltInSchemas::Instance().FindDefinition(name); }

const Schema& ObjectMetaSchema() {
  static const Schema* const schema = [] {
    const Schema* found = FindBuiltInDefinition(kObjectMeta);
    static const Schema empty{};
    return found == nullptr ? &empty : found;
  }();
  return *schema;
}

}  // namespace kinformer::apiserver
