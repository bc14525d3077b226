#ifndef KINFORMER_SRC_SCHEMA_SCHEMA_READER_H_
#define KINFORMER_SRC_SCHEMA_SCHEMA_READER_H_

// In:     an OpenAPI v3 schema as JSON: of a CustomResourceDefinition, or of the built-in kinds
// Out:    a Schema
// Thread: any; pure
// Next:   KindSchema

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>

#include "src/schema/schema.h"

namespace kinformer::apiserver {

/// Parses `schema`. Its $refs ("#/components/schemas/NAME") are resolved in `definitions`, an object by name; null:
/// there are none, as in a CRD. Keeps descriptions. Errors name the path.
///
/// Without definitions the schema must be structural, as required of a CRD: every value has a type, and there are no
/// references. The error then has a cause per mistake, in a server's wording; its field is relative to `schema`
/// ("properties[spec].type"; for the schema itself: "type"). CEL rules are rejected, since this server does not
/// evaluate them.
Result<const Schema*> ReadSchema(const nlohmann::json& schema, const nlohmann::json& definitions, SchemaPool& pool);

/// Parses schemas that refer to each other by name, each on first use and once.
///
/// @par Thread Safety
/// None.
class SchemaReader {
 public:
  struct Options {
    /// The JSON of a definition; nullopt: no such name. Unset: references are errors.
    std::function<std::optional<nlohmann::json>(const std::string& name)> find_definition{};
    /// Called once for every definition, after it has been parsed.
    std::function<void(Schema& definition)> on_definition{};
    /// Requires a structural schema, as for a CRD.
    bool structural = false;
  };

  /// `pool` must outlive it.
  SchemaReader(SchemaPool& pool, Options options);

  Result<const Schema*> Read(const nlohmann::json& schema);
  Result<const Schema*> ReadDefinition(const std::string& name);

 private:
  enum class Level { kRoot, kField, kItem, kNested };

  /// Never null: after an error, which is recorded, it returns a placeholder so that parsing continues.
  const Schema* Value(const nlohmann::json& json, const std::string& path, Level level, int depth);
  const Schema* Definition(const std::string& name, const std::string& path, int depth);
  const Schema* Reference(const nlohmann::json& json, const std::string& path, int depth);
  void Children(const nlohmann::json& json, const std::string& path, Level level, int depth, Schema& schema);
  void Junctors(const nlohmann::json& json, const std::string& path, int depth, Schema& schema);
  void Type(const nlohmann::json& json, const std::string& path, Level level, Schema& schema);
  void Limits(const nlohmann::json& json, const std::string& path, Schema& schema);
  void Extensions(const nlohmann::json& json, const std::string& path, Schema& schema);
  void CheckStructural(const nlohmann::json& json, const std::string& path, Level level);
  void CheckMetadata(const nlohmann::json& json, const std::string& path);
  void CheckListMap(const nlohmann::json& json, const std::string& path, const Schema& schema);
  Result<const Schema*> Finish(const Schema* schema);

  void Wrong(const std::string& path, std::string_view reason, std::string message);
  void Required(const std::string& path, const std::string& why);
  void Forbidden(const std::string& path, const std::string& why);
  void Invalid(const std::string& path, const nlohmann::json& value, const std::string& why);

  struct Named {
    Schema* schema = nullptr;
    bool complete = false;
  };

  SchemaPool& pool_;
  const Options options_;
  std::map<std::string, Named, std::less<>> definitions_;
  std::vector<ErrorCause> causes_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_SCHEMA_READER_H_
