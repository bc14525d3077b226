// What users write. compiles_quietly compiles it with the strictest warnings; it is in no program.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/api/json.h>

#include "test/api/example_types.h"

namespace ki = kinformer;
namespace v1 = example::v1;

namespace user {

std::string Build(std::string_view name, const std::string& image, const std::vector<std::string>& args,
                  const std::map<std::string, std::string>& labels) {
  v1::Deployment web{
      .metadata = {.name = name, .labels = labels},
      .spec = {{.replicas = static_cast<std::int64_t>(args.size()),
                .selector = {{.matchLabels = {{"app", name}}}},
                .strategy = {{.rollingUpdate = {{.maxSurge = "25%", .maxUnavailable = 1}}}},
                .template_ = {{.metadata = {{.labels = {{"app", "web"}}}},
                               .spec = v1::PodSpec{.containers = {{.name = "web",
                                                                   .args = args,
                                                                   .image = image,
                                                                   .ports = {{.containerPort = 80}},
                                                                   .resources = {{.limits = {{"cpu", "500m"}}}}},
                                                                  {.name = "sidecar", .command = {"sh", "-c"}}},
                                                   .volumes = {{.name = "tmp", .emptyDir = ki::kEmpty}}}}}}},
  };
  web.spec->template_->spec->containers[0].image = image;
  web.metadata.labels.Set("tier", "backend");
  return ki::api::ToJson(web);
}

std::string Patch() { return ki::api::ToJson(v1::Deployment{.spec = {{.paused = ki::kNull, .replicas = 5}}}); }

bool Read(std::string_view json) {
  const auto pod = ki::api::Decode<v1::Pod>(json);
  if (!pod) return false;
  for (const v1::Container& container : pod->spec->containers) {
    if (container.securityContext->privileged.value_or(false)) return true;
    for (const auto& [resource, limit] : container.resources->limits) {
      if (resource == "cpu" && limit > ki::api::Quantity("2")) return true;
    }
  }
  return pod->metadata.labels["app"] == "web" && pod->spec->nodeName == "node-7" && *pod == v1::Pod();
}

}  // namespace user
