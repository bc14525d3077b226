#include "src/client/request_target.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace kinformer::internal {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

Error BadPathPart(std::string_view what, std::string_view why) {
  return Error{.code = ErrorCode::kInvalidArgument, .message = std::string(what) + " " + std::string(why)};
}

// The API rejects these too: they would change which path is meant.
Result<void> CheckSegment(std::string_view what, std::string_view segment) {
  if (segment == "." || segment == "..") return BadPathPart(what, "may not be \"" + std::string(segment) + "\"");
  if (segment.find_first_of("/%") != std::string_view::npos) return BadPathPart(what, "may not contain '/' or '%'");
  return {};
}

}  // namespace

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kHex[byte >> 4U];
      encoded += kHex[byte & 15U];
    }
  }
  return encoded;
}

RequestTarget& RequestTarget::Add(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  text_ += has_query_ ? '&' : '?';
  has_query_ = true;
  text_ += PercentEncode(key);
  text_ += '=';
  text_ += PercentEncode(value);
  return *this;
}

Result<std::string> ResourcePath(const Resource& resource, const ObjectAddress& address) {
  const GroupVersionResource& gvr = resource.gvr;
  if (gvr.version.empty() || gvr.resource.empty())
    return BadPathPart("the resource", "lacks a version or a plural name");
  for (const auto& [what, segment] : {std::pair<std::string_view, std::string_view>{"the API group", gvr.group},
                                      {"the API version", gvr.version},
                                      {"the resource", gvr.resource},
                                      {"the namespace", address.namespace_name},
                                      {"the object's name", address.name}}) {
    if (Result<void> checked = CheckSegment(what, segment); !checked) return std::move(checked).error();
  }
  if (address.name.empty() && !address.subresource.empty()) return BadPathPart("the object's name", "is empty");

  std::string path = gvr.group.empty() ? "/api/" : "/apis/" + PercentEncode(gvr.group) + "/";
  path += PercentEncode(gvr.version);
  if (resource.scope == Scope::kNamespaced) {
    if (!address.namespace_name.empty()) {
      path += "/namespaces/" + PercentEncode(address.namespace_name);
    } else if (!address.name.empty()) {
      return BadPathPart("the namespace", "is empty, but " + gvr.resource + " are namespaced");
    }
  }
  path += "/" + PercentEncode(gvr.resource);
  if (!address.name.empty()) path += "/" + PercentEncode(address.name);
  // A subresource may have its own path: services/proxy/path.
  std::string_view rest = address.subresource;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (Result<void> checked = CheckSegment("the subresource", segment); !checked) return std::move(checked).error();
    path += "/" + PercentEncode(segment);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return path;
}

std::optional<GroupVersionResource> ResourceOf(std::string_view target) {
  std::vector<std::string> parts;
  std::string_view rest = target.substr(0, target.find('?'));
  while (rest.starts_with('/')) {
    rest.remove_prefix(1);
    parts.emplace_back(rest.substr(0, rest.find('/')));
    rest.remove_prefix(parts.back().size());
  }
  const bool core = !parts.empty() && parts[0] == "api";
  if (!core && (parts.empty() || parts[0] != "apis")) return std::nullopt;
  const std::size_t version = core ? 1 : 2;
  std::size_t resource = version + 1;
  // "namespaces/default/pods"; "namespaces/default" and "namespaces/default/status" are the namespace itself.
  const auto is_subresource = [&](const std::string& part) {
    return core && parts.size() == resource + 3 && (part == "status" || part == "finalize");
  };
  if (parts.size() > resource + 2 && parts[resource] == "namespaces" && !is_subresource(parts[resource + 2])) {
    resource += 2;
  }
  if (parts.size() <= resource || parts[resource].empty()) return std::nullopt;
  return GroupVersionResource{core ? "" : parts[1], parts[version], parts[resource]};
}

}  // namespace kinformer::internal
