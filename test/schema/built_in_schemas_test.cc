#include "src/schema/built_in_schemas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/schema/built_in_definitions.h"
#include "src/schema/prune.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json WithDefaults(const GroupVersionKind& kind, json object) {
  const KindSchemaPtr schema = FindBuiltInSchema(kind);
  if (schema == nullptr) return {};
  ApplyDefaults(*schema->root, object);
  return object;
}

TEST(BuiltInSchemas, EveryDefinitionCanBeReadAndEveryKindIsAnObjectWithMetadata) {
  for (const BuiltInDefinition& definition : AllBuiltInDefinitions()) {
    EXPECT_NE(FindBuiltInDefinition(std::string(definition.name)), nullptr) << definition.name;
  }
  for (const BuiltInKind& kind : AllBuiltInKinds()) {
    const KindSchemaPtr schema =
        FindBuiltInSchema({std::string(kind.group), std::string(kind.version), std::string(kind.kind)});
    ASSERT_NE(schema, nullptr) << kind.kind;
    EXPECT_EQ(schema->root->type, SchemaType::kObject) << kind.kind;
    ASSERT_NE(schema->root->Find("metadata"), nullptr) << kind.kind;
  }
  EXPECT_EQ(FindBuiltInSchema({"example.com", "v1", "Web"}), nullptr);
  EXPECT_EQ(FindBuiltInDefinition("no.such.Definition"), nullptr);
}

TEST(BuiltInSchemas, ManyThreadsMayAskAtOnceAndGetTheSame) {
  std::vector<KindSchemaPtr> found(8);
  std::vector<std::jthread> threads;
  for (KindSchemaPtr& one : found) {
    threads.emplace_back([&one] { one = FindBuiltInSchema({"apps", "v1", "StatefulSet"}); });
  }
  threads.clear();
  for (const KindSchemaPtr& one : found) EXPECT_EQ(one, found.front());
}

TEST(BuiltInSchemas, TheyKnowHowPatchesAndApplyTreatLists) {
  const Schema& spec = *FindBuiltInDefinition("io.k8s.api.core.v1.PodSpec");
  const Schema& containers = *spec.Find("containers")->schema;
  EXPECT_EQ(containers.list_type, ListType::kMap);
  EXPECT_THAT(containers.list_map_keys, ElementsAre("name"));
  EXPECT_TRUE(containers.patch_merge);
  EXPECT_EQ(containers.patch_merge_key, "name");
  EXPECT_TRUE(spec.Find("volumes")->schema->patch_retain_keys);
  const Schema& ports = *containers.items->Find("ports")->schema;
  EXPECT_THAT(ports.list_map_keys, ElementsAre("containerPort", "protocol"));
  EXPECT_EQ(ports.patch_merge_key, "containerPort");
  EXPECT_TRUE(spec.Find("nodeSelector")->schema->atomic);
  EXPECT_EQ(ObjectMetaSchema().Find("finalizers")->schema->list_type, ListType::kSet);
  EXPECT_EQ(ObjectMetaSchema().Find("creationTimestamp")->schema->type, SchemaType::kTime);
}

TEST(BuiltInDefaults, APodIsFilledInLikeAServerDoes) {
  const json pod = WithDefaults({"", "v1", "Pod"}, json::parse(R"({"metadata":{"name":"a"},"spec":{
      "serviceAccountName":"robot",
      "volumes":[{"name":"v"},{"name":"c","configMap":{"name":"x"}},{"name":"h","hostPath":{"path":"/"}}],
      "containers":[{"name":"c","image":"nginx","ports":[{"containerPort":80}],
        "resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}},
        "livenessProbe":{"httpGet":{"port":80},"periodSeconds":0,"timeoutSeconds":5}},
       {"name":"d","image":"host:5000/nginx:1.25","env":[{"name":"E","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]},
       {"name":"e","image":"nginx@sha256:00"}]}})"));
  EXPECT_EQ(pod, json::parse(R"({"metadata":{"name":"a"},"spec":{
      "dnsPolicy":"ClusterFirst","enableServiceLinks":true,"restartPolicy":"Always","schedulerName":"default-scheduler",
      "securityContext":{},"serviceAccount":"robot","serviceAccountName":"robot","terminationGracePeriodSeconds":30,
      "volumes":[{"name":"v","emptyDir":{}},{"name":"c","configMap":{"name":"x","defaultMode":420}},
                 {"name":"h","hostPath":{"path":"/","type":""}}],
      "containers":[{"name":"c","image":"nginx","imagePullPolicy":"Always","ports":[{"containerPort":80,"protocol":"TCP"}],
        "resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m","memory":"1Gi"}},
        "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
        "livenessProbe":{"httpGet":{"port":80,"path":"/","scheme":"HTTP"},"periodSeconds":10,"timeoutSeconds":5,
                         "successThreshold":1,"failureThreshold":3}},
       {"name":"d","image":"host:5000/nginx:1.25","imagePullPolicy":"IfNotPresent","resources":{},
        "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",
        "env":[{"name":"E","valueFrom":{"fieldRef":{"fieldPath":"metadata.name","apiVersion":"v1"}}}]},
       {"name":"e","image":"nginx@sha256:00","imagePullPolicy":"IfNotPresent","resources":{},
        "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}]}})"));
}

TEST(BuiltInDefaults, ADeploymentAndItsTemplateAreFilledInButNotWhatIsOfPodsAlone) {
  const json deployment = WithDefaults({"apps", "v1", "Deployment"}, json::parse(R"({"spec":{
      "selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"c","image":"x:1"}]}}}})"));
  const json& spec = deployment["spec"];
  EXPECT_EQ(spec["replicas"], 1);
  EXPECT_EQ(spec["revisionHistoryLimit"], 10);
  EXPECT_EQ(spec["progressDeadlineSeconds"], 600);
  EXPECT_EQ(spec["strategy"],
            json::parse(R"({"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}})"));
  EXPECT_EQ(spec["template"]["spec"]["restartPolicy"], "Always");
  EXPECT_EQ(spec["template"]["spec"]["containers"][0]["imagePullPolicy"], "IfNotPresent");
  EXPECT_FALSE(spec["template"]["spec"].contains("enableServiceLinks"));
  const json recreate =
      WithDefaults({"apps", "v1", "Deployment"}, json::parse(R"({"spec":{"strategy":{"type":"Recreate"}}})"));
  EXPECT_EQ(recreate["spec"]["strategy"], json::parse(R"({"type":"Recreate"})"));
}

TEST(BuiltInDefaults, TheOtherWorkloadsHaveTheirOwn) {
  EXPECT_EQ(WithDefaults({"apps", "v1", "StatefulSet"}, json::parse(R"({"spec":{"replicas":3}})"))["spec"],
            json::parse(R"({"replicas":3,"podManagementPolicy":"OrderedReady","revisionHistoryLimit":10,
      "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},
      "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}}})"));
  EXPECT_EQ(WithDefaults({"apps", "v1", "DaemonSet"}, json::parse(R"({"spec":{}})"))["spec"],
            json::parse(R"({"revisionHistoryLimit":10,
      "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":0,"maxUnavailable":1}}})"));
  EXPECT_EQ(WithDefaults({"batch", "v1", "Job"}, json::parse(R"({"metadata":{},"spec":{"backoffLimitPerIndex":1,
                "template":{"metadata":{"labels":{"a":"b"}}}}})")),
            json::parse(R"({"metadata":{"labels":{"a":"b"}},"spec":{"backoffLimit":2147483647,"backoffLimitPerIndex":1,
      "completionMode":"NonIndexed","completions":1,"manualSelector":false,"parallelism":1,
      "podReplacementPolicy":"TerminatingOrFailed","suspend":false,"template":{"metadata":{"labels":{"a":"b"}}}}})"));
  EXPECT_EQ(WithDefaults({"batch", "v1", "CronJob"}, json::parse(R"({"spec":{"jobTemplate":{"spec":{}}}})"))["spec"],
            json::parse(R"({"concurrencyPolicy":"Allow","failedJobsHistoryLimit":1,"successfulJobsHistoryLimit":3,
      "suspend":false,"jobTemplate":{"spec":{}}})"));
}

TEST(BuiltInDefaults, AServiceTellsItsPortsAndPolicies) {
  EXPECT_EQ(WithDefaults({"", "v1", "Service"},
                         json::parse(R"({"spec":{"ports":[{"port":80},{"port":81,"targetPort":"web"}]}})"))["spec"],
            json::parse(R"({"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster",
      "ports":[{"port":80,"protocol":"TCP","targetPort":80},{"port":81,"protocol":"TCP","targetPort":"web"}]})"));
  EXPECT_EQ(WithDefaults({"", "v1", "Service"},
                         json::parse(R"({"spec":{"type":"LoadBalancer","sessionAffinity":"ClientIP"}})"))["spec"],
            json::parse(R"({"type":"LoadBalancer","sessionAffinity":"ClientIP","internalTrafficPolicy":"Cluster",
      "externalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true,
      "sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}}})"));
}

TEST(BuiltInDefaults, TheRestHaveThem) {
  EXPECT_EQ(WithDefaults({"", "v1", "Secret"}, json::parse(R"({"type":""})"))["type"], "Opaque");
  EXPECT_EQ(WithDefaults({"", "v1", "PersistentVolumeClaim"}, json::parse(R"({"spec":{}})"))["spec"],
            json::parse(R"({"volumeMode":"Filesystem","resources":{}})"));
  EXPECT_EQ(WithDefaults({"networking.k8s.io", "v1", "NetworkPolicy"},
                         json::parse(R"({"spec":{"egress":[{}]}})"))["spec"]["policyTypes"],
            json::parse(R"(["Ingress","Egress"])"));
  EXPECT_EQ(WithDefaults({"rbac.authorization.k8s.io", "v1", "RoleBinding"},
                         json::parse(R"({"roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"u"},
                {"kind":"ServiceAccount","name":"s"}]})")),
            json::parse(R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},
      "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u"},{"kind":"ServiceAccount","name":"s"}]})"));
  EXPECT_EQ(WithDefaults({"autoscaling", "v2", "HorizontalPodAutoscaler"},
                         json::parse(R"({"spec":{"behavior":{}}})"))["spec"]["minReplicas"],
            1);
  EXPECT_EQ(
      WithDefaults({"discovery.k8s.io", "v1", "EndpointSlice"}, json::parse(R"({"ports":[{"port":1}]})"))["ports"][0],
      json::parse(R"({"name":"","port":1,"protocol":"TCP"})"));
  EXPECT_EQ(WithDefaults({"", "v1", "ReplicationController"},
                         json::parse(R"({"metadata":{},"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}})")),
            json::parse(R"({"metadata":{"labels":{"a":"b"}},"spec":{"replicas":1,"selector":{"a":"b"},
      "template":{"metadata":{"labels":{"a":"b"}}}}})"));
}

TEST(BuiltInDefaults, AnAddressAndTheListThatBeginsWithItFollowFromEachOther) {
  const auto status = [](const char* text) {
    return WithDefaults({"", "v1", "Pod"}, {{"status", json::parse(text)}})["status"];
  };
  EXPECT_EQ(status(R"({"podIP":"10.0.0.1"})"), json::parse(R"({"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}]})"));
  EXPECT_EQ(status(R"({"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]})"),
            json::parse(R"({"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]})"));
  EXPECT_EQ(status(R"({"podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]})"),
            json::parse(R"({"podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.2"}]})"));
  for (const char* as_it_is : {R"({})", R"({"podIPs":[]})", R"({"podIPs":[1]})", R"({"podIPs":{}})"}) {
    EXPECT_EQ(status(as_it_is), json::parse(as_it_is));
  }
  EXPECT_EQ(WithDefaults({"", "v1", "Node"}, json::parse(R"({"spec":{"podCIDR":"10.1.0.0/24"}})"))["spec"],
            json::parse(R"({"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"]})"));
}

TEST(BuiltInDefaults, TheyAreStableAndSurviveValuesOfWrongTypes) {
  for (const BuiltInKind& kind : AllBuiltInKinds()) {
    const GroupVersionKind gvk{std::string(kind.group), std::string(kind.version), std::string(kind.kind)};
    const json once =
        WithDefaults(gvk, json::parse(R"({"spec":{"template":{"spec":{"containers":[{}],"volumes":[{}]}}}})"));
    EXPECT_EQ(WithDefaults(gvk, once), once) << kind.kind;
    for (const char* odd :
         {R"({"spec":[]})", R"({"spec":{"containers":{},"ports":[1],"template":7,"behavior":{"scaleUp":1}}})",
          R"({"spec":{"strategy":{"rollingUpdate":[]},"metrics":1,"policyTypes":2,"volumes":[null]}})"}) {
      WithDefaults(gvk, json::parse(odd));
    }
  }
}

TEST(BuiltInDefaults, WhatTheyAddIsWhatTheSchemaKnows) {
  for (const BuiltInKind& kind : AllBuiltInKinds()) {
    const GroupVersionKind gvk{std::string(kind.group), std::string(kind.version), std::string(kind.kind)};
    json object = WithDefaults(gvk, json::parse(R"({"metadata":{},"spec":{}})"));
    if (FindBuiltInSchema(gvk)->root->Find("spec") == nullptr) continue;
    EXPECT_THAT(Prune(*FindBuiltInSchema(gvk)->root, object), IsEmpty()) << kind.kind;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
