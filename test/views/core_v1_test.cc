#include <kinformer/views/core_v1.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/views/test_objects.h"

namespace kinformer::core::v1 {
namespace {

using ::kinformer::testing::ViewOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Shown(std::optional<Timestamp> time) { return time ? FormatMicroTime(*time) : "none"; }

TEST(PodTest, ARunningPodIsReadInFull) {
  const Pod pod = ViewOf<Pod>(R"(
    "spec": {"nodeName": "node-7", "serviceAccountName": "robot", "restartPolicy": "OnFailure",
      "nodeSelector": {"disk": "ssd"}, "priorityClassName": "high", "hostNetwork": true,
      "terminationGracePeriodSeconds": 5, "schedulerName": "mine", "imagePullSecrets": [{"name": "reg"}],
      "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
      "initContainers": [{"name": "prepare", "image": "busybox"}],
      "containers": [{"name": "main", "image": "web:1.2", "command": ["/bin/web"], "args": ["-v", "2"],
        "workingDir": "/srv",
        "ports": [{"name": "http", "containerPort": 8080, "hostPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "C", "valueFrom": {"fieldRef": {}}}],
        "resources": {"requests": {"cpu": "250m"}, "limits": {"memory": "1Gi"}}}]},
    "status": {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
      "hostIP": "192.168.0.7", "qosClass": "Burstable", "startTime": "2024-02-29T12:00:00Z",
      "conditions": [{"type": "Ready", "status": "True"}],
      "initContainerStatuses": [{"name": "prepare", "restartCount": 9}],
      "containerStatuses": [
        {"name": "main", "ready": true, "started": true, "restartCount": 2, "image": "web:1.2", "imageID": "i",
         "containerID": "c", "state": {"running": {"startedAt": "2024-02-29T12:00:05Z"}},
         "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}},
        {"name": "side", "restartCount": 1,
         "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]})");

  EXPECT_EQ(pod.NodeName(), "node-7");
  EXPECT_EQ(pod.ServiceAccountName(), "robot");
  EXPECT_EQ(pod.RestartPolicy(), "OnFailure");
  EXPECT_EQ(pod.Phase(), "Running");
  EXPECT_EQ(pod.PodIP(), "10.0.0.1");
  EXPECT_THAT(pod.PodIPs(), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_EQ(pod.HostIP(), "192.168.0.7");
  EXPECT_EQ(pod.QosClass(), "Burstable");
  EXPECT_EQ(Shown(pod.StartTime()), "2024-02-29T12:00:00.000000Z");
  EXPECT_EQ(pod.RestartCount(), 3);
  EXPECT_TRUE(pod.IsReady());
  EXPECT_FALSE(pod.IsFinished());

  const PodSpec spec = pod.Spec();
  EXPECT_THAT(spec.NodeSelector(), ElementsAre(Pair("disk", "ssd")));
  EXPECT_EQ(spec.PriorityClassName(), "high");
  EXPECT_TRUE(spec.HostNetwork());
  EXPECT_EQ(spec.TerminationGracePeriodSeconds(), 5);
  EXPECT_EQ(spec.SchedulerName(), "mine");
  EXPECT_EQ(spec.NodeName(), "node-7");
  EXPECT_THAT(spec.ImagePullSecrets(), ElementsAre("reg"));
  ASSERT_EQ(spec.Tolerations().size(), 1U);
  EXPECT_EQ(spec.Tolerations()[0].Key(), "k");
  EXPECT_EQ(spec.Tolerations()[0].Operator(), "Exists");
  EXPECT_EQ(spec.Tolerations()[0].TolerationValue(), "");
  EXPECT_EQ(spec.Tolerations()[0].Effect(), "NoExecute");
  EXPECT_EQ(spec.Tolerations()[0].TolerationSeconds(), 300);
  EXPECT_EQ(spec.Containers().size(), 1U);
  EXPECT_EQ(spec.InitContainers().size(), 1U);

  ASSERT_EQ(pod.InitContainers().size(), 1U);
  EXPECT_EQ(pod.InitContainers()[0].Name(), "prepare");
  ASSERT_EQ(pod.Containers().size(), 1U);
  const Container main = pod.Containers()[0];
  EXPECT_EQ(main.Name(), "main");
  EXPECT_EQ(main.Image(), "web:1.2");
  EXPECT_THAT(main.Command(), ElementsAre("/bin/web"));
  EXPECT_THAT(main.Args(), ElementsAre("-v", "2"));
  EXPECT_EQ(main.WorkingDir(), "/srv");
  EXPECT_THAT(main.Requests(), ElementsAre(Pair("cpu", "250m")));
  EXPECT_THAT(main.Limits(), ElementsAre(Pair("memory", "1Gi")));
  ASSERT_EQ(main.Ports().size(), 2U);
  EXPECT_EQ(main.Ports()[0].Name(), "http");
  EXPECT_EQ(main.Ports()[0].ContainerPortNumber(), 8080);
  EXPECT_EQ(main.Ports()[0].HostPort(), 80);
  EXPECT_EQ(main.Ports()[0].Protocol(), "TCP");
  EXPECT_EQ(main.Ports()[1].Protocol(), "UDP");
  ASSERT_EQ(main.Env().size(), 3U);
  EXPECT_EQ(main.Env()[0].Name(), "A");
  EXPECT_EQ(main.Env()[0].Literal(), "1");
  EXPECT_EQ(main.Env()[1].Literal(), "");
  EXPECT_EQ(main.Env()[2].Literal(), std::nullopt);

  EXPECT_EQ(pod.InitContainerStatuses().size(), 1U);
  ASSERT_EQ(pod.ContainerStatuses().size(), 2U);
  const ContainerStatus running = pod.ContainerStatuses()[0];
  EXPECT_EQ(running.Name(), "main");
  EXPECT_TRUE(running.Ready());
  EXPECT_TRUE(running.Started());
  EXPECT_EQ(running.RestartCount(), 2);
  EXPECT_EQ(running.Image(), "web:1.2");
  EXPECT_EQ(running.ImageID(), "i");
  EXPECT_EQ(running.ContainerID(), "c");
  EXPECT_EQ(running.State(), ContainerState::kRunning);
  EXPECT_EQ(running.StateReason(), "");
  EXPECT_EQ(running.StateMessage(), "");
  EXPECT_EQ(Shown(running.StartedAt()), "2024-02-29T12:00:05.000000Z");
  EXPECT_EQ(running.ExitCode(), std::nullopt);
  EXPECT_EQ(running.LastTerminationReason(), "OOMKilled");
  EXPECT_EQ(running.LastExitCode(), 137);
  const ContainerStatus waiting = pod.ContainerStatuses()[1];
  EXPECT_EQ(waiting.State(), ContainerState::kWaiting);
  EXPECT_EQ(waiting.StateReason(), "CrashLoopBackOff");
  EXPECT_EQ(waiting.StateMessage(), "back-off");
  EXPECT_FALSE(waiting.Ready());
}

TEST(PodTest, ABarePodHasTheDefaultsOfTheApi) {
  const Pod pod = ViewOf<Pod>();
  EXPECT_EQ(pod.NodeName(), "");
  EXPECT_EQ(pod.Phase(), "");
  EXPECT_EQ(pod.RestartPolicy(), "Always");
  EXPECT_EQ(pod.Spec().TerminationGracePeriodSeconds(), 30);
  EXPECT_EQ(pod.Spec().SchedulerName(), "default-scheduler");
  EXPECT_THAT(pod.Containers(), IsEmpty());
  EXPECT_EQ(pod.StartTime(), std::nullopt);
  EXPECT_EQ(pod.RestartCount(), 0);
  EXPECT_FALSE(pod.IsReady());
}

TEST(PodTest, AFinishedPodTellsWhy) {
  const Pod pod = ViewOf<Pod>(R"("spec": {"serviceAccount": "old-name"},
    "status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory", "nominatedNodeName": "n",
      "containerStatuses": [{"name": "main", "state": {"terminated": {"reason": "Error", "message": "boom",
        "exitCode": 1, "startedAt": "2024-02-29T12:00:00Z", "finishedAt": "2024-02-29T12:00:01Z"}}}]})");
  EXPECT_TRUE(pod.IsFinished());
  EXPECT_EQ(pod.Reason(), "Evicted");
  EXPECT_EQ(pod.Message(), "low on memory");
  EXPECT_EQ(pod.NominatedNodeName(), "n");
  EXPECT_EQ(pod.ServiceAccountName(), "old-name");
  const ContainerStatus status = pod.ContainerStatuses().at(0);
  EXPECT_EQ(status.State(), ContainerState::kTerminated);
  EXPECT_EQ(status.StateReason(), "Error");
  EXPECT_EQ(status.StateMessage(), "boom");
  EXPECT_EQ(status.ExitCode(), 1);
  EXPECT_EQ(Shown(status.StartedAt()), "2024-02-29T12:00:00.000000Z");
  EXPECT_EQ(Shown(status.FinishedAt()), "2024-02-29T12:00:01.000000Z");
}

TEST(PodTest, FieldsOfAnUnexpectedTypeReadAsAbsent) {
  const Pod pod = ViewOf<Pod>(R"("spec": {"nodeName": 7, "containers": {"name": "x"}, "restartPolicy": null},
    "status": {"containerStatuses": [null, 1, {"restartCount": "many", "state": {"running": null}}],
               "startTime": "yesterday"})");
  EXPECT_EQ(pod.NodeName(), "");
  EXPECT_THAT(pod.Containers(), IsEmpty());
  EXPECT_EQ(pod.RestartPolicy(), "Always");
  ASSERT_EQ(pod.ContainerStatuses().size(), 3U);
  EXPECT_EQ(pod.ContainerStatuses()[0].Name(), "");
  EXPECT_EQ(pod.ContainerStatuses()[2].State(), ContainerState::kWaiting);
  EXPECT_EQ(pod.RestartCount(), 0);
  EXPECT_EQ(pod.StartTime(), std::nullopt);
}

TEST(ContainerTest, TheDefaultPullPolicyFollowsTheTag) {
  const auto policy = [](const std::string& image, const std::string& given = {}) {
    return ViewOf<Pod>(R"("spec": {"containers": [{"image": ")" + image + "\"" + given + "}]}")
        .Containers()
        .at(0)
        .ImagePullPolicy();
  };
  EXPECT_EQ(policy("web"), "Always");
  EXPECT_EQ(policy("web:latest"), "Always");
  EXPECT_EQ(policy("registry:5000/web"), "Always");
  EXPECT_EQ(policy("web:1.2"), "IfNotPresent");
  EXPECT_EQ(policy("registry:5000/web:1.2"), "IfNotPresent");
  EXPECT_EQ(policy("web@sha256:abc"), "IfNotPresent");
  EXPECT_EQ(policy("web", R"(, "imagePullPolicy": "Never")"), "Never");
}

TEST(NodeTest, ANodeIsReadInFull) {
  const Node node = ViewOf<Node>(R"(
    "spec": {"unschedulable": true, "providerID": "cloud://7", "podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"],
      "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule", "timeAdded": "2024-02-29T12:00:00Z"}]},
    "status": {"capacity": {"cpu": "8", "memory": "32Gi"}, "allocatable": {"cpu": "7500m"},
      "addresses": [{"type": "Hostname", "address": "node-7"}, {"type": "InternalIP", "address": "192.168.0.7"}],
      "nodeInfo": {"kubeletVersion": "v1.30.0", "osImage": "Debian", "architecture": "arm64"},
      "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "Unknown"}]})");
  EXPECT_TRUE(node.Unschedulable());
  EXPECT_EQ(node.ProviderID(), "cloud://7");
  EXPECT_EQ(node.PodCIDR(), "10.1.0.0/24");
  EXPECT_THAT(node.PodCIDRs(), ElementsAre("10.1.0.0/24"));
  ASSERT_EQ(node.Taints().size(), 1U);
  EXPECT_EQ(node.Taints()[0].Key(), "gpu");
  EXPECT_EQ(node.Taints()[0].TaintValue(), "yes");
  EXPECT_EQ(node.Taints()[0].Effect(), "NoSchedule");
  EXPECT_EQ(Shown(node.Taints()[0].TimeAdded()), "2024-02-29T12:00:00.000000Z");
  EXPECT_THAT(node.Capacity(), ElementsAre(Pair("cpu", "8"), Pair("memory", "32Gi")));
  EXPECT_THAT(node.Allocatable(), ElementsAre(Pair("cpu", "7500m")));
  ASSERT_EQ(node.Addresses().size(), 2U);
  EXPECT_EQ(node.Addresses()[0].Type(), "Hostname");
  EXPECT_EQ(node.Addresses()[0].Address(), "node-7");
  EXPECT_EQ(node.InternalIP(), "192.168.0.7");
  EXPECT_EQ(node.KubeletVersion(), "v1.30.0");
  EXPECT_EQ(node.OsImage(), "Debian");
  EXPECT_EQ(node.Architecture(), "arm64");
  EXPECT_FALSE(node.IsReady());
}

TEST(NodeTest, ABareNodeCanBeScheduledToAndIsNotReady) {
  const Node node = ViewOf<Node>();
  EXPECT_FALSE(node.Unschedulable());
  EXPECT_FALSE(node.IsReady());
  EXPECT_EQ(node.InternalIP(), "");
  EXPECT_TRUE(ViewOf<Node>(R"("status": {"conditions": [{"type": "Ready", "status": "True"}]})").IsReady());
}

TEST(ServiceTest, AServiceIsReadInFull) {
  const Service service = ViewOf<Service>(R"(
    "spec": {"type": "LoadBalancer", "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "externalIPs": ["1.2.3.4"],
      "sessionAffinity": "ClientIP", "selector": {"app": "web"}, "externalName": "example.com",
      "ports": [{"name": "http", "port": 80, "targetPort": "web", "nodePort": 30080, "appProtocol": "h2c"},
                {"port": 53, "targetPort": 5353, "protocol": "UDP"}, {"port": 443}]},
    "status": {"loadBalancer": {"ingress": [{"ip": "5.6.7.8"}, {"hostname": "lb.example.com"}]}})");
  EXPECT_EQ(service.Type(), "LoadBalancer");
  EXPECT_EQ(service.ClusterIP(), "10.96.0.1");
  EXPECT_THAT(service.ClusterIPs(), ElementsAre("10.96.0.1"));
  EXPECT_THAT(service.ExternalIPs(), ElementsAre("1.2.3.4"));
  EXPECT_EQ(service.ExternalName(), "example.com");
  EXPECT_EQ(service.SessionAffinity(), "ClientIP");
  EXPECT_THAT(service.Selector(), ElementsAre(Pair("app", "web")));
  ASSERT_EQ(service.Ports().size(), 3U);
  EXPECT_EQ(service.Ports()[0].Name(), "http");
  EXPECT_EQ(service.Ports()[0].Port(), 80);
  EXPECT_EQ(service.Ports()[0].TargetPort(), "web");
  EXPECT_EQ(service.Ports()[0].NodePort(), 30080);
  EXPECT_EQ(service.Ports()[0].Protocol(), "TCP");
  EXPECT_EQ(service.Ports()[0].AppProtocol(), "h2c");
  EXPECT_EQ(service.Ports()[1].TargetPort(), "5353");
  EXPECT_EQ(service.Ports()[1].Protocol(), "UDP");
  EXPECT_EQ(service.Ports()[2].TargetPort(), "443");
  EXPECT_EQ(service.Ports()[2].NodePort(), std::nullopt);
  ASSERT_EQ(service.Ingress().size(), 2U);
  EXPECT_EQ(service.Ingress()[0].IP(), "5.6.7.8");
  EXPECT_EQ(service.Ingress()[1].Hostname(), "lb.example.com");
  EXPECT_FALSE(service.IsHeadless());
}

TEST(ServiceTest, ABareServiceHasTheDefaultsOfTheApi) {
  EXPECT_EQ(ViewOf<Service>().Type(), "ClusterIP");
  EXPECT_EQ(ViewOf<Service>().SessionAffinity(), "None");
  EXPECT_TRUE(ViewOf<Service>(R"("spec": {"clusterIP": "None"})").IsHeadless());
}

TEST(ConfigMapTest, DataIsTextAndBinaryDataIsDecoded) {
  const ConfigMap map = ViewOf<ConfigMap>(R"("immutable": true,
    "data": {"b": "two", "a.conf": "line\n"}, "binaryData": {"raw": "AP8=", "broken": "!"})");
  EXPECT_THAT(map.Data(), ElementsAre(Pair("a.conf", "line\n"), Pair("b", "two")));
  EXPECT_EQ(map.Data("a.conf"), "line\n");
  EXPECT_EQ(map.Data("c"), std::nullopt);
  EXPECT_EQ(map.Data("a/b"), std::nullopt);
  EXPECT_THAT(map.BinaryData(), ElementsAre(Pair("raw", std::string("\x00\xff", 2))));
  EXPECT_EQ(map.BinaryData("raw"), std::string("\x00\xff", 2));
  EXPECT_EQ(map.BinaryData("broken"), std::nullopt);
  EXPECT_TRUE(map.Immutable());
  EXPECT_THAT(ViewOf<ConfigMap>().Data(), IsEmpty());
  EXPECT_EQ(ViewOf<ConfigMap>().Data("a"), std::nullopt);
}

TEST(SecretTest, DataIsDecodedByKey) {
  const Secret secret = ViewOf<Secret>(R"("type": "kubernetes.io/tls", "immutable": true,
    "data": {"tls.crt": "aGVsbG8=", "tls.key": "", "odd~name": "YQ==", "broken": "a"})");
  EXPECT_EQ(secret.Type(), "kubernetes.io/tls");
  EXPECT_THAT(secret.Keys(), ElementsAre("tls.crt", "tls.key", "odd~name", "broken"));
  EXPECT_EQ(secret.Data("tls.crt"), "hello");
  EXPECT_EQ(secret.Data("tls.key"), "");
  EXPECT_EQ(secret.Data("odd~name"), "a");
  EXPECT_EQ(secret.Data("broken"), std::nullopt);
  EXPECT_EQ(secret.Data("absent"), std::nullopt);
  EXPECT_EQ(secret.Data().size(), 3U);
  EXPECT_TRUE(secret.Immutable());
  EXPECT_EQ(ViewOf<Secret>().Type(), "Opaque");
}

TEST(SecretTest, AnErrorAboutASecretNamesItAndDoesNotShowIt) {
  auto pod = Pod::From(ViewOf<Secret>(R"("data": {"password": "aHVudGVyMg=="})").object());
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().message, "object x is a v1 Secret, expected a v1 Pod");
}

TEST(NamespaceTest, ANamespaceHasAPhase) {
  EXPECT_EQ(ViewOf<Namespace>(R"("status": {"phase": "Terminating"})").Phase(), "Terminating");
  EXPECT_EQ(ViewOf<Namespace>().Phase(), "");
}

TEST(ServiceAccountTest, SecretsAreNamed) {
  const ServiceAccount account = ViewOf<ServiceAccount>(
      R"("secrets": [{"name": "a"}, {}, {"name": "b"}], "imagePullSecrets": [{"name": "c"}],
         "automountServiceAccountToken": false)");
  EXPECT_THAT(account.Secrets(), ElementsAre("a", "b"));
  EXPECT_THAT(account.ImagePullSecrets(), ElementsAre("c"));
  EXPECT_EQ(account.AutomountServiceAccountToken(), false);
  EXPECT_EQ(ViewOf<ServiceAccount>().AutomountServiceAccountToken(), std::nullopt);
}

TEST(EventTest, AnEventOfTheOldFormIsRead) {
  const Event event = ViewOf<Event>(R"("reason": "BackOff", "message": "restarting", "type": "Warning", "count": 5,
    "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "web-0", "uid": "u",
                       "resourceVersion": "9", "fieldPath": "spec.containers{main}"},
    "source": {"component": "kubelet", "host": "node-7"}, "reportingComponent": "", "eventTime": null,
    "firstTimestamp": "2024-02-29T12:00:00Z", "lastTimestamp": "2024-02-29T13:00:00Z")");
  EXPECT_EQ(event.Reason(), "BackOff");
  EXPECT_EQ(event.Message(), "restarting");
  EXPECT_EQ(event.Type(), "Warning");
  EXPECT_EQ(event.Count(), 5);
  EXPECT_EQ(event.Component(), "kubelet");
  EXPECT_EQ(event.Host(), "node-7");
  EXPECT_EQ(Shown(event.FirstTimestamp()), "2024-02-29T12:00:00.000000Z");
  EXPECT_EQ(Shown(event.LastTimestamp()), "2024-02-29T13:00:00.000000Z");
  EXPECT_EQ(event.EventTime(), std::nullopt);
  EXPECT_EQ(event.LastSeen(), event.LastTimestamp());
  const ObjectReference about = event.InvolvedObject();
  EXPECT_EQ(about.ApiVersion(), "v1");
  EXPECT_EQ(about.Kind(), "Pod");
  EXPECT_EQ(about.Key(), (NamespacedName{"default", "web-0"}));
  EXPECT_EQ(about.Uid(), "u");
  EXPECT_EQ(about.ResourceVersion(), "9");
  EXPECT_EQ(about.FieldPath(), "spec.containers{main}");
}

TEST(EventTest, AnEventOfTheNewFormIsRead) {
  const Event event = ViewOf<Event>(R"("reportingComponent": "my-controller", "action": "Scale",
    "eventTime": "2024-02-29T12:00:00.123456Z", "firstTimestamp": null, "lastTimestamp": null,
    "series": {"count": 7, "lastObservedTime": "2024-02-29T14:00:00.000001Z"})");
  EXPECT_EQ(event.Component(), "my-controller");
  EXPECT_EQ(event.Action(), "Scale");
  EXPECT_EQ(event.Count(), 7);
  EXPECT_EQ(Shown(event.EventTime()), "2024-02-29T12:00:00.123456Z");
  EXPECT_EQ(Shown(event.LastSeen()), "2024-02-29T14:00:00.000001Z");
  const Event single = ViewOf<Event>(R"("eventTime": "2024-02-29T12:00:00.5Z")");
  EXPECT_EQ(single.Count(), 1);
  EXPECT_EQ(single.LastSeen(), single.EventTime());
}

TEST(PersistentVolumeClaimTest, AClaimIsReadInFull) {
  const PersistentVolumeClaim claim = ViewOf<PersistentVolumeClaim>(R"(
    "spec": {"storageClassName": "fast", "volumeName": "pv-1", "volumeMode": "Block", "accessModes": ["ReadWriteOnce"],
             "resources": {"requests": {"storage": "10Gi"}}},
    "status": {"phase": "Bound", "capacity": {"storage": "16Gi"}})");
  EXPECT_EQ(claim.StorageClassName(), "fast");
  EXPECT_EQ(claim.VolumeName(), "pv-1");
  EXPECT_EQ(claim.VolumeMode(), "Block");
  EXPECT_THAT(claim.AccessModes(), ElementsAre("ReadWriteOnce"));
  EXPECT_EQ(claim.RequestedStorage(), "10Gi");
  EXPECT_EQ(claim.Phase(), "Bound");
  EXPECT_THAT(claim.Capacity(), ElementsAre(Pair("storage", "16Gi")));
}

TEST(PersistentVolumeClaimTest, NoStorageClassDiffersFromTheEmptyOne) {
  EXPECT_EQ(ViewOf<PersistentVolumeClaim>().StorageClassName(), std::nullopt);
  EXPECT_EQ(ViewOf<PersistentVolumeClaim>(R"("spec": {"storageClassName": ""})").StorageClassName(), "");
  EXPECT_EQ(ViewOf<PersistentVolumeClaim>().VolumeMode(), "Filesystem");
  EXPECT_EQ(ViewOf<PersistentVolumeClaim>().RequestedStorage(), std::nullopt);
}

}  // namespace
}  // namespace kinformer::core::v1
