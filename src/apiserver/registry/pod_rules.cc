#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "src/apiserver/registry/kind_rules.h"
#include "src/apiserver/registry/name_rules.h"
#include "src/codec/json_fields.h"

namespace kinformer::apiserver {
namespace {

using internal::AtIndex;
using internal::FieldOf;
using internal::IntegerOf;
using internal::IsBlank;
using internal::TextOf;
using nlohmann::json;
using Errors = std::vector<FieldError>;

void CheckOneOf(const json& object, const char* name, const std::string& path, const std::vector<std::string>& those,
                Errors& errors) {
  const std::string& value = TextOf(object, name);
  if (value.empty() || std::find(those.begin(), those.end(), value) != those.end()) return;
  errors.push_back(FieldNotSupported(path + "." + name, value, those));
}

void CheckPort(const json& object, const char* name, const std::string& path, Errors& errors) {
  const std::int64_t port = IntegerOf(object, name).value_or(0);
  if (port < 1 || port > 65535) {
    errors.push_back(FieldInvalid(path + "." + name, port, "must be between 1 and 65535, inclusive"));
  }
}

/// `name` is required, a DNS label, and not yet in `seen`.
void CheckUniqueLabel(const json& object, const std::string& path, std::set<std::string>& seen, Errors& errors) {
  const std::string& name = TextOf(object, "name");
  const std::string field = path + ".name";
  if (name.empty()) return errors.push_back(FieldRequired(field));
  if (const std::string wrong = WrongDnsLabel(name); !wrong.empty()) errors.push_back(FieldInvalid(field, name, wrong));
  if (!seen.insert(name).second) errors.push_back(FieldDuplicate(field, name));
}

void CheckPorts(const json& ports, const std::string& path, Errors& errors) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string at = AtIndex(path, i);
    if (const std::string& name = TextOf(ports[i], "name"); !name.empty()) {
      if (name.size() > 15) {
        errors.push_back(FieldInvalid(at + ".name", name, "must be no more than 15 characters"));
      } else if (!WrongDnsLabel(name).empty()) {
        errors.push_back(
            FieldInvalid(at + ".name", name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
      } else if (std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
        errors.push_back(FieldInvalid(at + ".name", name, "must contain at least one letter (a-z)"));
      }
      if (!names.insert(name).second) errors.push_back(FieldDuplicate(at + ".name", name));
    }
    if (IntegerOf(ports[i], "containerPort").value_or(0) == 0) {
      errors.push_back(FieldRequired(at + ".containerPort"));
    } else {
      CheckPort(ports[i], "containerPort", at, errors);
    }
    if (IntegerOf(ports[i], "hostPort").value_or(0) != 0) CheckPort(ports[i], "hostPort", at, errors);
    CheckOneOf(ports[i], "protocol", at, {"SCTP", "TCP", "UDP"}, errors);
  }
}

void CheckMounts(const json& mounts, const std::string& path, const std::set<std::string>& volumes, Errors& errors) {
  std::set<std::string> places;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string at = AtIndex(path, i);
    const std::string& name = TextOf(mounts[i], "name");
    if (name.empty()) {
      errors.push_back(FieldRequired(at + ".name"));
    } else if (!volumes.contains(name)) {
      errors.push_back(
          {.reason = "FieldValueNotFound", .message = "Not found: " + ShownValue(name), .field = at + ".name"});
    }
    const std::string& place = TextOf(mounts[i], "mountPath");
    if (place.empty()) {
      errors.push_back(FieldRequired(at + ".mountPath"));
    } else if (!places.insert(place).second) {
      errors.push_back(FieldInvalid(at + ".mountPath", place, "must be unique"));
    }
  }
}

void CheckProbe(const json& container, const char* name, const std::string& path, Errors& errors) {
  const json& probe = FieldOf(container, name);
  if (!probe.is_object()) return;
  const std::string at = path + "." + name;
  std::size_t handlers = 0;
  for (const char* handler : {"exec", "httpGet", "tcpSocket", "grpc"}) handlers += probe.contains(handler) ? 1 : 0;
  if (handlers == 0) errors.push_back(FieldRequired(at, "must specify a handler type"));
  if (handlers > 1) errors.push_back(FieldForbidden(at, "may not specify more than 1 handler type"));
  for (const char* number :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    const std::int64_t value = IntegerOf(probe, number).value_or(0);
    if (value < 0) errors.push_back(FieldInvalid(at + "." + number, value, "must be greater than or equal to 0"));
  }
}

void CheckContainer(const json& container, const std::string& path, const std::set<std::string>& volumes,
                    Errors& errors) {
  const std::string& image = TextOf(container, "image");
  if (image.empty()) {
    errors.push_back(FieldRequired(path + ".image"));
  } else if (std::isspace(static_cast<unsigned char>(image.front())) != 0 ||
             std::isspace(static_cast<unsigned char>(image.back())) != 0) {
    errors.push_back(FieldInvalid(path + ".image", image, "must not have leading or trailing whitespace"));
  }
  CheckOneOf(container, "terminationMessagePolicy", path, {"FallbackToLogsOnError", "File"}, errors);
  CheckPorts(FieldOf(container, "ports"), path + ".ports", errors);
  const json& environment = FieldOf(container, "env");
  for (std::size_t i = 0; i < environment.size(); ++i) {
    const std::string at = AtIndex(path + ".env", i);
    if (TextOf(environment[i], "name").empty()) errors.push_back(FieldRequired(at + ".name"));
    if (!TextOf(environment[i], "value").empty() && !FieldOf(environment[i], "valueFrom").is_null()) {
      errors.push_back(FieldInvalid(at + ".valueFrom", "", "may not be specified when `value` is not empty"));
    }
  }
  CheckMounts(FieldOf(container, "volumeMounts"), path + ".volumeMounts", volumes, errors);
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"})
    CheckProbe(container, probe, path, errors);
  CheckOneOf(container, "imagePullPolicy", path, {"Always", "IfNotPresent", "Never"}, errors);
}

}  // namespace

std::string QosClass(const json& pod) {
  bool any = false;
  bool all_equal = true;
  const json& spec = pod.contains("spec") ? pod.at("spec") : json::object();
  if (!spec.is_object() || !spec.contains("containers") || !spec.at("containers").is_array()) return "BestEffort";
  for (const json& container : spec.at("containers")) {
    const json resources = container.is_object() ? container.value("resources", json::object()) : json::object();
    const json limits = resources.is_object() ? resources.value("limits", json::object()) : json::object();
    const json requests = resources.is_object() ? resources.value("requests", limits) : json::object();
    any = any || !limits.empty() || !requests.empty();
    for (const char* resource : {"cpu", "memory"}) {
      all_equal = all_equal && limits.contains(resource) &&
                  (!requests.contains(resource) || requests.at(resource) == limits.at(resource));
    }
  }
  if (!any) return "BestEffort";
  return all_equal ? "Guaranteed" : "Burstable";
}

void CheckPodSpec(const json& spec, const std::string& path, const std::vector<std::string>& restart_policies,
                  Errors& errors) {
  std::set<std::string> volumes;
  const json& declared = FieldOf(spec, "volumes");
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const std::string at = AtIndex(path + ".volumes", i);
    CheckUniqueLabel(declared[i], at, volumes, errors);
    if (declared[i].is_object() && declared[i].size() > 2) {
      errors.push_back(FieldForbidden(at, "may not specify more than 1 volume type"));
    }
  }
  const json& containers = FieldOf(spec, "containers");
  if (IsBlank(containers)) errors.push_back(FieldRequired(path + ".containers"));
  std::set<std::string> names;
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    const json& all = FieldOf(spec, list);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string at = AtIndex(path + "." + list, i);
      CheckUniqueLabel(all[i], at, names, errors);
      CheckContainer(all[i], at, volumes, errors);
    }
  }
  CheckOneOf(spec, "restartPolicy", path,
             restart_policies.empty() ? std::vector<std::string>{"Always", "OnFailure", "Never"} : restart_policies,
             errors);
  CheckOneOf(spec, "dnsPolicy", path, {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"}, errors);
  if (const auto grace = IntegerOf(spec, "activeDeadlineSeconds"); grace && *grace < 1) {
    errors.push_back(
        FieldInvalid(path + ".activeDeadlineSeconds", *grace, "must be between 1 and 2147483647, inclusive"));
  }
  if (const std::string& node = TextOf(spec, "nodeName"); !node.empty()) {
    if (const std::string wrong = WrongName(NameRule::kSubdomain, node); !wrong.empty()) {
      errors.push_back(FieldInvalid(path + ".nodeName", node, wrong));
    }
  }
  const json& selector = FieldOf(spec, "nodeSelector");
  if (selector.is_object()) {
    for (const auto& [key, value] : selector.items()) {
      if (const std::string wrong = WrongQualifiedName(key); !wrong.empty()) {
        errors.push_back(FieldInvalid(path + ".nodeSelector", key, wrong));
      }
    }
  }
}

}  // namespace kinformer::apiserver
