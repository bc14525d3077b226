#ifndef KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_
#define KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_

// In:     names, keys and values chosen by clients
// Out:    what is wrong with them, in kube-apiserver's words; empty: valid
// Thread: any; pure
// Next:   strategy, kind_rules

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {

/// The format of a kind's names.
enum class NameRule {
  kSubdomain,    ///< "web.example.com"
  kLabel,        ///< "web-1", at most 63 bytes
  kPathSegment,  ///< any single path segment: "system:node"
};

std::string WrongName(NameRule rule, std::string_view name);
/// An RFC 1123 label: "web-1".
std::string WrongDnsLabel(std::string_view name);
/// An RFC 1035 label, which starts with a letter: for resources, kinds and versions.
std::string WrongDns1035Label(std::string_view name);
/// All errors in an annotation key or finalizer: "app", "example.com/app".
std::vector<std::string> WrongsOfQualifiedName(std::string_view name);
/// The same for a label key; only the wording differs.
std::vector<std::string> WrongsOfLabelKey(std::string_view key);
/// The first of WrongsOfQualifiedName; empty: valid.
std::string WrongQualifiedName(std::string_view name);
std::string WrongLabelValue(std::string_view value);
/// A key of a ConfigMap or Secret.
std::string WrongConfigKey(std::string_view key);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_REGISTRY_NAME_RULES_H_
