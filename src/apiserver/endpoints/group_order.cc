#include "src/apiserver/endpoints/group_order.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kinformer::apiserver {
namespace {

constexpr std::array<std::string_view, 15> kOwnGroups = {"apps",
                                                         "events.k8s.io",
                                                         "authentication.k8s.io",
                                                         "authorization.k8s.io",
                                                         "autoscaling",
                                                         "batch",
                                                         "networking.k8s.io",
                                                         "policy",
                                                         "rbac.authorization.k8s.io",
                                                         "storage.k8s.io",
                                                         "apiextensions.k8s.io",
                                                         "scheduling.k8s.io",
                                                         "coordination.k8s.io",
                                                         "node.k8s.io",
                                                         "discovery.k8s.io"};

}  // namespace

std::vector<std::string> GroupsInOrder(const std::vector<ServedKind>& kinds) {
  std::vector<std::string> groups;
  for (const ServedKind& kind : kinds) {
    if (!kind.resource.group.empty()) groups.push_back(kind.resource.group);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  const auto place = [](const std::string& group) {
    return std::find(kOwnGroups.begin(), kOwnGroups.end(), group) - kOwnGroups.begin();
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return groups;
}

}  // namespace kinformer::apiserver
