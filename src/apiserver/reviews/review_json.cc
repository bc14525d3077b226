#include "src/apiserver/reviews/review_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/registry/field_checks.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/codec/json_fields.h"
#include "src/listwatch/storage/storage_errors.h"
#include "src/meta/error_text.h"
#include "src/schema/field_error.h"

namespace kinformer::apiserver {
namespace {

using internal::JsonText;
using nlohmann::json;

const json* Find(const json& body, const std::string& pointer) {
  const json::json_pointer place(pointer);
  return body.contains(place) ? &body.at(place) : nullptr;
}

/// Field selectors in the attributes count like those of a list request.
void ReadFieldSelector(const json& attributes, RequestInfo& info) {
  std::string selector = TextAt(attributes, "/fieldSelector/rawSelector");
  const json* requirements = Find(attributes, "/fieldSelector/requirements");
  if (requirements != nullptr && requirements->is_array()) {
    for (const json& requirement : *requirements) {
      const std::vector<std::string> values = TextsAt(requirement, "/values");
      if (TextAt(requirement, "/operator") != "In" || values.size() != 1) continue;
      selector += (selector.empty() ? "" : ",") + TextAt(requirement, "/key") + "=" + values.front();
    }
  }
  if (!selector.empty()) info.query.Set("fieldSelector", selector);
}

}  // namespace

Error InvalidReview(const ServedKind& kind, ErrorCause cause) {
  return InvalidError({kind.resource.group, kind.resource.version, ""}, "", {std::move(cause)});
}

std::string TextAt(const json& body, const std::string& pointer) {
  const json* found = Find(body, pointer);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> TextsAt(const json& body, const std::string& pointer) {
  std::vector<std::string> texts;
  const json* found = Find(body, pointer);
  if (found == nullptr || !found->is_array()) return texts;
  for (const json& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

bool Contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

Result<void> CheckMetadata(const ServedKind& kind, json& body, const std::string& namespace_name) {
  const std::string group_version = kind.resource.ApiVersion();
  const std::string api_version = TextAt(body, "/apiVersion");
  const std::string name = TextAt(body, "/kind");
  if ((!api_version.empty() && api_version != group_version) || (!name.empty() && name != kind.kind)) {
    return BadRequestError("the object provided is unrecognized (must be of type " + kind.kind + "): it " +
                           internal::KindText(api_version, name));
  }
  // From here on, every field has the type that its schema says.
  if (Result<void> decoded = DecodeObject(kind, body); !decoded) return decoded;
  const std::string named = TextAt(body, "/metadata/namespace");
  const bool namespaced = kind.scope == Scope::kNamespaced;
  if (!named.empty() && (!namespaced || named != namespace_name)) {
    return BadRequestError("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (const json* metadata = Find(body, "/metadata"); metadata != nullptr && metadata->is_object()) {
    for (const auto& [key, value] : metadata->items()) {
      const bool empty = value.is_null() || value.empty() || value == "";
      if (key == "managedFields" || key == "creationTimestamp" || (namespaced && key == "namespace") || empty) continue;
      return InvalidReview(kind, Invalid("metadata", JsonText(*metadata), "must be empty"));
    }
  }
  body["metadata"] = json::object();
  if (namespaced) body["metadata"]["namespace"] = namespace_name;
  if (const json* spec = Find(body, "/spec"); spec == nullptr || spec->is_null()) body["spec"] = json::object();
  return {};
}

Result<RequestInfo> ReadAttributes(const ServedKind& kind, const json& body) {
  const json* resource = Find(body, "/spec/resourceAttributes");
  const json* path = Find(body, "/spec/nonResourceAttributes");
  const bool has_resource = resource != nullptr && resource->is_object();
  const bool has_path = path != nullptr && path->is_object();
  if (has_resource && has_path) {
    const std::string shown = "{\"Path\":" + JsonText(json(TextAt(*path, "/path"))) +
                              ",\"Verb\":" + JsonText(json(TextAt(*path, "/verb"))) + "}";
    return InvalidReview(
        kind, {.reason = "FieldValueInvalid",
               .message = "Invalid value: " + shown + ": cannot be specified in combination with resourceAttributes",
               .field = "spec.nonResourceAttributes"});
  }
  if (!has_resource && !has_path) {
    return InvalidReview(kind,
                         FieldInvalid("spec.resourceAttributes", nullptr,
                                      "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
  RequestInfo info;
  if (has_path) {
    info.path = TextAt(*path, "/path");
    info.verb = TextAt(*path, "/verb");
    return info;
  }
  info.is_resource_request = true;
  info.verb = TextAt(*resource, "/verb");
  info.group = TextAt(*resource, "/group");
  info.version = TextAt(*resource, "/version");
  if (info.version.empty()) info.version = "*";
  info.namespace_name = TextAt(*resource, "/namespace");
  info.resource = TextAt(*resource, "/resource");
  info.subresource = TextAt(*resource, "/subresource");
  info.name = TextAt(*resource, "/name");
  ReadFieldSelector(*resource, info);
  return info;
}

Result<UserInfo> ReadSubject(const ServedKind& kind, const json& body) {
  UserInfo user{
      .name = TextAt(body, "/spec/user"), .groups = TextsAt(body, "/spec/groups"), .uid = TextAt(body, "/spec/uid")};
  if (user.name.empty() && user.groups.empty()) {
    return InvalidReview(kind, Invalid("spec.user", "", "at least one of user or group must be specified"));
  }
  if (const json* extra = Find(body, "/spec/extra"); extra != nullptr && extra->is_object()) {
    for (const auto& [key, values] : extra->items()) user.extra[key] = TextsAt(values, "");
  }
  return user;
}

json UserJson(const UserInfo& user) {
  json told = {{"username", user.name}};
  if (!user.uid.empty()) told["uid"] = user.uid;
  if (!user.groups.empty()) told["groups"] = user.groups;
  if (!user.extra.empty()) told["extra"] = user.extra;
  return told;
}

}  // namespace kinformer::apiserver
