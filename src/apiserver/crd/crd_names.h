#ifndef KINFORMER_SRC_APISERVER_CRD_CRD_NAMES_H_
#define KINFORMER_SRC_APISERVER_CRD_CRD_NAMES_H_

// In:     the names that a definition requests, and those taken in its group
// Out:    the names that it is granted, and whether these are all
// Thread: any; pure
// Next:   CrdManager

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "src/apiserver/registry/served_kind.h"

namespace kinformer::apiserver {

/// Names of all other kinds in a group.
struct TakenNames {
  std::set<std::string> resources{};
  std::set<std::string> kinds{};

  /// Adds the names in the definition's status.acceptedNames.
  void AddAccepted(const nlohmann::json& definition);
  void Add(const ServedKind& kind);
};

struct NamesGranted {
  nlohmann::json names{};
  bool all = true;
  /// Such as "KindConflict"; "NoConflicts" if `all`.
  std::string reason{};
  std::string message{};
};

/// A definition keeps names that it already has. A name that is taken is not granted, and the previous one is kept.
NamesGranted GrantNames(const nlohmann::json& definition, const TakenNames& taken);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CRD_CRD_NAMES_H_
