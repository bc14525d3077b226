"""Deletion: the responses, and what delays it."""

from harness.case import configmap, delete, deployment, get, namespace, patch, pod, post, put, unseen

NS = "/api/v1/namespaces/deletes"
MAPS = NS + "/configmaps"
PODS = NS + "/pods"


def make(name, **metadata):
    return unseen(post("make " + name, MAPS, configmap(name, {"k": "v"}, **metadata), keep=name))


def options(**members):
    return {"apiVersion": "v1", "kind": "DeleteOptions", **members}


def thing(kind, api_version="v1", **members):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, **members}


TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}
APPS = "/apis/apps/v1/namespaces/deletes"
RBAC = "rbac.authorization.k8s.io"
KINDS = [
    (NS + "/secrets", thing("Secret")),
    (NS + "/serviceaccounts", thing("ServiceAccount")),
    (NS + "/services", thing("Service", spec={"clusterIP": "None", "ports": [{"port": 80}]})),
    (NS + "/endpoints", thing("Endpoints")),
    (NS + "/resourcequotas", thing("ResourceQuota", spec={"hard": {"count/jobs.batch": "9"}})),
    (NS + "/limitranges", thing("LimitRange", spec={"limits": []})),
    (NS + "/podtemplates", thing("PodTemplate", template=TEMPLATE)),
    (NS + "/replicationcontrollers", thing("ReplicationController", spec={"template": TEMPLATE})),
    ("/api/v1/nodes", thing("Node")),
    ("/api/v1/persistentvolumes", thing("PersistentVolume", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}})),
    (APPS + "/replicasets", thing("ReplicaSet", "apps/v1", spec=SELECTED)),
    (APPS + "/statefulsets", thing("StatefulSet", "apps/v1", spec=SELECTED)),
    (APPS + "/daemonsets", thing("DaemonSet", "apps/v1", spec=SELECTED)),
    (APPS + "/controllerrevisions", thing("ControllerRevision", "apps/v1", revision=1, data={"a": 1})),
    ("/apis/networking.k8s.io/v1/ingressclasses", thing("IngressClass", "networking.k8s.io/v1", spec={"controller": "a.com/b"})),
    ("/apis/networking.k8s.io/v1/namespaces/deletes/networkpolicies", thing("NetworkPolicy", "networking.k8s.io/v1", spec={"podSelector": {}})),
    ("/apis/coordination.k8s.io/v1/namespaces/deletes/leases", thing("Lease", "coordination.k8s.io/v1")),
    ("/apis/policy/v1/namespaces/deletes/poddisruptionbudgets", thing("PodDisruptionBudget", "policy/v1", spec={"minAvailable": 1})),
    ("/apis/scheduling.k8s.io/v1/priorityclasses", thing("PriorityClass", "scheduling.k8s.io/v1", value=1)),
    ("/apis/storage.k8s.io/v1/storageclasses", thing("StorageClass", "storage.k8s.io/v1", provisioner="a.com/b")),
    (f"/apis/{RBAC}/v1/clusterroles", thing("ClusterRole", RBAC + "/v1", rules=[])),
    (f"/apis/{RBAC}/v1/namespaces/deletes/roles", thing("Role", RBAC + "/v1", rules=[])),
]

CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("deletes"))),
    make("a"),
    delete("an object", MAPS + "/a"),
    delete("an object again", MAPS + "/a"),
    make("b"),
    delete("with another uid", MAPS + "/b", options(preconditions={"uid": "7f1b1a5e-0000-4000-8000-000000000000"})),
    delete("with another version", MAPS + "/b", options(preconditions={"resourceVersion": "1"})),
    delete("with its uid and version", MAPS + "/b", options(preconditions={"uid": "${b.metadata.uid}", "resourceVersion": "${b.metadata.resourceVersion}"})),
    make("c"),
    delete("with options without a kind", MAPS + "/c", {"gracePeriodSeconds": 0}),
    make("d"),
    delete("options of another kind", MAPS + "/d", {"apiVersion": "v1", "kind": "ConfigMap"}),
    delete("options of another version", MAPS + "/d", {"apiVersion": "v7", "kind": "DeleteOptions"}),
    delete("options that are no JSON", MAPS + "/d", "{", headers={"Content-Type": "application/json"}),
    delete("options that are a list", MAPS + "/d", []),
    delete("a wrong policy", MAPS + "/d", options(propagationPolicy="Sideways")),
    delete("a wrong policy in the query", MAPS + "/d?propagationPolicy=Sideways"),
    delete("both ways to orphan", MAPS + "/d", options(propagationPolicy="Orphan", orphanDependents=True)),
    delete("a negative grace", MAPS + "/d", options(gracePeriodSeconds=-1)),
    make("d2"),
    delete("a grace that is no number", MAPS + "/d2?gracePeriodSeconds=x"),
    delete("options with a wrong type", MAPS + "/d2", options(gracePeriodSeconds="x")),
    delete("an unknown option", MAPS + "/d2", options(unknown=1)),
    make("d3"),
    delete("a dry run", MAPS + "/d3?dryRun=All"),
    delete("a dry run in the body", MAPS + "/d3", options(dryRun=["All"])),
    delete("a wrong dry run", MAPS + "/d3?dryRun=Some"),
    delete("a wrong dry run in the body", MAPS + "/d3", options(dryRun=["Some"])),
    get("after the dry runs", MAPS + "/d3"),
    make("f", finalizers=["example.com/hold"]),
    delete("held by a finalizer", MAPS + "/f", keep="f2"),
    delete("held by a finalizer, again", MAPS + "/f"),
    get("what is held", MAPS + "/f"),
    put("what is held can be changed", MAPS + "/f", configmap("f", {"k": "w"}, finalizers=["example.com/hold"])),
    put("what is held takes no new finalizer", MAPS + "/f", configmap("f", finalizers=["example.com/hold", "example.com/more"])),
    post("what is held is still there", MAPS, configmap("f")),
    patch("the last finalizer goes", "merge", MAPS + "/f", {"metadata": {"finalizers": None}}),
    get("and with it the object", MAPS + "/f"),
    make("fo"),
    delete("in the foreground", MAPS + "/fo?propagationPolicy=Foreground", only=["kind", "metadata"]),
    make("or", finalizers=["example.com/hold"]),
    delete("orphaning", MAPS + "/or", options(orphanDependents=True), only=["kind", "apiVersion"]),
    make("no", finalizers=["example.com/hold"]),
    delete("not orphaning", MAPS + "/no", options(orphanDependents=False)),
    unseen(patch("let no go", "merge", MAPS + "/no", {"metadata": {"finalizers": None}})),
    unseen(patch("let or go", "merge", MAPS + "/or", {"metadata": {"finalizers": None}})),
    unseen(patch("let fo go", "merge", MAPS + "/fo", {"metadata": {"finalizers": None}})),
    # Pods
    unseen(post("make p", PODS, pod("p"))),
    delete("a pod of no node", PODS + "/p"),
    unseen(post("make q", PODS, pod("q", {"nodeName": "n1"}))),
    delete("a pod of a node", PODS + "/q"),
    delete("a pod of a node, again", PODS + "/q"),
    delete("a pod of a node, sooner", PODS + "/q?gracePeriodSeconds=5"),
    delete("a pod of a node, later", PODS + "/q?gracePeriodSeconds=50"),
    delete("a pod of a node, now", PODS + "/q?gracePeriodSeconds=0"),
    get("a pod that is gone", PODS + "/q"),
    unseen(post("make d", "/apis/apps/v1/namespaces/deletes/deployments", deployment("d"))),
    delete("a deployment", "/apis/apps/v1/namespaces/deletes/deployments/d"),
    # Some kinds answer with the object, others with a Status.
    *[one for path, body in KINDS for one in (
        unseen(post("make the " + body["kind"], path, body)), delete("the " + body["kind"], path + "/" + body["metadata"]["name"], only=["kind", "apiVersion", "status", "details"]))],
    # Collections
    unseen(delete("empty the namespace", MAPS)),
    make("x1", labels={"x": "1"}), make("x2", labels={"x": "1"}), make("y1", labels={"x": "2"}), make("z1", finalizers=["example.com/hold"]),
    delete("a collection with a wrong selector", MAPS + "?labelSelector=a%20b"),
    delete("a dry run of a collection", MAPS + "?labelSelector=x&dryRun=All"),
    delete("a selected collection", MAPS + "?labelSelector=x%3D1"),
    delete("a collection of one name", MAPS + "?fieldSelector=metadata.name%3Dy1"),
    delete("a collection that is held", MAPS),
    get("after the collections", MAPS),
    delete("a collection with a limit", PODS + "?limit=1"),
    delete("a collection in a namespace that is not there", "/api/v1/namespaces/nowhere/configmaps"),
]
