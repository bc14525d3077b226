#ifndef KINFORMER_TEST_API_EXAMPLE_OBJECTS_H_
#define KINFORMER_TEST_API_EXAMPLE_OBJECTS_H_

#include <string_view>

namespace example {

/// A Pod as a server sends it: every kind of field of example::v1::Pod, and some that the struct does not have.
inline constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "web-0", "namespace": "default", "uid": "5a6f0d3c-8a4b-4a8e-9a8f-0d3c8a4b4a8e", "resourceVersion": "17",
    "creationTimestamp": "2026-01-05T10:00:00Z", "deletionTimestamp": null, "generation": 3,
    "labels": {"app": "web", "tier": "back\"end\u00e9"}, "annotations": {"a/b": "1", "note": ""},
    "finalizers": [], "shardHint": {"unknown": [1, 2]},
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u1", "controller": true}],
    "managedFields": [{"manager": "kubelet", "operation": "Update", "fieldsV1": {"f:status": {"k:{\"type\":\"Ready\"}": {}}}}]
  },
  "spec": {
    "containers": [
      {"name": "server", "image": "registry.example.com/server:v1", "args": ["--listen=:80", "--json=\"yes\""],
       "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
       "ports": [{"name": "http", "containerPort": 80, "protocol": "TCP"}],
       "resources": {"limits": {"cpu": "0.5", "memory": "512Mi"}, "requests": {"cpu": 1}},
       "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
       "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8080}, "grpc": {"port": 9}},
       "securityContext": {"capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true}, "stdin": true, "resizePolicy": null},
      {"name": "sidecar", "securityContext": {}, "ports": null}
    ],
    "volumes": [{"name": "cache", "emptyDir": {}}, {"name": "config", "configMap": {"name": "c", "defaultMode": 420}}],
    "tolerations": [{"key": "gone", "operator": "Exists", "tolerationSeconds": 300}],
    "nodeSelector": {}, "terminationGracePeriodSeconds": 30, "nodeName": "node-7", "hostNetwork": false
  },
  "status": {
    "phase": "Running", "startTime": "2026-01-05T10:00:00.25+01:00",
    "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T10:00:13Z"}],
    "containerStatuses": [{"name": "server", "ready": true, "restartCount": 0, "lastState": {}, "state": {"running": {}}}]
  },
  "x-extension": [true, null, {"deep": {"er": 1.50}}]
})";

/// A Widget with a value for every field.
inline constexpr std::string_view kWidget = R"({
  "apiVersion": "example.com/v1", "kind": "Widget",
  "metadata": {"name": "w"},
  "spec": {
    "caBundle": "aGVsbG8=", "data": {"b": "Yg==", "a": "YQ=="}, "deadlines": ["2026-01-05T10:00:00Z", "soon"],
    "enabled": {"x": true, "y": false}, "extra": {"scopes": ["a", "b"], "none": []}, "grid": [[1, 2], [], [3]],
    "linux": "yes", "matrix": {"r": {"c": {"name": "n", "other": 1}}, "e": {}},
    "pods": [{"metadata": {"name": "p"}}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q"}, "spec": {}}],
    "ports": [80, "http"], "ratio": 0.25, "ratios": [1, 2.5, -1e3], "renewTime": "2026-01-05T10:00:00.123456Z",
    "schema": {"type": "object", "default": {"a": [1]}, "enum": [1, "x", null], "maximum": 10,
               "not": {"type": "string", "not": {"enum": []}},
               "properties": {"a": {"type": "string"}, "b": {"properties": {"c": {"allOf": [{"type": "integer"}]}}}}},
    "timeout": "90s"
  }
})";

}  // namespace example

#endif  // KINFORMER_TEST_API_EXAMPLE_OBJECTS_H_
