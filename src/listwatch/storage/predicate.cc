#include "src/listwatch/storage/predicate.h"

#include <algorithm>
#include <cstddef>

#include "src/codec/json_text.h"
#include "src/listwatch/storage/field_value.h"
#include "src/listwatch/storage/query_rules.h"

namespace kinformer::apiserver {
namespace {

/// Empty: not a single key.
std::string SingleName(const SelectionPredicate& predicate, const std::string& namespace_name,
                       const StorageOptions& options) {
  if (options.namespaced && namespace_name.empty()) return {};
  const std::string name = predicate.MatchesSingle().value_or("");
  return QueryKey(options, namespace_name, name) ? name : std::string();
}

}  // namespace

std::string FieldValue(const Object& object, std::string_view field, const StorageOptions& options) {
  if (field == "metadata.name") return std::string(object.Name());
  if (field == "metadata.namespace") return std::string(object.Namespace());
  if (options.field_value) return options.field_value(object, field);
  std::string pointer;
  for (std::size_t begin = 0; begin <= field.size();) {
    const std::size_t end = std::min(field.find('.', begin), field.size());
    internal::AppendPointerToken(field.substr(begin, end - begin), pointer);
    begin = end + 1;
  }
  const Value value = object.At(pointer);
  if (std::optional<std::string> text = value.AsString()) return *std::move(text);
  return value.IsNull() ? std::string() : std::string(value.Raw());
}

Result<ObjectList> ListPredicate(ObjectStorage& storage, ListQuery query, const std::stop_token& stop) {
  if (query.continue_token.empty()) {
    query.name = SingleName(query.predicate, query.namespace_name, storage.options());
  }
  return storage.List(query, stop);
}

Result<std::unique_ptr<WatchEventStream>> WatchPredicate(ObjectStorage& storage, WatchQuery query,
                                                         const std::stop_token& stop) {
  query.name = SingleName(query.predicate, query.namespace_name, storage.options());
  return storage.Watch(query, stop);
}

bool SelectionPredicate::Matches(const Object& object, const StorageOptions& options) const {
  if (!labels.Matches(object.Labels())) return false;
  return fields.Matches([&](std::string_view field) { return FieldValue(object, field, options); });
}

}  // namespace kinformer::apiserver
