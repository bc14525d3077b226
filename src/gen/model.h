#ifndef KINFORMER_SRC_GEN_MODEL_H_
#define KINFORMER_SRC_GEN_MODEL_H_

// What is generated, between the readers of schemas and the emitter.

#include <optional>
#include <string>
#include <vector>

namespace kinformer::gen {

enum class Shape {
  kText,
  kInt,
  kDouble,
  kBool,
  kTime,
  kMicroTime,
  kDuration,
  kQuantity,
  kIntOrString,
  kBytes,
  kRawJson,
  kStruct,
  kList,
  kMap,
};

/// A group and version, "apps/v1": one namespace.
struct PackageName {
  std::string group{};
  std::string version{};

  auto operator<=>(const PackageName&) const = default;
};

struct TypeModel {
  Shape shape = Shape::kRawJson;
  /// kList and kMap: one.
  std::vector<TypeModel> element{};
  /// kStruct: its name, and its package if that is another one. A name that begins with :: is one of the library's.
  std::string struct_name{};
  std::optional<PackageName> package{};
};

/// A value that an enum allows, and its constant without the k.
struct Constant {
  std::string name{};
  std::string value{};

  bool operator==(const Constant&) const = default;
};

struct MemberModel {
  std::string json_name{};
  TypeModel type{};
  /// A plain struct instead of a Part: the metadata of a kind.
  bool plain = false;
  std::string description{};
  /// "Required", "default 3".
  std::vector<std::string> facts{};
  /// Empty unless all values of the enum are distinct identifiers.
  std::vector<Constant> constants{};
};

struct KindModel {
  std::string group{};
  std::string version{};
  std::string kind{};
  /// Empty if the input does not tell: then the kind has no kInfo.
  std::string plural{};
  bool namespaced = true;
  /// JSON of the CustomResourceDefinition; empty if it is not to be embedded.
  std::string crd{};
};

struct StructModel {
  std::string name{};
  /// The place in the schema, for the comment.
  std::string place{};
  std::string description{};
  /// Sorted by JSON name.
  std::vector<MemberModel> members{};
  std::optional<KindModel> kind{};
};

struct Alias {
  std::string name{};
  std::string target{};
};

struct Package {
  PackageName name{};
  /// Sorted by name.
  std::vector<StructModel> structs{};
  std::vector<Alias> aliases{};
};

/// What was not mapped, or not as the schema says.
struct Note {
  std::string place{};
  std::string reason{};
};

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_MODEL_H_
