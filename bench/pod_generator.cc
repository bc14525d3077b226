#include "bench/pod_generator.h"

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace kinformer::bench {
namespace {

/// Digits that look random but are derived from the seed.
std::string Hex(std::uint64_t seed, std::size_t digits) {
  std::string out;
  std::uint64_t x = seed * 0x9E3779B97F4A7C15U + 0xD1B54A32D192ED03U;
  while (out.size() < digits) {
    x ^= x >> 30U;
    x *= 0xBF58476D1CE4E5B9U;
    x ^= x >> 27U;
    char block[17];
    std::snprintf(block, sizeof(block), "%016llx", static_cast<unsigned long long>(x));
    out += block;
  }
  out.resize(digits);
  return out;
}

std::string Uid(std::uint64_t seed) {
  const std::string hex = Hex(seed, 32);
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

std::string Env(std::size_t number, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    if (i != 0) out += ',';
    switch (i % 3) {
      case 0:
        out += R"({"name":"SERVICE_ENDPOINT_)" + n + R"(","value":"https://backend-)" + std::to_string(number % 97) +
               R"(.payments.svc.cluster.local:8443/api/v1"})";
        break;
      case 1:
        out += R"({"name":"CREDENTIAL_)" + n +
               R"(","valueFrom":{"secretKeyRef":{"name":"payments-credentials","key":"key-)" + n + R"("}}})";
        break;
      default:
        out += R"({"name":"POD_FIELD_)" + n +
               R"(","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}})";
    }
  }
  return out;
}

std::string Container(std::string_view name, std::size_t number, std::size_t env, bool probes) {
  std::string out =
      R"({"name":")" + std::string(name) + R"(","image":"registry.example.com/payments/)" + std::string(name) +
      ":v1.27." + std::to_string(number % 40) +
      R"(","args":["--listen=0.0.0.0:8443","--log-level=info","--log-format=\"json\""],)"
      R"("ports":[{"name":"https","containerPort":8443,"protocol":"TCP"},{"name":"metrics","containerPort":9090,"protocol":"TCP"}],)"
      R"("env":[)" +
      Env(number, env) +
      R"(],"resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},)"
      R"("volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/payments"},{"name":"cache","mountPath":"/var/cache/payments"},)"
      R"({"name":"kube-api-access-)" +
      Hex(number, 5) + R"(","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)";
  if (probes) {
    out +=
        R"("livenessProbe":{"httpGet":{"path":"/healthz","port":"https","scheme":"HTTPS"},"initialDelaySeconds":10,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},)"
        R"("readinessProbe":{"httpGet":{"path":"/readyz","port":"https","scheme":"HTTPS"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},)";
  }
  return out +
         R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent",)"
         R"("securityContext":{"capabilities":{"drop":["ALL"]},"runAsNonRoot":true,"allowPrivilegeEscalation":false}})";
}

std::string ContainerStatus(std::string_view name, std::size_t number) {
  return R"({"name":")" + std::string(name) +
         R"(","state":{"running":{"startedAt":"2026-01-05T10:00:12Z"}},"lastState":{},"ready":true,"restartCount":)" +
         std::to_string(number % 3) + R"(,"image":"registry.example.com/payments/)" + std::string(name) + ":v1.27." +
         std::to_string(number % 40) + R"(","imageID":"registry.example.com/payments/)" + std::string(name) +
         "@sha256:" + Hex(number % 40, 64) + R"(","containerID":"containerd://)" + Hex(number, 64) +
         R"(","started":true})";
}

std::string Condition(std::string_view type) {
  return R"({"type":")" + std::string(type) +
         R"(","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-05T10:00:13Z"})";
}

constexpr std::string_view kManagedFields =
    R"("managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-01-05T10:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:tier":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"5a6f0d3c-8a4b-4a8e-9a8f-0d3c8a4b4a8e\"}":{}}},"f:spec":{"f:affinity":{},"f:containers":{"k:{\"name\":\"server\"}":{".":{},"f:args":{},"f:env":{".":{},"k:{\"name\":\"SERVICE_ENDPOINT_0\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8443,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{},"f:requests":{}}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:volumes":{".":{},"k:{\"name\":\"config\"}":{".":{},"f:configMap":{".":{},"f:defaultMode":{},"f:name":{}},"f:name":{}}}}}},{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2026-01-05T10:00:13Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}},"subresource":"status"}])";

}  // namespace

std::string PodJson(std::size_t number) {
  const std::string n = std::to_string(number);
  const std::string replica_set = "payments-server-" + Hex(number / 10, 10);
  const std::string name = replica_set + "-" + Hex(number, 5);
  const std::string node = "node-" + std::to_string(number % 250) + ".eu-west-1.compute.internal";
  const std::string address = "10." + std::to_string(number / 62500 % 250) + "." + std::to_string(number / 250 % 250) +
                              "." + std::to_string(number % 250 + 1);
  return R"({"metadata":{"name":")" + name + R"(","generateName":")" + replica_set + R"(-","namespace":"team-)" +
         std::to_string(number % 50) + R"(","uid":")" + Uid(number) + R"(","resourceVersion":")" +
         std::to_string(100000 + number) +
         R"(","creationTimestamp":"2026-01-05T10:00:00Z","labels":{"app":"payments","pod-template-hash":")" +
         Hex(number / 10, 10) + R"(","tier":"backend","version":"v1.27"},"annotations":{"checksum/config":")" +
         Hex(number / 10, 64) +
         R"(","prometheus.io/port":"9090","prometheus.io/scrape":"true"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" +
         replica_set + R"(","uid":")" + Uid(number / 10 + 1) + R"(","controller":true,"blockOwnerDeletion":true}],)" +
         std::string(kManagedFields) +
         R"(},"spec":{"volumes":[{"name":"config","configMap":{"name":"payments-config","defaultMode":420}},{"name":"cache","emptyDir":{"sizeLimit":"1Gi"}},{"name":"kube-api-access-)" +
         Hex(number, 5) +
         R"(","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],)"
         R"("containers":[)" +
         Container("server", number, 6, true) + "," + Container("proxy", number, 2, false) +
         R"(],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"payments","serviceAccount":"payments","nodeName":")" +
         node +
         R"(","securityContext":{"runAsUser":65532,"fsGroup":65532},"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"labelSelector":{"matchLabels":{"app":"payments"}},"topologyKey":"kubernetes.io/hostname"}}]}},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},)"
         R"("status":{"phase":"Running","conditions":[)" +
         Condition("Initialized") + "," + Condition("Ready") + "," + Condition("ContainersReady") + "," +
         Condition("PodScheduled") + R"(],"hostIP":"192.168.)" + std::to_string(number % 250) + R"(.10","podIP":")" +
         address + R"(","podIPs":[{"ip":")" + address +
         R"("}],"startTime":"2026-01-05T10:00:00Z","containerStatuses":[)" + ContainerStatus("proxy", number) + "," +
         ContainerStatus("server", number + 1) + R"(],"qosClass":"Burstable"}})";
}

std::string PodListHead() {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9876543"},"items":[)";
}

std::string PodListTail() { return "]}\n"; }

}  // namespace kinformer::bench
