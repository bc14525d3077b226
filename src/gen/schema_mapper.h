#ifndef KINFORMER_SRC_GEN_SCHEMA_MAPPER_H_
#define KINFORMER_SRC_GEN_SCHEMA_MAPPER_H_

// In:     a schema as JSON: of a CustomResourceDefinition, or a definition of an OpenAPI document
// Out:    the structs for it, named after where they are
// Thread: any, one at a time

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/gen/model.h"

namespace kinformer::gen {

/// Collects the structs of one package. Validation (patterns, CEL, oneOf) is not read: it only restricts what
/// properties say.
class SchemaMapper {
 public:
  /// What a reference means; nullopt if it leads nowhere.
  using References = std::function<std::optional<TypeModel>(std::string_view reference)>;

  struct Options {
    bool descriptions = true;
    References references{};
  };

  explicit SchemaMapper(Options options) : options_(std::move(options)) {}

  /// Keeps names for structs that are added later.
  void Reserve(const std::string& name) { names_.insert(name); }

  /// The struct `name` for the properties of `schema`, and those below. `skipped`: properties that are no members.
  StructModel& AddStruct(const std::string& name, const std::string& place, const nlohmann::json& schema,
                         const std::set<std::string>& skipped = {});

  /// What a schema is that is not a property: an element or a definition. `name` is for the struct if it is one.
  TypeModel Map(const nlohmann::json& schema, const std::string& name, const std::string& place);

  /// Sorted by name.
  std::vector<StructModel> TakeStructs();
  const std::vector<Note>& notes() const { return notes_; }
  void AddNote(std::string place, std::string reason) { notes_.push_back({std::move(place), std::move(reason)}); }

 private:
  MemberModel Member(const std::string& json_name, const nlohmann::json& schema, bool required,
                     const std::string& struct_name, const std::string& place);
  std::string UniqueName(std::string name);

  Options options_;
  std::set<std::string> names_{};
  std::vector<StructModel> structs_{};
  std::vector<Note> notes_{};
};

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_SCHEMA_MAPPER_H_
