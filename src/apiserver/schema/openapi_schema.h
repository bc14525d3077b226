#ifndef KINFORMER_SRC_APISERVER_SCHEMA_OPENAPI_SCHEMA_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_OPENAPI_SCHEMA_H_

// In:     schemas
// Out:    the same in OpenAPI v3, each named one once
// Thread: any; an object of this class by one at a time
// Next:   what /openapi/v3 answers

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include <kinformer/meta/names.h>

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Gathers a document's components.schemas.
class OpenApiSchemas {
 public:
  /// Adds a kind, its list, and all that they refer to. Returns the name under which it is: that of its definition, or
  /// of one that a user defined "com.example.v1.Web".
  std::string Add(const KindSchema& kind);

  nlohmann::json Take() && { return std::move(schemas_); }

 private:
  /// A reference, where the schema is a named one.
  nlohmann::json Reference(const Schema& schema);
  nlohmann::json Body(const Schema& schema);
  void AddNamed(const Schema& schema);
  void AddList(const KindSchema& kind, const std::string& name);

  nlohmann::json schemas_ = nlohmann::json::object();
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_OPENAPI_SCHEMA_H_
