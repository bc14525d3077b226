#include <kinformer/meta/names.h>

#include <initializer_list>

#include "src/meta/error_text.h"

namespace kinformer {

using internal::InvalidArgument;
using internal::Quoted;

namespace {

// Keys come from users and work queues; no object has a longer one.
constexpr std::size_t kMaxNameBytes = 4096;

std::string JoinApiVersion(const std::string& group, const std::string& version) {
  return group.empty() ? version : group + "/" + version;
}

std::size_t HashAll(std::initializer_list<std::string_view> parts) noexcept {
  std::size_t seed = 0;
  for (const std::string_view part : parts) {
    seed ^= std::hash<std::string_view>{}(part) + std::size_t{0x9e3779b9} + (seed << 6) + (seed >> 2);
  }
  return seed;
}

}  // namespace

std::string GroupVersionKind::ApiVersion() const { return JoinApiVersion(group, version); }

Result<GroupVersionKind> GroupVersionKind::FromApiVersion(std::string_view api_version, std::string_view kind) {
  if (api_version.size() > kMaxNameBytes || kind.size() > kMaxNameBytes) {
    return InvalidArgument("apiVersion or kind is longer than " + std::to_string(kMaxNameBytes) + " bytes");
  }
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    if (api_version.empty()) return InvalidArgument("apiVersion is empty, expected \"version\" or \"group/version\"");
    return GroupVersionKind{"", std::string(api_version), std::string(kind)};
  }
  const std::string_view group = api_version.substr(0, slash);
  const std::string_view version = api_version.substr(slash + 1);
  if (group.empty() || version.empty() || version.find('/') != std::string_view::npos) {
    return InvalidArgument("apiVersion " + Quoted(api_version) + " is not \"version\" or \"group/version\"");
  }
  return GroupVersionKind{std::string(group), std::string(version), std::string(kind)};
}

std::string GroupVersionResource::ApiVersion() const { return JoinApiVersion(group, version); }

std::string ToString(const GroupVersionKind& gvk) { return gvk.group.empty() ? gvk.kind : gvk.kind + "." + gvk.group; }

std::string ToString(const GroupVersionResource& gvr) {
  return gvr.group.empty() ? gvr.resource : gvr.resource + "." + gvr.group;
}

Result<NamespacedName> NamespacedName::Parse(std::string_view key) {
  if (key.size() > kMaxNameBytes)
    return InvalidArgument("key is longer than " + std::to_string(kMaxNameBytes) + " bytes");
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) {
    if (key.empty()) return InvalidArgument("key is empty, expected \"name\" or \"namespace/name\"");
    return NamespacedName{"", std::string(key)};
  }
  const std::string_view namespace_name = key.substr(0, slash);
  const std::string_view name = key.substr(slash + 1);
  if (namespace_name.empty() || name.empty() || name.find('/') != std::string_view::npos) {
    return InvalidArgument("key " + Quoted(key) + " is not \"name\" or \"namespace/name\"");
  }
  return NamespacedName{std::string(namespace_name), std::string(name)};
}

std::string ToString(const NamespacedName& name) {
  return name.namespace_name.empty() ? name.name : name.namespace_name + "/" + name.name;
}

}  // namespace kinformer

std::size_t std::hash<kinformer::NamespacedName>::operator()(const kinformer::NamespacedName& name) const noexcept {
  return kinformer::HashAll({name.namespace_name, name.name});
}
std::size_t std::hash<kinformer::GroupVersionKind>::operator()(const kinformer::GroupVersionKind& gvk) const noexcept {
  return kinformer::HashAll({gvk.group, gvk.version, gvk.kind});
}
std::size_t std::hash<kinformer::GroupVersionResource>::operator()(
    const kinformer::GroupVersionResource& gvr) const noexcept {
  return kinformer::HashAll({gvr.group, gvr.version, gvr.resource});
}
