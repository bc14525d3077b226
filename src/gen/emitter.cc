#include "src/gen/emitter.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <kinformer/api/type.h>

#include "src/gen/comment.h"
#include "src/gen/names.h"

namespace kinformer::gen {
namespace {

/// ISO C++ compilers must accept 65,536 characters in a literal, and clang warns about more.
constexpr std::size_t kLiteralBytes = 60'000;

std::string NamespaceOf(const PackageName& package, const std::string& enclosing) {
  return (enclosing.empty() ? "" : enclosing + "::") + NamespaceOfGroup(package.group) +
         (package.version.empty() ? "" : "::" + package.version);
}

std::string_view ScalarName(Shape shape) {
  switch (shape) {
    case Shape::kText:
      return "std::string";
    case Shape::kInt:
      return "std::int64_t";
    case Shape::kDouble:
      return "double";
    case Shape::kBool:
      return "bool";
    case Shape::kTime:
      return "api::Time";
    case Shape::kMicroTime:
      return "api::MicroTime";
    case Shape::kDuration:
      return "api::Duration";
    case Shape::kQuantity:
      return "api::Quantity";
    case Shape::kIntOrString:
      return "api::IntOrString";
    case Shape::kBytes:
      return "api::Bytes";
    case Shape::kRawJson:
      return "api::RawJson";
    case Shape::kStruct:
    case Shape::kList:
    case Shape::kMap:
      break;
  }
  return "";
}

void CollectStructs(const TypeModel& type, std::set<std::string>& names) {
  if (type.shape == Shape::kStruct) names.insert(type.struct_name);
  for (const TypeModel& element : type.element) CollectStructs(element, names);
}

/// One struct's declaration and table.
class StructEmitter {
 public:
  StructEmitter(const StructModel& model, const PackageName& package, const std::string& enclosing)
      : model_(model),
        namespace_("::" + NamespaceOf(package, enclosing)),
        enclosing_(enclosing),
        names_(MemberNames(model.members)),
        taken_(names_.begin(), names_.end()),
        // A parameter must not have the name of a member: compilers warn.
        other_(taken_.contains("other") ? "other_" : "other") {}

  std::string Declaration() const {
    std::string text = DocComment("", model_.description,
                                  model_.place.empty() ? std::vector<std::string>{} : std::vector{model_.place});
    text += "struct " + model_.name + " {\n";
    for (const std::size_t i : Order()) {
      const MemberModel& member = model_.members[i];
      std::vector<std::string> facts = member.facts;
      if (names_[i] != member.json_name) facts.insert(facts.begin(), "JSON name " + member.json_name);
      text += DocComment("  ", member.description, facts);
      text += "  " + MemberType(member) + " " + names_[i] + "{};\n";
    }
    text += "  " + Library("api::Rest") + " rest_{};\n\n";
    text += Constants();
    text += "  bool operator==(const " + model_.name + "& " + other_ + ") const;\n";
    text += "  static const " + Library("api::internal::Type") + " kType;\n";
    if (model_.kind && !model_.kind->plural.empty()) text += "  static const ::kinformer::KindInfo kInfo;\n";
    if (model_.kind && !model_.kind->crd.empty()) {
      text += "  /// The CustomResourceDefinition as JSON.\n";
      text += "  static " + Library("std::string_view") + " Crd();\n";
    }
    return text + "};\n\n";
  }

  std::string Members() const {
    if (model_.members.empty()) return "";
    std::string text = "constexpr api::internal::Member k" + model_.name + "Members[] = {\n";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      text += "    api::internal::Named<decltype(" + model_.name + "::" + names_[i] + ")>(\"" +
              model_.members[i].json_name + "\", offsetof(" + model_.name + ", " + names_[i] + ")),\n";
    }
    return text + "};\n";
  }

  std::string Definitions() const {
    const std::string& name = model_.name;
    std::string text = "constinit const api::internal::Type " + name + "::kType =\n    api::internal::StructType<" +
                       name + ">(" + (model_.members.empty() ? "" : "k" + name + "Members, ") + "offsetof(" + name +
                       ", rest_)";
    if (model_.kind) {
      const KindModel& kind = *model_.kind;
      text += ", {\"" + (kind.group.empty() ? "" : kind.group + "/") + kind.version + "\", \"" + kind.kind + "\"}";
    }
    text += ");\nbool " + name + "::operator==(const " + name + "& " + other_ +
            ") const { return api::internal::Equal(kType, this, &" + other_ + "); }\n";
    if (model_.kind && !model_.kind->plural.empty()) {
      const KindModel& kind = *model_.kind;
      text += "constinit const ::kinformer::KindInfo " + name + "::kInfo{\"" + kind.group + "\", \"" + kind.version +
              "\", \"" + kind.kind + "\", \"" + kind.plural +
              "\", ::kinformer::Scope::" + (kind.namespaced ? "kNamespaced" : "kCluster") + "};\n";
    }
    if (model_.kind && !model_.kind->crd.empty()) text += CrdDefinition(model_.kind->crd);
    return text;
  }

 private:
  /// `name` first, then as in the table.
  std::vector<std::size_t> Order() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < names_.size(); ++i) order.push_back(i);
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t i) { return model_.members[i].json_name == "name"; });
    return order;
  }

  /// A name from `api` or `std`, qualified where a member hides it: a class must not change the meaning of a name that
  /// it used.
  std::string Library(std::string_view name) const {
    const std::string first(name.substr(0, name.find(':')));
    if (!taken_.contains(first)) return std::string(name);
    return (first == "api" ? "::kinformer::" : "::") + std::string(name);
  }

  std::string Type(const TypeModel& type) const {
    if (type.shape == Shape::kList) return Library("api::List") + "<" + Type(type.element.front()) + ">";
    if (type.shape == Shape::kMap) return Library("api::Map") + "<" + Type(type.element.front()) + ">";
    if (type.shape != Shape::kStruct) return Library(ScalarName(type.shape));
    if (type.struct_name.starts_with("::")) return type.struct_name;
    if (type.package) return "::" + NamespaceOf(*type.package, enclosing_) + "::" + type.struct_name;
    return (taken_.contains(type.struct_name) ? namespace_ + "::" : "") + type.struct_name;
  }

  std::string MemberType(const MemberModel& member) const {
    const std::string type = Type(member.type);
    if (member.plain || member.type.shape == Shape::kList || member.type.shape == Shape::kMap) return type;
    return Library(member.type.shape == Shape::kStruct ? "api::Part" : "api::Field") + "<" + type + ">";
  }

  /// The values of enums, in a struct per member. One whose name means something else in this struct is left out.
  std::string Constants() const {
    std::set<std::string> taken = taken_;
    taken.insert(model_.name);
    for (const MemberModel& member : model_.members) CollectStructs(member.type, taken);
    std::string text;
    for (const std::size_t i : Order()) {
      const MemberModel& member = model_.members[i];
      if (member.constants.empty()) continue;
      const std::string name = TypeNamePart(member.json_name);
      if (MemberName(name) != name || !taken.insert(name).second) continue;
      text += "  /// Values of " + names_[i] + ".\n  struct " + name + " {\n";
      for (const Constant& constant : member.constants) {
        text += "    static constexpr " + Library("std::string_view") + " k" + constant.name + " = \"" +
                constant.value + "\";\n";
      }
      text += "  };\n\n";
    }
    return text;
  }

  std::string CrdDefinition(std::string_view json) const {
    // Not in the text, so that it cannot end the literal.
    std::string delimiter = "crd";
    while (json.find(")" + delimiter + "\"") != std::string_view::npos) delimiter += "_";
    std::string pieces;
    while (!json.empty()) {
      std::size_t size = std::min(json.size(), kLiteralBytes);
      // Not inside of a UTF-8 character.
      while (size < json.size() && (static_cast<unsigned char>(json[size]) & 0xC0U) == 0x80U) --size;
      pieces += "  text += R\"" + delimiter + "(" + std::string(json.substr(0, size)) + ")" + delimiter + "\";\n";
      json.remove_prefix(size);
    }
    // No lambda: g++ would try for seconds to make the text at compile time.
    const std::string function = "Make" + model_.name + "Crd";
    return "static std::string " + function + "() {\n  std::string text;\n" + pieces +
           "  return text;\n}\nstd::string_view " + model_.name +
           "::Crd() {\n  static const std::string json = " + function + "();\n  return json;\n}\n";
  }

  const StructModel& model_;
  const std::string namespace_;
  const std::string& enclosing_;
  const std::vector<std::string> names_;
  const std::set<std::string> taken_;
  const std::string other_;
};

std::string FirstLines(const EmitOptions& options) {
  return "// Generated by kinformer-gen from " + options.origin + ". Do not edit.\n// clang-format off\n";
}

std::string Guard(const EmitOptions& options) {
  std::string guard;
  for (const char c : "KINFORMER_GEN_" + options.enclosing_namespace + "_" + options.file_name + "_H_") {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (letter) guard += upper;
    // Names with two underscores in a row are the compiler's.
    else if (!guard.ends_with('_'))
      guard += '_';
  }
  return guard;
}

bool AnyKindHas(const std::vector<Package>& packages, bool (*has)(const KindModel&)) {
  return std::any_of(packages.begin(), packages.end(), [&](const Package& package) {
    return std::any_of(package.structs.begin(), package.structs.end(),
                       [&](const StructModel& model) { return model.kind && has(*model.kind); });
  });
}
bool HasInfo(const KindModel& kind) { return !kind.plural.empty(); }
bool HasCrd(const KindModel& kind) { return !kind.crd.empty(); }

/// What structs refer to outside of their packages.
struct Outside {
  bool library = false;
  std::map<PackageName, std::set<std::string>> structs{};
};

void CollectOutside(const TypeModel& type, Outside& outside) {
  for (const TypeModel& element : type.element) CollectOutside(element, outside);
  if (type.struct_name.starts_with("::")) outside.library = true;
  if (type.package) outside.structs[*type.package].insert(type.struct_name);
}

Outside OutsideOf(const std::vector<Package>& packages) {
  Outside outside;
  for (const Package& package : packages) {
    for (const StructModel& model : package.structs) {
      for (const MemberModel& member : model.members) CollectOutside(member.type, outside);
    }
  }
  return outside;
}

}  // namespace

std::string FileNameOf(const PackageName& package) {
  return NamespaceOfGroup(package.group) + (package.version.empty() ? "" : "_" + package.version);
}

std::string EmitHeader(const std::vector<Package>& packages, const EmitOptions& options) {
  const std::string guard = Guard(options);
  std::string text = FirstLines(options) + "#ifndef " + guard + "\n#define " + guard + "\n\n";
  text += "#include <cstdint>\n#include <string>\n#include <string_view>\n\n#include <kinformer/api/generated.h>\n";
  const Outside outside = OutsideOf(packages);
  if (outside.library) text += "#include <kinformer/api/meta_v1.h>\n";
  if (!outside.structs.empty()) text += "\n";
  for (const auto& [package, names] : outside.structs) text += "#include \"" + FileNameOf(package) + ".h\"\n";
  text += "\nstatic_assert(::kinformer::api::internal::kTableFormat == " + std::to_string(api::internal::kTableFormat) +
          ",\n              \"generated for another version of kinformer: run kinformer-gen again\");\n\n";
  if (AnyKindHas(packages, &HasInfo)) text += "namespace kinformer {\nstruct KindInfo;\n}\n\n";
  // Packages may refer to each other, and one of two such headers is read first.
  for (const auto& [package, names] : outside.structs) {
    text += "namespace " + NamespaceOf(package, options.enclosing_namespace) + " {\n";
    for (const std::string& name : names) text += "struct " + name + ";\n";
    text += "}\n\n";
  }
  for (const Package& package : packages) {
    const std::string name = NamespaceOf(package.name, options.enclosing_namespace);
    text += "namespace " + name + " {\n\nnamespace api = ::kinformer::api;\n\n";
    for (const StructModel& model : package.structs) text += "struct " + model.name + ";\n";
    if (!package.aliases.empty()) text += "\n";
    for (const Alias& alias : package.aliases) text += "using " + alias.name + " = " + alias.target + ";\n";
    text += "\n";
    for (const StructModel& model : package.structs) {
      text += StructEmitter(model, package.name, options.enclosing_namespace).Declaration();
    }
    text += "}  // namespace " + name + "\n\n";
  }
  return text + "#endif  // " + guard + "\n";
}

std::string EmitSource(const std::vector<Package>& packages, const EmitOptions& options) {
  std::string text = FirstLines(options) + "#include " + "\"" + options.file_name + ".h\"\n\n#include <cstddef>\n";
  if (AnyKindHas(packages, &HasCrd)) text += "#include <string>\n";
  if (AnyKindHas(packages, &HasInfo)) text += "\n#include <kinformer/meta/kind_info.h>\n";
  for (const Package& package : packages) {
    const std::string name = NamespaceOf(package.name, options.enclosing_namespace);
    std::string tables;
    std::string definitions;
    for (const StructModel& model : package.structs) {
      const StructEmitter emitter(model, package.name, options.enclosing_namespace);
      tables += emitter.Members();
      definitions += emitter.Definitions();
    }
    text += "\nnamespace " + name + " {\n";
    if (!tables.empty()) text += "namespace {\n\n" + tables + "\n}  // namespace\n";
    text += "\n" + definitions + "\n}  // namespace " + name + "\n";
  }
  return text;
}

}  // namespace kinformer::gen
