#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_NAMES_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_NAMES_H_

// In:     the names that a definition asks for, and those that are taken in its group
// Out:    the names that it is granted; whether those are all
// Thread: any; pure
// Next:   CrdManager

#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Of all other kinds of a group.
struct TakenNames {
  std::set<std::string> resources{};
  std::set<std::string> kinds{};

  /// What a definition has been granted.
  void AddAccepted(const nlohmann::json& definition);
  void Add(const ServedKind& kind);
};

struct NamesGranted {
  nlohmann::json names{};
  bool all = true;
  /// "KindConflict", and which name; "NoConflicts" if `all`.
  std::string reason{};
  std::string message{};
};

/// A name that the definition has already stays its own; one that is taken is not granted, and what it had instead, it
/// keeps.
NamesGranted GrantNames(const nlohmann::json& definition, const TakenNames& taken);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_NAMES_H_
