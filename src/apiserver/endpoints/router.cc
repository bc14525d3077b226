#include "src/apiserver/endpoints/router.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/apiserver/endpoints/request_options.h"

namespace kinformer::apiserver {
namespace {

bool OneOf(const std::vector<std::string>& verbs, const std::string& verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

Result<void> CheckSubresource(const ServedKind& kind, const RequestInfo& info) {
  const std::vector<ServedSubresource> all = kind.Subresources();
  const auto served =
      std::find_if(all.begin(), all.end(), [&](const ServedSubresource& one) { return one.name == info.subresource; });
  if (served == all.end()) return NoSuchResource();
  if (!OneOf(served->verbs, info.verb)) return MethodNotAllowed();
  return {};
}

Result<void> CheckStored(const ServedKind& kind, const RequestInfo& info) {
  if (info.has_more) return NoSuchResource();
  const bool namespaced = kind.scope == Scope::kNamespaced;
  const std::string scope = ScopeOf(info);
  if (!namespaced && !scope.empty()) return NoSuchResource();
  if (info.legacy_watch) {
    if (!info.subresource.empty() || (namespaced && scope.empty() && !info.name.empty())) return NoSuchResource();
    if (info.verb != "watch") return MethodNotAllowed();
    return {};
  }
  if (namespaced && scope.empty()) {
    if (!info.name.empty()) return NoSuchResource();
    if (info.verb != "list" && info.verb != "watch") return MethodNotAllowed();
  }
  if (!info.subresource.empty()) {
    if (Result<void> served = CheckSubresource(kind, info); !served) return served;
  }
  const bool of_collection = info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection" ||
                             (info.verb == "create" && info.subresource.empty());
  if (info.verb.empty() || of_collection != info.name.empty()) return MethodNotAllowed();
  if (info.subresource.empty() && !OneOf(kind.Verbs(), info.verb)) return MethodNotAllowed();
  return {};
}

Result<void> CheckCreateOnly(const ServedKind& kind, const RequestInfo& info) {
  const bool namespaced = kind.scope == Scope::kNamespaced;
  if (info.has_more || info.legacy_watch || !info.name.empty() || namespaced == info.namespace_name.empty()) {
    return NoSuchResource();
  }
  if (info.verb != "create") return MethodNotAllowed();
  return {};
}

}  // namespace

std::optional<Reply> Route(const ResourceTable& resources, ApiCall& call) {
  const RequestInfo& info = call.info;
  if (!resources.Serves(info.group, info.version)) {
    if (resources.HasBuiltIn(info.group)) return ErrorReply(NoSuchResource());
    return PageNotFound();
  }
  const GroupVersionResource resource{info.group, info.version, info.resource};
  call.create_only = resources.FindCreateOnly(resource);
  if (call.create_only == nullptr) call.store = resources.Find(resource);
  Result<void> found = call.create_only != nullptr ? CheckCreateOnly(call.create_only->kind(), info)
                       : call.store != nullptr     ? CheckStored(call.store->kind(), info)
                                                   : Result<void>(NoSuchResource());
  if (found) {
    call.routed = true;
    return std::nullopt;
  }
  // The handler for custom kinds knows no such path.
  const bool no_such_place = call.store != nullptr && call.store->kind().schema != nullptr &&
                             call.store->kind().scope == Scope::kCluster && !ScopeOf(info).empty();
  if (no_such_place) return PageNotFound();
  return ErrorReply(std::move(found).error());
}

}  // namespace kinformer::apiserver
