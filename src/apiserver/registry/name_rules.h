#ifndef KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_

// In:     names, keys and values as clients choose them
// Out:    what is wrong with them, in the words of a server; empty: nothing
// Thread: any; pure
// Next:   strategy, kind_rules

#include <string>
#include <string_view>
#include <vector>

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
/// Of annotations and finalizers: "app", "example.com/app". All that is wrong with it.
std::vector<std::string> WrongsOfQualifiedName(std::string_view name);
/// The same of a label's key, which is called by its name.
std::vector<std::string> WrongsOfLabelKey(std::string_view key);
/// The first of them.
std::string WrongQualifiedName(std::string_view name);
std::string WrongLabelValue(std::string_view value);
/// Of config maps and secrets.
std::string WrongConfigKey(std::string_view key);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_
