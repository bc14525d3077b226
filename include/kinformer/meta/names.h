#ifndef KINFORMER_META_NAMES_H_
#define KINFORMER_META_NAMES_H_

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer {

/// "apps", "v1", "Deployment". The core group is "".
struct GroupVersionKind {
  std::string group{};
  std::string version{};
  std::string kind{};

  /// "apps/v1", or "v1" for the core group.
  std::string ApiVersion() const;
  /// From an object's apiVersion and kind.
  static Result<GroupVersionKind> FromApiVersion(std::string_view api_version, std::string_view kind);

  auto operator<=>(const GroupVersionKind&) const = default;
};

/// "apps", "v1", "deployments": what appears in a URL.
struct GroupVersionResource {
  std::string group{};
  std::string version{};
  std::string resource{};

  std::string ApiVersion() const;

  auto operator<=>(const GroupVersionResource&) const = default;
};

/// "Deployment.apps" and "deployments.apps"; without the dot for the core group.
std::string ToString(const GroupVersionKind& gvk);
std::string ToString(const GroupVersionResource& gvr);

/// The key of an object within its kind: "namespace/name", or "name" for an object without a namespace.
struct NamespacedName {
  std::string namespace_name{};
  std::string name{};

  static Result<NamespacedName> Parse(std::string_view key);

  auto operator<=>(const NamespacedName&) const = default;
};

std::string ToString(const NamespacedName& name);

}  // namespace kinformer

template <>
struct std::hash<kinformer::NamespacedName> {
  std::size_t operator()(const kinformer::NamespacedName& name) const noexcept;
};
template <>
struct std::hash<kinformer::GroupVersionKind> {
  std::size_t operator()(const kinformer::GroupVersionKind& gvk) const noexcept;
};
template <>
struct std::hash<kinformer::GroupVersionResource> {
  std::size_t operator()(const kinformer::GroupVersionResource& gvr) const noexcept;
};

#endif  // KINFORMER_META_NAMES_H_
