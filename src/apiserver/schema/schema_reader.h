#ifndef KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_READER_H_
#define KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_READER_H_

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

#include "src/apiserver/schema/schema.h"

namespace kinformer::apiserver {

/// Reads `schema`, whose $refs ("#/components/schemas/NAME") are looked up in `definitions` (an object by name; null:
/// there are none, as in a CRD). Descriptions are kept. What it does not understand is an error that names the path.
///
/// Without definitions it must be structural, as a server wants it of a CRD: every value has a type, nothing refers to
/// anything. The error then has a cause for each mistake, in the words of a server; its field is relative to `schema`
/// ("properties[spec].type"; of the schema itself: "type"). Rules in CEL are such a mistake, because nobody here would
/// follow them.
Result<const Schema*> ReadSchema(const nlohmann::json& schema, const nlohmann::json& definitions, SchemaPool& pool);

/// Reads schemas that refer to each other by name, each when it is needed and once.
///
/// @par Thread Safety
/// None.
class SchemaReader {
 public:
  struct Options {
    /// The JSON of a definition; nullopt: there is none of that name. Unset: nothing may be referred to.
    std::function<std::optional<nlohmann::json>(const std::string& name)> find_definition{};
    /// Sees every definition once, when it has been read.
    std::function<void(Schema& definition)> on_definition{};
    /// What a server wants of a CRD.
    bool structural = false;
  };

  /// `pool` must outlive it.
  SchemaReader(SchemaPool& pool, Options options);

  Result<const Schema*> Read(const nlohmann::json& schema);
  Result<const Schema*> ReadDefinition(const std::string& name);

 private:
  enum class Level { kRoot, kField, kItem, kNested };

  /// Never null: after a mistake, which is noted, it is a schema all the same, so that the next one is found as well.
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

#endif  // KINFORMER_SRC_APISERVER_SCHEMA_SCHEMA_READER_H_
