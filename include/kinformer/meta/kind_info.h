#ifndef KINFORMER_META_KIND_INFO_H_
#define KINFORMER_META_KIND_INFO_H_

#include <string>
#include <string_view>

#include <kinformer/meta/names.h>

namespace kinformer {

enum class Scope { kNamespaced, kCluster };

/// What a client must know about a kind to request it. Each typed view has it as a constant; discovery provides it for
/// other kinds.
struct KindInfo {
  std::string_view group{};
  std::string_view version{};
  std::string_view kind{};
  std::string_view resource{};  ///< The plural in the URL: "pods".
  Scope scope = Scope::kNamespaced;

  GroupVersionKind Gvk() const { return {std::string(group), std::string(version), std::string(kind)}; }
  GroupVersionResource Gvr() const { return {std::string(group), std::string(version), std::string(resource)}; }
};

}  // namespace kinformer

#endif  // KINFORMER_META_KIND_INFO_H_
