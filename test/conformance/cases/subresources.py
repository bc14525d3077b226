"""status, scale, finalize, and the subresources that require nodes."""

from harness.case import configmap, delete, deployment, get, namespace, patch, pod, post, put, unseen

NS = "/api/v1/namespaces/subresources"
APPS = "/apis/apps/v1/namespaces/subresources"
D = APPS + "/deployments/d"
P = NS + "/pods/p"


def scale(replicas, **metadata):
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d", "namespace": "subresources", **metadata}, "spec": {"replicas": replicas}}


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("subresources"))),
    unseen(post("make d", APPS + "/deployments", deployment("d", {"replicas": 2}), keep="d")),
    unseen(post("make p", NS + "/pods", pod("p"), keep="p")),
    get("the status of a deployment", D + "/status"),
    put("the status of a deployment is updated", D + "/status", {**deployment("d", {"replicas": 9}, labels={"l": "ignored"}), "status": {"replicas": 2, "observedGeneration": 1}}),
    patch("the status of a deployment is merged", "merge", D + "/status", {"status": {"readyReplicas": 1}}),
    patch("the status of a deployment is patched by its keys", "strategic", D + "/status", {"status": {"conditions": [{"type": "Available", "status": "True"}]}}),
    put("a status of an old version", D + "/status", {**deployment("d", resourceVersion="${d.metadata.resourceVersion}"), "status": {"replicas": 1}}),
    put("the status of what is not there", APPS + "/deployments/none/status", deployment("none")),
    delete("a status cannot be deleted", D + "/status"),
    post("a status cannot be created", D + "/status", {}),
    patch("the phase of a pod", "merge", P + "/status", {"status": {"phase": "Running", "podIP": "10.1.1.1", "conditions": [{"type": "Ready", "status": "True"}]}}),
    patch("another address of a pod", "merge", P + "/status", {"status": {"podIP": "10.1.1.2"}}),
    patch("all addresses of a pod", "merge", P + "/status", {"status": {"podIP": None, "podIPs": [{"ip": "10.1.1.3"}, {"ip": "fd00::3"}]}}),
    patch("labels and owners of a pod by its status", "merge", P + "/status", {"metadata": {"labels": {"by": "status"}, "annotations": {"by": "status"}, "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}]}}),
    patch("bad labels of a pod by its status", "merge", P + "/status", {"metadata": {"labels": {"not a label!": "x"}}}),
    patch("labels of a pod by its status go", "merge", P + "/status", {"metadata": {"labels": None}}),
    patch("annotations and labels of a deployment by its status", "merge", D + "/status", {"metadata": {"labels": {"by": "status"}, "annotations": {"by": "status"}}}),
    patch("bad labels of a deployment by its status", "merge", D + "/status", {"metadata": {"labels": {"not a label!": "x"}}}),
    patch("an annotation of a deployment is applied by its status", "apply", D + "/status?fieldManager=s", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "annotations": {"applied": "yes"}, "labels": {"applied": "no"}}, "spec": {"replicas": 5}, "status": {"observedGeneration": 1}}),
    patch("a phase that cannot be", "merge", P + "/status", {"status": {"phase": "Odd"}}),
    patch("a pod's status by its object", "merge", P, {"status": {"phase": "Failed"}}),
    get("the scale", D + "/scale"),
    put("the scale is updated", D + "/scale", scale(4)),
    put("the scale of an old version", D + "/scale", scale(5, resourceVersion="${d.metadata.resourceVersion}")),
    put("a negative scale", D + "/scale", scale(-1)),
    put("the scale of another name", D + "/scale", {**scale(1), "metadata": {"name": "x"}}),
    put("a scale of another kind", D + "/scale", deployment("d")),
    put("a scale without a spec", D + "/scale", {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d", "namespace": "subresources"}}),
    put("a scale with text for replicas", D + "/scale", scale("x")),
    patch("the scale is merged", "merge", D + "/scale", {"spec": {"replicas": 6}}),
    patch("the scale is patched", "json", D + "/scale", [{"op": "replace", "path": "/spec/replicas", "value": 7}]),
    patch("the scale is applied", "apply", D + "/scale?fieldManager=s&force=true", scale(8)),
    get("after all scaling", D),
    get("the scale of what is not there", APPS + "/deployments/none/scale"),
    get("the scale as a table", D + "/scale", headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}),
    get("the scale of what has none", P + "/scale"),
    get("the status of what has none", NS + "/configmaps/x/status"),
    get("a log", P + "/log"),
    post("a binding", P + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}),
    post("a second binding", P + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n2"}}),
    get("what is bound", P),
    post("an eviction", P + "/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p", "namespace": "subresources"}}),
    get("a replica set's scale", APPS + "/replicasets/none/scale"),
    # The servers differ here: no later case depends on these.
    put("a status that cannot be", D + "/status", {**deployment("d"), "status": {"replicas": -1}}),
    put("a status of more than there is", D + "/status", {**deployment("d"), "status": {"replicas": 1, "readyReplicas": 2, "availableReplicas": 3}}),
    put("a status with collisions", D + "/status", {**deployment("d"), "status": {"collisionCount": 2}}),
    put("a status with fewer collisions", D + "/status", {**deployment("d"), "status": {"collisionCount": 1}}),
]
