#include "src/apiserver/crd/crd_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/apiserver/crd/crd_versions.h"
#include "src/apiserver/crd/custom_schema.h"
#include "src/apiserver/registry/name_rules.h"
#include "src/base/text.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::AtIndex;
using internal::FieldOf;
using internal::TextOf;
using nlohmann::json;
using Errors = std::vector<FieldError>;

constexpr std::size_t kMaxSelectableFields = 8;
/// A real server has no limit except the body size.
constexpr std::size_t kMaxVersions = 100;
constexpr std::size_t kMaxDeprecationWarning = 256;
constexpr const char* kApproval = "api-approved.kubernetes.io";

void CheckLabel(const std::string& path, const std::string& name, Errors& errors) {
  if (name.empty()) return;
  if (const std::string wrong = WrongDns1035Label(name); !wrong.empty())
    errors.push_back(FieldInvalid(path, name, wrong));
}

void CheckMixedCase(const std::string& path, const std::string& name, Errors& errors) {
  if (name.empty()) return;
  if (const std::string wrong = WrongDns1035Label(internal::Lower(name)); !wrong.empty()) {
    errors.push_back(FieldInvalid(path, name, "may have mixed case, but should otherwise match: " + wrong));
  }
}

void CheckNames(const json& names, Errors& errors) {
  for (const char* name : {"plural", "singular", "kind", "listKind"}) {
    if (TextOf(names, name).empty()) errors.push_back(FieldRequired(std::string("spec.names.") + name));
  }
  CheckLabel("spec.names.plural", TextOf(names, "plural"), errors);
  CheckLabel("spec.names.singular", TextOf(names, "singular"), errors);
  CheckMixedCase("spec.names.kind", TextOf(names, "kind"), errors);
  CheckMixedCase("spec.names.listKind", TextOf(names, "listKind"), errors);
  for (const char* list : {"shortNames", "categories"}) {
    const json& all = FieldOf(names, list);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string path = AtIndex(std::string("spec.names.") + list, i);
      const std::string name = all[i].is_string() ? all[i].get<std::string>() : std::string();
      if (const std::string wrong = WrongDns1035Label(name); !wrong.empty()) {
        errors.push_back(FieldInvalid(path, name, wrong));
      }
    }
  }
  if (const std::string& kind = TextOf(names, "kind"); !kind.empty() && kind == TextOf(names, "listKind")) {
    errors.push_back(FieldInvalid("spec.names.listKind", kind, "kind and listKind may not be the same"));
  }
}

void CheckPath(const std::string& at, const std::string& path, const std::vector<std::string>& roots,
               const std::string& where, Errors& errors) {
  if (path.front() != '.') {
    errors.push_back(FieldInvalid(at, path, "must be a simple json path starting with ."));
    return;
  }
  const bool good = roots.empty() ||
                    std::any_of(roots.begin(), roots.end(), [&](const auto& root) { return path.starts_with(root); });
  if (!good) errors.push_back(FieldInvalid(at, path, "should be a json path under " + where));
}

void CheckScale(const json& scale, const std::string& path, Errors& errors) {
  const auto check = [&](const char* name, const std::vector<std::string>& roots, const std::string& where,
                         bool needed) {
    const std::string& value = TextOf(scale, name);
    const std::string at = path + ".scale." + name;
    if (!value.empty()) return CheckPath(at, value, roots, where, errors);
    if (needed) errors.push_back(FieldRequired(at));
  };
  check("specReplicasPath", {".spec."}, ".spec", true);
  check("statusReplicasPath", {".status."}, ".status", true);
  check("labelSelectorPath", {".spec.", ".status."}, "either .spec or .status", false);
}

void CheckColumn(const json& column, const std::string& path, Errors& errors) {
  static const std::vector<std::string> types = {"boolean", "date", "integer", "number", "string"};
  static const std::vector<std::string> formats = {"binary", "bool",  "byte",  "date",  "date-time",
                                                   "double", "float", "int32", "int64", "password"};
  const auto one_of = [](const std::vector<std::string>& all) {
    std::string text = "must be one of ";
    for (const std::string& one : all) text += (text.back() == ' ' ? "" : ",") + one;
    return text;
  };
  if (TextOf(column, "name").empty()) errors.push_back(FieldRequired(path + ".name"));
  const std::string& type = TextOf(column, "type");
  if (type.empty()) {
    errors.push_back(FieldRequired(path + ".type", one_of(types)));
  } else if (std::find(types.begin(), types.end(), type) == types.end()) {
    errors.push_back(FieldInvalid(path + ".type", type, one_of(types)));
  }
  const std::string& format = TextOf(column, "format");
  if (!format.empty() && std::find(formats.begin(), formats.end(), format) == formats.end()) {
    errors.push_back(FieldInvalid(path + ".format", format, one_of(formats)));
  }
  if (const std::string& at = TextOf(column, "jsonPath"); at.empty()) {
    errors.push_back(FieldRequired(path + ".JSONPath"));
  } else {
    CheckPath(path + ".JSONPath", at, {}, "", errors);
  }
}

/// Null: no such field, or it is inside a list.
const Schema* SchemaAt(const Schema& root, std::string_view path) {
  const Schema* at = &root;
  while (!path.empty()) {
    if (path.front() != '.') return nullptr;
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('.'), path.size());
    const SchemaField* field = at->Find(path.substr(0, end));
    if (field == nullptr) return nullptr;
    at = field->schema;
    path.remove_prefix(end);
  }
  return at;
}

void CheckSelectableFields(const json& fields, const Schema& root, const std::string& path, Errors& errors) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string at = AtIndex(path, i) + ".jsonPath";
    const std::string& field = TextOf(fields[i], "jsonPath");
    if (field.empty()) {
      errors.push_back(FieldRequired(at));
      continue;
    }
    const Schema* schema = SchemaAt(root, field);
    if (schema == nullptr) {
      errors.push_back(FieldInvalid(at, field, "is an invalid path: does not refer to a valid field"));
      continue;
    }
    if (field.starts_with(".metadata.") || field == ".metadata") {
      errors.push_back(FieldInvalid(at, field, "must not point to fields in metadata"));
    }
    const bool scalar = schema->type == SchemaType::kString || schema->type == SchemaType::kBoolean ||
                        schema->type == SchemaType::kInteger || schema->type == SchemaType::kBytes;
    if (!scalar) {
      errors.push_back(FieldInvalid(at, field,
                                    "must point to a field of type string, boolean or integer. Enum string fields and "
                                    "strings with formats are allowed."));
    }
    if (!seen.insert(field).second) errors.push_back(FieldDuplicate(at, field));
  }
  if (seen.size() > kMaxSelectableFields) {
    errors.push_back(FieldTooMany(path, static_cast<std::int64_t>(seen.size()), kMaxSelectableFields));
  }
}

/// The paths that error messages use for parts of a version. For a single version, a real server uses the older,
/// version-independent paths.
struct VersionPaths {
  std::string version;
  std::string schema;
  std::string content;
};

void CheckSchema(const json& version, const VersionPaths& paths, Errors& errors) {
  const json& schema = FieldOf(FieldOf(version, "schema"), "openAPIV3Schema");
  if (!schema.is_object()) {
    errors.push_back(FieldRequired(paths.version + ".schema.openAPIV3Schema"));
    return;
  }
  const std::string at = paths.schema + ".openAPIV3Schema";
  const Result<KindSchemaPtr> read = ReadCustomSchema({}, version);
  if (!read) {
    for (FieldError cause : read.error().details.causes) {
      cause.field = cause.field.empty() ? at : at + "." + cause.field;
      errors.push_back(std::move(cause));
    }
    return;
  }
  CheckSelectableFields(FieldOf(version, "selectableFields"), *(*read)->root, paths.content + ".selectableFields",
                        errors);
}

/// The warning is sent in a header to every client of the version.
void CheckDeprecation(const json& version, const std::string& path, Errors& errors) {
  const json& warning = FieldOf(version, "deprecationWarning");
  if (!warning.is_string()) return;
  const auto& text = warning.get_ref<const std::string&>();
  const auto wrong = [&](const std::string& why) { errors.push_back(FieldInvalid(path, warning, why)); };
  if (FieldOf(version, "deprecated") != true) return wrong("can only be set for deprecated versions");
  if (text.size() > kMaxDeprecationWarning) {
    wrong("must be <= " + std::to_string(kMaxDeprecationWarning) + " characters long");
  }
  if (text.empty()) wrong("must not be an empty string");
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7f;
  });
  if (control != text.end()) {
    wrong("must only contain printable UTF-8 characters; non-printable character found at index " +
          std::to_string(control - text.begin()));
  }
}

void CheckVersion(const json& version, const VersionPaths& paths, Errors& errors) {
  const std::string& name = TextOf(version, "name");
  if (const std::string wrong = WrongDns1035Label(name); !wrong.empty()) {
    errors.push_back(FieldInvalid(paths.version + ".name", name, wrong));
    if (paths.content == "spec") errors.push_back(FieldInvalid("spec.version", name, wrong));
  }
  CheckDeprecation(version, paths.version + ".deprecationWarning", errors);
  CheckSchema(version, paths, errors);
  const json& subresources = FieldOf(version, "subresources");
  if (const json& scale = FieldOf(subresources, "scale"); scale.is_object()) {
    CheckScale(scale, paths.content + ".subresources", errors);
  }
  const json& columns = FieldOf(version, "additionalPrinterColumns");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CheckColumn(columns[i], AtIndex(paths.content + ".additionalPrinterColumns", i), errors);
  }
}

void CheckVersions(const json& versions, Errors& errors) {
  if (versions.size() > kMaxVersions) {
    errors.push_back(FieldTooMany("spec.versions", static_cast<std::int64_t>(versions.size()), kMaxVersions));
    return;
  }
  std::set<std::string> names;
  json shown = json::array();
  std::size_t stored = 0;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string at = AtIndex("spec.versions", i);
    const bool alone = versions.size() == 1;
    CheckVersion(versions[i],
                 {.version = at, .schema = alone ? "spec.validation" : at + ".schema", .content = alone ? "spec" : at},
                 errors);
    names.insert(TextOf(versions[i], "name"));
    shown.push_back(TextOf(versions[i], "name"));
    if (FieldOf(versions[i], "storage") == true) ++stored;
  }
  if (names.size() != versions.size()) {
    errors.push_back(FieldInvalid("spec.versions", shown, "must contain unique version names"));
  }
  if (stored != 1) {
    errors.push_back(FieldInvalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  }
}

void CheckStoredVersions(const json& definition, Errors& errors) {
  const json& stored = FieldOf(FieldOf(definition, "status"), "storedVersions");
  std::set<std::string> known;
  for (const json& version : FieldOf(FieldOf(definition, "spec"), "versions")) known.insert(TextOf(version, "name"));
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!stored[i].is_string() || known.contains(stored[i].get<std::string>())) continue;
    const auto version = stored[i].get<std::string>();
    std::string why = "missing from spec.versions; ";
    why.append(version).append(" was previously a storage version, and must remain in spec.versions until a storage ");
    why.append("migration ensures no data remains persisted in ").append(version).append(" and removes ");
    why.append(version).append(" from status.storedVersions");
    errors.push_back(FieldInvalid(AtIndex("status.storedVersions", i), version, why));
  }
}

void CheckConversion(const json& conversion, Errors& errors) {
  const std::string& strategy = TextOf(conversion, "strategy");
  if (strategy == "Webhook") {
    errors.push_back(FieldForbidden("spec.conversion.strategy",
                                    "conversion by a webhook is not supported by this server, only None is"));
  } else if (strategy.empty()) {
    errors.push_back(FieldRequired("spec.conversion.strategy"));
  } else if (strategy != "None") {
    errors.push_back(FieldNotSupported("spec.conversion.strategy", strategy, {"None", "Webhook"}));
  } else if (FieldOf(conversion, "webhook").is_object()) {
    errors.push_back(
        FieldForbidden("spec.conversion.webhookClientConfig", "should not be set when strategy is not set to Webhook"));
  }
}

bool IsProtected(const std::string& group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

void CheckApproval(const json& definition, const json* old, Errors& errors) {
  if (!IsProtected(TextOf(FieldOf(definition, "spec"), "group"))) return;
  const auto annotation = [](const json& of) {
    return TextOf(FieldOf(FieldOf(of, "metadata"), "annotations"), kApproval);
  };
  const std::string approval = annotation(definition);
  if (old != nullptr && annotation(*old).empty() == approval.empty()) return;
  const std::string path = std::string("metadata.annotations[") + kApproval + "]";
  if (approval.empty()) {
    errors.push_back(FieldRequired(path, std::string("protected groups must have approval annotation \"") + kApproval +
                                             "\", see https://github.com/kubernetes/enhancements/pull/1111"));
  } else if (approval.find("://") == std::string::npos && !approval.starts_with("unapproved")) {
    errors.push_back(FieldInvalid(path, approval,
                                  std::string("protected groups must have approval annotation \"") + kApproval +
                                      "\" with either a URL or a reason starting with \"unapproved\", see "
                                      "https://github.com/kubernetes/enhancements/pull/1111"));
  }
}

void CheckChange(const json& definition, const json& old, Errors& errors) {
  const json& spec = FieldOf(definition, "spec");
  const json& before = FieldOf(old, "spec");
  const auto immutable = [&](const json& now, const json& then, const char* path) {
    if (now != then) errors.push_back(FieldInvalid(path, now, "field is immutable"));
  };
  if (IsConditionTrue(old, "Established")) {
    immutable(FieldOf(spec, "scope"), FieldOf(before, "scope"), "spec.scope");
    immutable(FieldOf(FieldOf(spec, "names"), "kind"), FieldOf(FieldOf(before, "names"), "kind"), "spec.names.kind");
  }
  immutable(FieldOf(spec, "group"), FieldOf(before, "group"), "spec.group");
  immutable(FieldOf(FieldOf(spec, "names"), "plural"), FieldOf(FieldOf(before, "names"), "plural"),
            "spec.names.plural");
}

void AppendDefinitionErrors(const json& definition, const json* old, Errors& errors) {
  for (FieldError& error : CheckDefinition(definition, old)) errors.push_back(std::move(error));
}

constexpr ObjectRules kRules{.complete = CompleteDefinition,
                             .check = AppendDefinitionErrors,
                             .mark_deleted = MarkDefinitionDeleted,
                             .convert_stored = ConvertStoredDefinition};

}  // namespace

ServedKind DefinitionKind() {
  ServedKind kind = CustomResourceDefinitionKind();
  kind.rules = &kRules;
  return kind;
}

void CompleteDefinition(json& definition, const json* old) {
  json& spec = definition["spec"];
  if (!spec.is_object()) return;
  if (json& names = spec["names"]; names.is_object()) {
    const std::string kind = TextOf(names, "kind");
    if (TextOf(names, "singular").empty()) names["singular"] = internal::Lower(kind);
    if (TextOf(names, "listKind").empty() && !kind.empty()) names["listKind"] = kind + "List";
  }
  if (!FieldOf(spec, "conversion").is_object()) spec["conversion"] = {{"strategy", "None"}};
  json& status = definition["status"];
  if (!status.is_object()) status = json::object();
  if (old == nullptr) {
    // Present but empty until the manager sets them.
    status["conditions"] = nullptr;
    status["acceptedNames"] = {{"plural", ""}, {"kind", ""}};
  }
  json& stored = status["storedVersions"];
  if (!stored.is_array()) stored = json::array();
  for (const json& version : FieldOf(spec, "versions")) {
    if (FieldOf(version, "storage") != true) continue;
    const json& name = FieldOf(version, "name");
    if (std::find(stored.begin(), stored.end(), name) == stored.end()) stored.push_back(name);
    break;
  }
}

Errors CheckDefinition(const json& definition, const json* old) {
  Errors errors;
  const json& spec = FieldOf(definition, "spec");
  const json& names = FieldOf(spec, "names");
  const std::string& name = TextOf(FieldOf(definition, "metadata"), "name");
  const std::string& group = TextOf(spec, "group");
  if (old == nullptr && name != TextOf(names, "plural") + "." + group) {
    errors.push_back(FieldInvalid("metadata.name", name, R"(must be spec.names.plural+"."+spec.group)"));
  }
  if (group.empty()) {
    errors.push_back(FieldRequired("spec.group"));
  } else if (const std::string wrong = WrongName(NameRule::kSubdomain, group); !wrong.empty()) {
    errors.push_back(FieldInvalid("spec.group", group, wrong));
  } else if (group.find('.') == std::string::npos) {
    errors.push_back(FieldInvalid("spec.group", group, "should be a domain with at least one dot"));
  }
  const std::string& scope = TextOf(spec, "scope");
  if (scope.empty()) {
    errors.push_back(FieldRequired("spec.scope"));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors.push_back(FieldNotSupported("spec.scope", scope, {"Cluster", "Namespaced"}));
  }
  CheckVersions(FieldOf(spec, "versions"), errors);
  CheckNames(names, errors);
  CheckConversion(FieldOf(spec, "conversion"), errors);
  if (FieldOf(spec, "preserveUnknownFields") == true) {
    errors.push_back(FieldInvalid("spec.preserveUnknownFields", true,
                                  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                                  "spec.versions[*].schema instead"));
  }
  CheckStoredVersions(definition, errors);
  CheckApproval(definition, old, errors);
  if (old != nullptr) CheckChange(definition, *old, errors);
  return errors;
}

void MarkDefinitionDeleted(json& definition, Timestamp now) {
  json& finalizers = definition["metadata"]["finalizers"];
  if (!finalizers.is_array()) finalizers = json::array();
  const json ours(kCleanupFinalizer);
  if (std::find(finalizers.begin(), finalizers.end(), ours) == finalizers.end()) finalizers.push_back(ours);
  json& status = definition["status"];
  if (!status.is_object()) status = json::object();
  SetCondition(status, "Terminating", true, "InstanceDeletionPending",
               "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now);
}

void SetCondition(json& status, std::string_view type, bool is_true, std::string_view reason, std::string_view message,
                  Timestamp now) {
  json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions = json::array();
  json wanted = {{"type", std::string(type)},
                 {"status", is_true ? "True" : "False"},
                 {"reason", std::string(reason)},
                 {"message", std::string(message)},
                 {"lastTransitionTime", FormatTimestamp(now)}};
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const json& condition) { return TextOf(condition, "type") == type; });
  if (found == conditions.end()) {
    conditions.push_back(std::move(wanted));
    return;
  }
  if (TextOf(*found, "status") == TextOf(wanted, "status")) {
    wanted["lastTransitionTime"] = FieldOf(*found, "lastTransitionTime");
  }
  *found = std::move(wanted);
}

bool IsConditionTrue(const json& definition, std::string_view type) {
  const json& conditions = FieldOf(FieldOf(definition, "status"), "conditions");
  return std::any_of(conditions.begin(), conditions.end(), [&](const json& condition) {
    return TextOf(condition, "type") == type && TextOf(condition, "status") == "True";
  });
}

}  // namespace kinformer::apiserver
