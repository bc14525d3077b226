"""Tables and metadata-only responses."""

from harness.case import configmap, delete, deployment, get, namespace, pod, post, unseen

TABLE = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
PARTIAL = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
PARTIALS = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
NS = "/api/v1/namespaces/tables"
APPS = "/apis/apps/v1/namespaces/tables"

CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("tables"))),
    get("of nothing", NS + "/configmaps", headers=TABLE),
    unseen(post("make a", NS + "/configmaps", configmap("a", {"k": "v", "l": "w"}, labels={"x": "y"}))),
    unseen(post("make b", NS + "/configmaps", configmap("b"))),
    unseen(post("make p", NS + "/pods", pod("p", {"nodeName": "n1"}))),
    unseen(post("make d", APPS + "/deployments", deployment("d", {"replicas": 3}))),
    unseen(post("make s", NS + "/services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}, {"port": 443, "protocol": "UDP", "name": "x"}]}} )),
    get("of two", NS + "/configmaps", headers=TABLE),
    get("of one", NS + "/configmaps/a", headers=TABLE),
    get("of one that is not there", NS + "/configmaps/none", headers=TABLE),
    get("with objects", NS + "/configmaps?includeObject=Object", headers=TABLE),
    get("with metadata", NS + "/configmaps?includeObject=Metadata", headers=TABLE),
    get("with nothing", NS + "/configmaps?includeObject=None", headers=TABLE),
    get("with something odd", NS + "/configmaps?includeObject=Odd", headers=TABLE),
    get("of a page", NS + "/configmaps?limit=1", headers=TABLE),
    get("of an older form", NS + "/configmaps", headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1beta1"}),
    get("of kubectl", NS + "/configmaps", headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"}),
    get("of pods", NS + "/pods", headers=TABLE),
    get("of deployments", APPS + "/deployments", headers=TABLE),
    get("of services", NS + "/services", headers=TABLE),
    get("of namespaces", "/api/v1/namespaces?fieldSelector=metadata.name%3Dtables", headers=TABLE),
    get("of definitions", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", headers=TABLE),
    post("of something created", NS + "/configmaps", configmap("c", {"k": "v"}), headers=TABLE),
    delete("of something deleted", NS + "/configmaps/c", headers=TABLE),
    get("metadata of one", NS + "/configmaps/a", headers=PARTIAL),
    get("metadata of two", NS + "/configmaps", headers=PARTIALS),
    get("metadata of two pages", NS + "/configmaps?limit=1", headers=PARTIALS),
    post("metadata of something created", NS + "/configmaps", configmap("e", {"k": "v"}), headers=PARTIAL),
    delete("metadata of a collection", NS + "/configmaps", headers=PARTIALS),
    get("metadata of one that is not there", NS + "/configmaps/none", headers=PARTIAL),
    get("metadata or the object", NS + "/pods/p", headers={"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"}),
    get("an older metadata", NS + "/pods/p", headers={"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1"}),
]
