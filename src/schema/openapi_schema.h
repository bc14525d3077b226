#ifndef KINFORMER_SRC_SCHEMA_OPENAPI_SCHEMA_H_
#define KINFORMER_SRC_SCHEMA_OPENAPI_SCHEMA_H_

// In:     schemas
// Out:    the same in OpenAPI v3, each named schema once
// Thread: any; an instance is not thread-safe
// Next:   the responses of /openapi/v3

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/meta/names.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Collects a document's components.schemas.
class OpenApiSchemas {
 public:
  OpenApiSchemas();
  ~OpenApiSchemas();
  OpenApiSchemas(const OpenApiSchemas&) = delete;
  OpenApiSchemas& operator=(const OpenApiSchemas&) = delete;

  /// Adds a kind, its list, and everything that they refer to. Returns the schema's name: that of its definition, or
  /// "com.example.v1.Web" for a custom kind.
  std::string Add(const KindSchema& kind);

  nlohmann::json Take() &&;

 private:
  /// A reference if the schema is named, otherwise its body.
  nlohmann::json Reference(const Schema& schema);
  nlohmann::json Body(const Schema& schema);
  void AddNamed(const Schema& schema);
  void AddList(const KindSchema& kind, const std::string& name);

  /// An object; never null.
  const std::unique_ptr<nlohmann::json> schemas_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_OPENAPI_SCHEMA_H_
