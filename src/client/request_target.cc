#include "src/client/request_target.h"

namespace kinformer::internal {
namespace {

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

Error Bad(std::string_view what, std::string_view why) {
  return Error{.code = ErrorCode::kInvalidArgument, .message = std::string(what) + " " + std::string(why)};
}

// What the server itself refuses: it would change which path is meant.
Result<void> CheckSegment(std::string_view what, std::string_view segment) {
  if (segment == "." || segment == "..") return Bad(what, "may not be \"" + std::string(segment) + "\"");
  if (segment.find_first_of("/%") != std::string_view::npos) return Bad(what, "may not contain '/' or '%'");
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
  if (gvr.version.empty() || gvr.resource.empty()) return Bad("the resource", "lacks a version or a plural name");
  for (const auto& [what, segment] : {std::pair<std::string_view, std::string_view>{"the API group", gvr.group},
                                      {"the API version", gvr.version},
                                      {"the resource", gvr.resource},
                                      {"the namespace", address.namespace_name},
                                      {"the object's name", address.name}}) {
    if (Result<void> checked = CheckSegment(what, segment); !checked) return std::move(checked).error();
  }
  if (address.name.empty() && !address.subresource.empty()) return Bad("the object's name", "is empty");

  std::string path = gvr.group.empty() ? "/api/" : "/apis/" + PercentEncode(gvr.group) + "/";
  path += PercentEncode(gvr.version);
  if (resource.scope == Scope::kNamespaced) {
    if (!address.namespace_name.empty()) {
      path += "/namespaces/" + PercentEncode(address.namespace_name);
    } else if (!address.name.empty()) {
      return Bad("the namespace", "is empty, but " + gvr.resource + " are namespaced");
    }
  }
  path += "/" + PercentEncode(gvr.resource);
  if (!address.name.empty()) path += "/" + PercentEncode(address.name);
  // A subresource may have a path of its own: services/proxy/path.
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

}  // namespace kinformer::internal
