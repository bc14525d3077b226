#include "src/apiserver/registry/metadata_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/registry/name_rules.h"
#include "src/apiserver/registry/registry_errors.h"
#include "src/base/text.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;

constexpr std::size_t kMaxAnnotations = 256 * 1024;

void CheckNames(const ServedKind& kind, const json& metadata, std::vector<ErrorCause>& causes) {
  if (const std::string base = TextOf(metadata, "generateName"); !base.empty()) {
    // A suffix follows, so the base may end in '-', which a name may not.
    std::string as_name = base;
    if (as_name.back() == '-') as_name.back() = 'a';
    if (const std::string wrong = WrongName(kind.name_rule, as_name); !wrong.empty()) {
      causes.push_back(Invalid("metadata.generateName", base, wrong));
    }
  }
  const std::string name = TextOf(metadata, "name");
  if (const std::string wrong = WrongName(kind.name_rule, name); !wrong.empty()) {
    causes.push_back(Invalid("metadata.name", name, wrong));
  }
}

void CheckLabels(const json& metadata, std::vector<ErrorCause>& causes) {
  const auto labels = metadata.find("labels");
  if (labels == metadata.end()) return;
  for (const auto& [key, value] : labels->items()) {
    for (const std::string& wrong : WrongsOfLabelKey(key)) causes.push_back(Invalid("metadata.labels", key, wrong));
    if (!value.is_string()) continue;
    const auto& text = value.get_ref<const std::string&>();
    if (const std::string wrong = WrongLabelValue(text); !wrong.empty()) {
      causes.push_back(Invalid("metadata.labels", text, wrong));
    }
  }
}

void CheckAnnotations(const json& metadata, std::vector<ErrorCause>& causes) {
  const auto annotations = metadata.find("annotations");
  if (annotations == metadata.end()) return;
  std::size_t size = 0;
  for (const auto& [key, value] : annotations->items()) {
    for (const std::string& wrong : WrongsOfQualifiedName(internal::Lower(key))) {
      causes.push_back(Invalid("metadata.annotations", key, wrong));
    }
    size += key.size() + (value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  }
  if (size > kMaxAnnotations) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than 262144 bytes",
                      .field = "metadata.annotations"});
  }
}

void CheckFinalizers(const ServedKind& kind, const json& metadata, std::vector<ErrorCause>& causes) {
  const auto finalizers = metadata.find("finalizers");
  if (finalizers == metadata.end()) return;
  for (const json& one : *finalizers) {
    if (!one.is_string()) continue;
    const auto& name = one.get_ref<const std::string&>();
    for (const std::string& wrong : WrongsOfQualifiedName(name)) {
      causes.push_back(Invalid("metadata.finalizers", name, wrong));
    }
  }
  if (kind.IsExtension()) return;
  for (std::size_t i = 0; i < finalizers->size(); ++i) {
    if (!finalizers->at(i).is_string()) continue;
    const auto& name = finalizers->at(i).get_ref<const std::string&>();
    const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (standard || name.find('/') != std::string::npos) continue;
    causes.push_back(Invalid("metadata.finalizers[" + std::to_string(i) + "]", name,
                             "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

/// With its members in the order in which a real server prints them.
nlohmann::ordered_json Shown(const json& owner) {
  nlohmann::ordered_json shown = nlohmann::ordered_json::object();
  for (const char* member : {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}) {
    if (const auto it = owner.find(member); it != owner.end()) shown[member] = *it;
  }
  return shown;
}

ErrorCause InvalidOwner(const nlohmann::ordered_json& shown, std::string_view why) {
  return {.reason = "FieldValueInvalid",
          .message =
              "Invalid value: " + shown.dump(-1, ' ', false, json::error_handler_t::replace) + ": " + std::string(why),
          .field = "metadata.ownerReferences"};
}

void CheckOwners(const json& metadata, std::vector<ErrorCause>& causes) {
  const auto owners = metadata.find("ownerReferences");
  if (owners == metadata.end()) return;
  std::string first_controller;
  for (const json& owner : *owners) {
    if (!owner.is_object()) continue;
    const std::string api_version = TextOf(owner, "apiVersion");
    const std::string version = api_version.substr(api_version.rfind('/') + 1);
    if (version.empty()) {
      causes.push_back(Invalid("metadata.ownerReferences.apiVersion", api_version, "version must not be empty"));
    }
    for (const char* member : {"kind", "name", "uid"}) {
      if (!TextOf(owner, member).empty()) continue;
      causes.push_back(Invalid(std::string("metadata.ownerReferences.") + member, "", "must not be empty"));
    }
    if (api_version == "v1" && TextOf(owner, "kind") == "Event") {
      causes.push_back(InvalidOwner(Shown(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (!owner.contains("controller") || owner.at("controller") != true) continue;
    const std::string controller = TextOf(owner, "kind") + "/" + TextOf(owner, "name");
    if (first_controller.empty()) {
      first_controller = controller;
      continue;
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const json& one : *owners) all.push_back(Shown(one));
    std::string why = "Only one reference can have Controller set to true. Found \"true\" in references for ";
    why.append(first_controller).append(" and ").append(controller);
    causes.push_back(InvalidOwner(all, why));
  }
}

}  // namespace

std::vector<ErrorCause> CheckMetadata(const ServedKind& kind, const json& metadata) {
  std::vector<ErrorCause> causes;
  CheckNames(kind, metadata, causes);
  CheckLabels(metadata, causes);
  CheckAnnotations(metadata, causes);
  CheckOwners(metadata, causes);
  CheckFinalizers(kind, metadata, causes);
  return causes;
}

std::vector<std::string> FinalizerWarnings(const ServedKind& kind, const json& metadata, const json& before) {
  if (kind.schema == nullptr) return {};
  const json& had = FieldOf(before, "finalizers");
  std::set<std::string> added;
  for (const json& name : FieldOf(metadata, "finalizers")) {
    if (name.is_string() && std::find(had.begin(), had.end(), name) == had.end()) added.insert(name.get<std::string>());
  }
  std::vector<std::string> warnings;
  for (const std::string& name : added) {
    // Standard finalizers.
    if (name == "orphan" || name == "foregroundDeletion" || name == "kubernetes") continue;
    if (name.find('/') != std::string::npos) continue;
    const bool has_domain = name.find('.') != std::string::npos;
    warnings.push_back("metadata.finalizers: \"" + name + "\": prefer a domain-qualified finalizer name" +
                       (has_domain ? " including a path (/)" : "") +
                       " to avoid accidental conflicts with other finalizer writers");
  }
  return warnings;
}

}  // namespace kinformer::apiserver
