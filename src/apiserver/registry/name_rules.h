#ifndef KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_

// In:     names, keys and values as clients choose them
// Out:    what is wrong with them, in the words of a server; empty: nothing
// Thread: any; pure
// Next:   strategy, kind_rules

#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// What names of a kind may look like.
enum class NameRule {
  kSubdomain,    ///< "web.example.com"
  kLabel,        ///< "web-1", at most 63 bytes
  kPathSegment,  ///< anything that can be one part of a path: "system:node"
};

std::string WrongName(NameRule rule, std::string_view name);
/// "web-1".
std::string WrongDnsLabel(std::string_view name);
/// The same, beginning with a letter: of resources, kinds and versions.
std::string WrongDns1035Label(std::string_view name);
/// Of labels and annotations: "app", "example.com/app".
std::string WrongQualifiedName(std::string_view name);
std::string WrongLabelValue(std::string_view value);
/// Of config maps and secrets.
std::string WrongConfigKey(std::string_view key);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_
