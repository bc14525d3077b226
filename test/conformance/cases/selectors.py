"""Label and field selectors, valid and invalid."""

from harness.case import configmap, deployment, get, namespace, pod, post, request, unseen

NS = "/api/v1/namespaces/selectors"
MAPS = NS + "/configmaps"
PODS = NS + "/pods"

LABELS = [
    "app=web", "app==web", "app!=web", "app in (web,db)", "app notin (web)", "app", "!app", "app,tier",
    "app in (web),tier notin (back)", "tier=", "tier in ()", "app in (web", "app in web)", "=web", "app=web=x", "a b",
    "app=-web", "-app=web", "app>1", "size>4", "size<4", "size>x", "app in (web),", ",app", "app=web,,tier",
    "x/y/z=1", "example.com/role=a", "Example.com/role=a", "app=" + "x" * 64, "!", "in in (in)", "app=a,app=b",
]
FIELDS = [
    "metadata.name=a", "metadata.name!=a", "metadata.namespace=selectors", "metadata.namespace=other",
    "metadata.name==a,metadata.namespace=selectors", "metadata.name", "metadata.name=a=b", "=a", ",", "data.k=1",
    "metadata.labels.app=web", "metadata.name in (a)", "metadata.name=", "metadata.name!=",
]
POD_FIELDS = [
    "spec.nodeName=n1", "spec.nodeName=", "spec.nodeName!=n1", "status.phase=Pending", "spec.restartPolicy=Always",
    "spec.schedulerName=default-scheduler", "spec.serviceAccountName=", "status.podIP=", "spec.hostNetwork=false",
    "spec.hostname=x", "status.nominatedNodeName=", "spec.containers=x", "spec.hostNetwork=true",
]


def escaped(text):
    return "".join(c if c.isalnum() or c in "-._~" else "".join(f"%{b:02X}" for b in c.encode()) for c in text)


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("selectors"))),
    unseen(post("make a", MAPS, configmap("a", labels={"app": "web", "tier": "front", "size": "3"}))),
    unseen(post("make b", MAPS, configmap("b", labels={"app": "db", "tier": "back", "size": "5"}))),
    unseen(post("make c", MAPS, configmap("c", labels={"tier": ""}))),
    unseen(post("make p", PODS, pod("p", {"nodeName": "n1"}))),
    unseen(post("make q", PODS, pod("q"))),
    *[get("labels " + one, MAPS + "?labelSelector=" + escaped(one)) for one in LABELS],
    *[get("fields " + one, MAPS + "?fieldSelector=" + escaped(one)) for one in FIELDS],
    *[get("fields of pods " + one, PODS + "?fieldSelector=" + escaped(one), headers={"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}) for one in POD_FIELDS],
    get("a page of those selected", MAPS + "?labelSelector=tier&limit=1", keep="page"),
    get("the next page of those selected", MAPS + "?labelSelector=tier&limit=1&continue=${page.metadata.continue}"),
    get("both selectors", MAPS + "?labelSelector=app&fieldSelector=metadata.name%3Da"),
    get("a name that cannot be", MAPS + "?fieldSelector=metadata.name%3Da%2Fb"),
    get("fields of events", NS + "/events?fieldSelector=involvedObject.name%3Dx,reason%3DStarted,type%3DNormal,source%3Dx"),
    get("fields of secrets", NS + "/secrets?fieldSelector=type%3DOpaque"),
    get("fields of namespaces", "/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3Dselectors"),
    get("fields of nodes", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse"),
    get("fields of deployments", "/apis/apps/v1/namespaces/selectors/deployments?fieldSelector=spec.replicas%3D1"),
    get("fields of replicasets", "/apis/apps/v1/namespaces/selectors/replicasets?fieldSelector=status.replicas%3D1"),
    get("fields of jobs", "/apis/batch/v1/namespaces/selectors/jobs?fieldSelector=status.successful%3D1"),
    get("fields of services", NS + "/services?fieldSelector=spec.type%3DClusterIP"),
    get("fields of leases", "/apis/coordination.k8s.io/v1/namespaces/selectors/leases?fieldSelector=spec.holderIdentity%3Dx"),
    get("a label selector for one object is ignored", MAPS + "/a?labelSelector=app%3Ddb", only=["kind", "metadata"]),
]
