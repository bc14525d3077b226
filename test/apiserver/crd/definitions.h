#ifndef KINFORMER_TEST_APISERVER_CRD_DEFINITIONS_H_
#define KINFORMER_TEST_APISERVER_CRD_DEFINITIONS_H_

#include <nlohmann/json.hpp>

namespace kinformer {

/// webs.example.com as a user would write it: one version, with status and scale.
inline nlohmann::json WebDefinition() {
  return nlohmann::json::parse(R"({
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "webs.example.com"},
    "spec": {
      "group": "example.com",
      "scope": "Namespaced",
      "names": {"plural": "webs", "kind": "Web", "shortNames": ["wb"], "categories": ["all"]},
      "versions": [{
        "name": "v1",
        "served": true,
        "storage": true,
        "schema": {"openAPIV3Schema": {
          "type": "object",
          "properties": {
            "spec": {
              "type": "object",
              "required": ["image"],
              "properties": {
                "image": {"type": "string", "pattern": "^[a-z:.0-9]+$"},
                "replicas": {"type": "integer", "minimum": 0, "maximum": 10, "default": 1},
                "port": {"x-kubernetes-int-or-string": true},
                "mode": {"type": "string", "enum": ["Fast", "Safe"]},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "template": {"type": "object", "x-kubernetes-embedded-resource": true,
                             "x-kubernetes-preserve-unknown-fields": true}
              }
            },
            "status": {
              "type": "object",
              "properties": {"ready": {"type": "integer"}, "selector": {"type": "string"}, "phase": {"type": "string"}}
            }
          }
        }},
        "subresources": {
          "status": {},
          "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.ready",
                    "labelSelectorPath": ".status.selector"}
        },
        "selectableFields": [{"jsonPath": ".spec.image"}],
        "additionalPrinterColumns": [
          {"name": "Image", "type": "string", "jsonPath": ".spec.image"},
          {"name": "Ready", "type": "integer", "jsonPath": ".status.ready", "priority": 1}
        ]
      }]
    }
  })");
}

/// WebDefinition with a second version, v1beta1: served, not stored.
inline nlohmann::json TwoVersions() {
  nlohmann::json definition = WebDefinition();
  nlohmann::json older = definition["spec"]["versions"][0];
  older["name"] = "v1beta1";
  older["storage"] = false;
  definition["spec"]["versions"].insert(definition["spec"]["versions"].begin(), older);
  return definition;
}

}  // namespace kinformer

#endif  // KINFORMER_TEST_APISERVER_CRD_DEFINITIONS_H_
