#include <kinformer/views/view.h>

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "src/meta/error_text.h"
#include "src/views/read.h"

namespace kinformer {
namespace {

Error NotThisKind(std::string message) {
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  error.message = std::move(message);
  return error;
}

bool IsApiVersionOf(std::string_view api_version, const KindInfo& info) {
  if (info.group.empty()) return api_version == info.version;
  return api_version.size() == info.group.size() + 1 + info.version.size() && api_version.starts_with(info.group) &&
         api_version[info.group.size()] == '/' && api_version.ends_with(info.version);
}

/// What servers return for metadata-only requests.
bool IsMetadataOnly(const Object& object) {
  return object.Kind() == "PartialObjectMetadata" && object.ApiVersion().starts_with("meta.k8s.io/");
}

std::optional<Timestamp> ParseOptional(std::optional<std::string_view> text) {
  return text ? ParseTimestamp(*text) : std::nullopt;
}

}  // namespace

std::optional<OwnerReference> ViewBase::ControllerReference() const& {
  const auto& owners = OwnerReferences();
  const auto it =
      std::find_if(owners.begin(), owners.end(), [](const OwnerReference& owner) { return owner.controller; });
  return it == owners.end() ? std::nullopt : std::optional(*it);
}

bool ViewBase::HasFinalizer(std::string_view finalizer) const {
  return std::find(Finalizers().begin(), Finalizers().end(), finalizer) != Finalizers().end();
}

std::optional<Timestamp> ViewBase::CreationTimestamp() const { return ParseOptional(object_->CreationTimestamp()); }
std::optional<Timestamp> ViewBase::DeletionTimestamp() const { return ParseOptional(object_->DeletionTimestamp()); }

std::vector<Condition> ViewBase::ReadConditions() const {
  return internal::Lenses<Condition>(object_, At("/status/conditions"));
}

nlohmann::json ViewBase::ToJson() const { return object_->ToJson(); }

Result<void> ViewBase::CheckKind(const ObjectPtr& object, const KindInfo& info) {
  const std::string expected = info.Gvk().ApiVersion() + " " + std::string(info.kind);
  if (object == nullptr) return NotThisKind("no object given, expected a " + expected);
  if (object->Kind() == info.kind && IsApiVersionOf(object->ApiVersion(), info)) return {};
  if (IsMetadataOnly(*object)) {
    return NotThisKind("object " + ToString(object->Key()) + " is metadata only (" + std::string(object->Kind()) +
                       "), expected a whole " + expected + "; use MetadataOf<" + std::string(info.kind) + ">");
  }
  return NotThisKind("object " + ToString(object->Key()) + " " +
                     internal::KindText(object->ApiVersion(), object->Kind()) + ", expected a " + expected);
}

Result<void> ViewBase::CheckKindOfMetadata(const ObjectPtr& object, const KindInfo& info) {
  if (object != nullptr && IsMetadataOnly(*object)) return {};
  return CheckKind(object, info);
}

}  // namespace kinformer
