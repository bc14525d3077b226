#ifndef KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_DEFINITIONS_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_DEFINITIONS_H_

// In:     nothing; built_in_definitions.cc is made by scripts/generate-schemas
// Out:    the OpenAPI v3 definitions of the built-in kinds, as texts, so that a server starts without reading any
// Thread: constant
// Next:   built_in_schemas

#include <span>
#include <string_view>

namespace kinformer::apiserver {

struct BuiltInKind {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  /// Of its definition.
  std::string_view name;
};

struct BuiltInDefinition {
  std::string_view name;
  std::string_view json;
};

/// Sorted by group, version, kind.
std::span<const BuiltInKind> AllBuiltInKinds();
/// Sorted by name.
std::span<const BuiltInDefinition> AllBuiltInDefinitions();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_BUILT_IN_DEFINITIONS_H_
