#include <kinformer/client/object_arg.h>

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace kinformer {
namespace {

Error InvalidObject(std::string message) {
  return Error{.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
}

/// What is wrong with a member of the JSON; "" if valid.
std::string MemberProblem(const nlohmann::json& value, const char* name, nlohmann::json::value_t type,
                          bool has_default) {
  const auto member = value.find(name);
  if (member == value.end()) return has_default ? "" : std::string("it has no ") + name;
  if (member->type() == type) return "";
  return std::string("its ") + name + " is " + member->type_name() + ", not " + nlohmann::json(type).type_name();
}

Result<void> CheckObject(const nlohmann::json& value, const GroupVersionKind& default_gvk) {
  using Type = nlohmann::json::value_t;
  if (!value.is_object())
    return InvalidObject(std::string("the JSON to write is not an object but ") + value.type_name());
  std::string problems;
  for (const std::string& problem : {MemberProblem(value, "apiVersion", Type::string, !default_gvk.version.empty()),
                                     MemberProblem(value, "kind", Type::string, !default_gvk.kind.empty()),
                                     MemberProblem(value, "metadata", Type::object, false)}) {
    if (!problem.empty()) problems += (problems.empty() ? "" : ", ") + problem;
  }
  if (!problems.empty()) return InvalidObject("the JSON to write is not a Kubernetes object: " + problems);
  return {};
}

}  // namespace

Result<ObjectPtr> ObjectArg::Read(const GroupVersionKind& default_gvk) const {
  // Non-owning: the caller's object outlives the call.
  if (object_ != nullptr) return ObjectPtr(ObjectPtr(), object_);
  if (json_ == nullptr) return InvalidObject("the object to write is null");
  if (auto checked = CheckObject(*json_, default_gvk); !checked) return std::move(checked).error();
  Result<ObjectPtr> object = Object::FromJson(*json_, {.default_gvk = default_gvk});
  if (object) return object;
  Error error = Annotate(std::move(object).error(), "the JSON to write is not a Kubernetes object");
  error.code = ErrorCode::kInvalidArgument;
  return error;
}

}  // namespace kinformer
