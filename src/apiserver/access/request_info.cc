#include "src/apiserver/access/request_info.h"

#include <span>
#include <utility>
#include <vector>

#include <kinformer/meta/selector.h>

#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

Error BadPath(std::string message) {
  return {.code = ErrorCode::kServer, .message = std::move(message), .http_status = 400, .reason = "BadRequest"};
}

Result<std::vector<std::string>> Segments(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    std::optional<std::string> segment = PercentDecode(path.substr(0, slash), false);
    if (!segment) return BadPath("invalid percent-encoding in the URL path");
    // Would change the path when the name is inserted into one again.
    if (segment->empty() || *segment == "." || *segment == "..") {
      return BadPath("the path of the URL has a segment that is empty, \".\" or \"..\"");
    }
    if (segment->find_first_of(std::string_view("/%\0", 3)) != std::string::npos) {
      return BadPath("the path of the URL has a segment with '/', '%' or NUL in it");
    }
    segments.push_back(*std::move(segment));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return segments;
}

std::string VerbOf(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return {};
}

void ReadNames(std::span<const std::string> parts, RequestInfo& info) {
  if (parts.empty()) return;
  if (parts[0] == "namespaces" && parts.size() > 1) {
    info.namespace_name = parts[1];
    // Subresources of the namespace itself; anything else is a resource inside it.
    if (parts.size() > 2 && parts[2] != "status" && parts[2] != "finalize") parts = parts.subspan(2);
  }
  info.resource = parts[0];
  if (parts.size() > 1) info.name = parts[1];
  if (parts.size() > 2) info.subresource = parts[2];
  info.has_more = parts.size() > 3;
}

}  // namespace

std::string RequestInfo::NameForAccess() const {
  if (!name.empty() || (verb != "list" && verb != "watch")) return name;
  const std::string* text = query.Find("fieldSelector");
  if (text == nullptr) return {};
  const Result<FieldSelector> selector = FieldSelector::Parse(*text);
  if (!selector) return {};
  const std::optional<std::string> one = selector->RequiresExactMatch("metadata.name");
  const bool segment = one && *one != "." && *one != ".." && one->find_first_of("/%") == std::string::npos;
  return segment ? *one : std::string();
}

Result<RequestInfo> ParseRequestInfo(std::string_view method, std::string_view path, std::string_view query) {
  RequestInfo info;
  Result<std::vector<std::string>> segments = Segments(path);
  if (!segments) return std::move(segments).error();
  Result<UrlQuery> parsed = UrlQuery::Parse(query);
  if (!parsed) return std::move(parsed).error();
  info.query = *std::move(parsed);
  for (const std::string& segment : *segments) info.path += "/" + segment;
  if (info.path.empty()) info.path = "/";
  info.verb = internal::Lower(std::string(method));

  std::span<const std::string> parts(*segments);
  const bool grouped = !parts.empty() && parts[0] == "apis";
  if (!grouped && (parts.empty() || parts[0] != "api")) return info;
  parts = parts.subspan(1);
  if (parts.size() < (grouped ? 3U : 2U)) return info;
  info.is_resource_request = true;
  if (grouped) {
    info.group = parts[0];
    parts = parts.subspan(1);
  }
  info.version = parts[0];
  parts = parts.subspan(1);
  info.verb = VerbOf(method);
  if (parts[0] == "watch" && parts.size() > 1) {
    info.legacy_watch = true;
    if (info.verb == "get") info.verb = "watch";
    parts = parts.subspan(1);
  }
  ReadNames(parts, info);
  if (info.name.empty()) {
    if (info.verb == "get") info.verb = info.query.Flag("watch") ? "watch" : "list";
    if (info.verb == "delete") info.verb = "deletecollection";
  }
  return info;
}

}  // namespace kinformer::apiserver
