#include "src/schema/schema.h"

#include <algorithm>

namespace kinformer::apiserver {

const SchemaField* Schema::Find(std::string_view field) const {
  const auto found = std::lower_bound(fields.begin(), fields.end(), field,
                                      [](const SchemaField& f, std::string_view n) { return f.name < n; });
  return found != fields.end() && found->name == field ? &*found : nullptr;
}

Schema& SchemaPool::Add() { return *schemas_.emplace_back(std::make_unique<Schema>()); }

}  // namespace kinformer::apiserver
