#ifndef KINFORMER_SRC_GEN_NAMES_H_
#define KINFORMER_SRC_GEN_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/gen/model.h"

namespace kinformer::gen {

/// An ASCII letter or _, then letters, digits and _.
bool IsIdentifier(std::string_view text);

/// False for names that a table cannot have: empty ones, and those with characters that JSON escapes.
bool IsTableName(std::string_view json_name);

/// The member for a JSON name: the name itself, with _ for characters that C++ does not allow, and with _ appended to
/// keywords, macros, names that every struct has, and names that end in _.
std::string MemberName(std::string_view json_name);

/// The members of a struct in the order of `members`; _ is appended where two JSON names give the same.
std::vector<std::string> MemberNames(const std::vector<MemberModel>& members);

/// "acme" -> "Acme". Characters that C++ does not allow begin a new word: "x-kubernetes" -> "XKubernetes".
std::string TypeNamePart(std::string_view json_name);

/// "cert-manager.io" -> "cert_manager_io".
std::string NamespaceOfGroup(std::string_view group);

/// "a", "a::b".
bool IsNamespace(std::string_view text);

/// The constants of an enum; empty unless all values are distinct identifiers.
std::vector<Constant> ConstantsOf(const std::vector<std::string>& values);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_NAMES_H_
