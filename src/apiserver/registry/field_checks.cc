#include "src/apiserver/registry/field_checks.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/registry/kind_rules.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/schema/built_in_schemas.h"
#include "src/schema/decode.h"
#include "src/schema/prune.h"
#include "src/schema/validate.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// The part of a custom object that the server defines, not the kind's schema.
const Schema& CustomObjectSchema() {
  static const Schema* const schema = [] {
    static Schema text{.type = SchemaType::kString};
    static Schema object{.type = SchemaType::kObject};
    object.fields = {{.name = "apiVersion", .schema = &text},
                     {.name = "kind", .schema = &text},
                     {.name = "metadata", .schema = &ObjectMetaSchema()}};
    return &object;
  }();
  return *schema;
}

/// Prunes a custom object. apiVersion, kind and metadata follow the server's schema, the rest the kind's.
std::vector<std::string> PruneCustom(const Schema& root, json& object) {
  json own = json::object();
  for (const char* name : {"apiVersion", "kind", "metadata"}) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    own[name] = std::move(*found);
    object.erase(found);
  }
  std::vector<std::string> dropped = Prune(CustomObjectSchema(), own);
  for (std::string& path : Prune(root, object)) dropped.push_back(std::move(path));
  object.update(own);
  return dropped;
}

}  // namespace

std::string CannotBeHandled(const ServedKind& kind) {
  return kind.kind + " in version \"" + kind.resource.version + "\" cannot be handled as a " + kind.kind;
}

Result<void> DecodeObject(const ServedKind& kind, json& object) {
  const KindSchemaPtr schema = kind.FindSchema();
  if (schema == nullptr) return {};
  Result<void> decoded = Decode(kind.schema != nullptr ? CustomObjectSchema() : *schema->root, object);
  if (!decoded) return BadRequestError(CannotBeHandled(kind) + ": " + decoded.error().message);
  return {};
}

Result<void> TakeFields(const ServedKind& kind, json& object, const SentFields& sent,
                        const WriteParameters& parameters) {
  const KindSchemaPtr schema = kind.FindSchema();
  std::vector<std::string> unknown;
  if (schema != nullptr) {
    unknown = kind.schema != nullptr ? PruneCustom(*schema->root, object) : Prune(*schema->root, object);
  }
  std::vector<std::string> findings;
  if (parameters.field_validation != FieldValidation::kIgnore) {
    for (const std::string& path : sent.duplicates) findings.push_back("duplicate field " + ShownValue(path));
    for (const std::string& path : unknown) findings.push_back("unknown field " + ShownValue(path));
  }
  if (parameters.field_validation == FieldValidation::kStrict && !findings.empty()) {
    std::string all;
    for (const std::string& finding : findings) all += (all.empty() ? "strict decoding error: " : ", ") + finding;
    if (!sent.patch) return BadRequestError(CannotBeHandled(kind) + ": " + all);
    return InvalidError({}, "",
                        {FieldInvalid("patch", object.dump(-1, ' ', false, json::error_handler_t::replace), all)});
  }
  // Replaces the warnings of an earlier attempt.
  if (parameters.warnings != nullptr) *parameters.warnings = std::move(findings);
  if (schema != nullptr) ApplyDefaults(*schema->root, object);
  if (kind.schema != nullptr) DropNulls(*schema->root, object);
  return {};
}

std::vector<FieldError> CheckContent(const ServedKind& kind, const json& object, const json* old,
                                     Subresource subresource) {
  if (kind.schema != nullptr) return Validate(*kind.schema->root, object);
  if (subresource == Subresource::kStatus) return CheckStatus(kind, object, old);
  return CheckKind(kind, object, old);
}

}  // namespace kinformer::apiserver
