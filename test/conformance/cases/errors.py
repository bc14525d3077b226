"""Unknown paths, malformed bodies, unsupported media types."""

from harness.case import configmap, delete, get, namespace, post, put, request, unseen

MAPS = "/api/v1/namespaces/errors/configmaps"


def body(name, text, **headers):
    return post("a body " + name, MAPS, text, headers={"Content-Type": "application/json", **headers})


def accept(value, path=MAPS + "/a"):
    return get("accept " + value, path, headers={"Accept": value})


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("errors"))),
    unseen(post("make a", MAPS, configmap("a", {"k": "v"}))),
    get("an unknown kind", "/api/v1/namespaces/errors/widgets"),
    get("an unknown kind's object", "/api/v1/namespaces/errors/widgets/x"),
    get("an unknown kind of the cluster", "/api/v1/widgets"),
    get("an unknown group", "/apis/example.com/v1/widgets"),
    get("an unknown version", "/apis/apps/v9/deployments"),
    get("an unknown version of the core", "/api/v9/pods"),
    get("an unknown kind of a group", "/apis/apps/v1/widgets"),
    post("creating an unknown kind", "/apis/apps/v1/namespaces/errors/widgets", {}),
    get("an unknown path", "/nothing"),
    get("the root of nothing", "/api/v1/namespaces/errors/configmaps/a/b/c"),
    get("an unknown subresource", MAPS + "/a/unknown"),
    get("a status that is none", MAPS + "/a/status"),
    get("a namespaced object without its namespace", "/api/v1/configmaps/a"),
    get("a trailing slash", MAPS + "/"),
    get("a slash too many", "//api/v1/namespaces"),
    get("an escaped name", MAPS + "/%61"),
    get("an escaped slash", MAPS + "/a%2Fb"),
    get("dots", "/api/v1/namespaces/errors/configmaps/../configmaps/a"),
    get("a namespaced kind in a cluster's place", "/api/v1/nodes/x/pods"),
    get("a cluster's kind in a namespace", "/api/v1/namespaces/errors/nodes"),
    get("a cluster's object in a namespace", "/apis/rbac.authorization.k8s.io/v1/namespaces/errors/clusterroles/admin"),
    body("that is no JSON", "{"),
    body("that is empty", ""),
    body("that is null", "null"),
    body("that is a list", "[]"),
    body("that is a string", '"x"'),
    body("that is a number", "5"),
    body("with more behind it", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"more"}} x'),
    body("of another kind", '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}'),
    body("of a kind that nobody knows", '{"apiVersion":"v1","kind":"Widget","metadata":{"name":"x"}}'),
    body("of another group", '{"apiVersion":"apps/v1","kind":"ConfigMap","metadata":{"name":"x"}}'),
    body("of another version", '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"x"}}'),
    body("with an apiVersion that cannot be", '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"x"}}'),
    body("without a kind", '{"apiVersion":"v1","metadata":{"name":"nokind"}}'),
    body("without an apiVersion", '{"kind":"ConfigMap","metadata":{"name":"noversion"}}'),
    body("with a kind that is a number", '{"apiVersion":"v1","kind":5,"metadata":{"name":"x"}}'),
    body("with metadata that is text", '{"apiVersion":"v1","kind":"ConfigMap","metadata":"x"}'),
    body("with a name that is a number", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":5}}'),
    body("with labels that are a list", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":["a"]}}'),
    body("with a label that is a number", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":{"a":5}}}'),
    body("with data that is a number", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":5}}'),
    body("with data that is true", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":true}}'),
    body("with a time that is none", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","creationTimestamp":"yesterday"}}'),
    body("with members in other letters", '{"apiVersion":"v1","kind":"ConfigMap","Metadata":{"name":"x"}}'),
    body("of text beyond ASCII", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"utf8"},"data":{"k":"grüße \\ud83d\\ude00 \\u0000"}}'),
    body("as YAML", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: b\n", **{"Content-Type": "application/yaml"}),
    body("as YAML that is no UTF-8", b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: octets\ndata:\n  a: \"\xd9\"\n", **{"Content-Type": "application/yaml"}),
    body("as YAML that is none", "a: [", **{"Content-Type": "application/yaml"}),
    body("as text", "{}", **{"Content-Type": "text/plain"}),
    body("as a form", "a=b", **{"Content-Type": "application/x-www-form-urlencoded"}),
    body("of a type that cannot be read", "{}", **{"Content-Type": "///"}),
    body("as JSON with a charset", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"charset"}}', **{"Content-Type": "application/json; charset=utf-8"}),
    body("as protobuf that is none", "hello", **{"Content-Type": "application/vnd.kubernetes.protobuf"}),
    body("as CBOR", "hello", **{"Content-Type": "application/cbor"}),
    post("a body without a type", MAPS, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"untyped"}}'),
    post("a body that is too large", MAPS, b'{"a":"' + b"x" * (3 * 1024 * 1024) + b'"}', headers={"Content-Type": "application/json"}),
    put("a body of another kind to an object", MAPS + "/a", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}),
    # Deployments, with integers and nested values
    *[post("a deployment with " + name, "/apis/apps/v1/namespaces/errors/deployments", text, headers={"Content-Type": "application/json"}) for name, text in {
        "replicas of text": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"replicas":"3"}}',
        "replicas with a fraction": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"replicas":1.5}}',
        "replicas too large": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"replicas":99999999999}}',
        "containers that are an object": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"template":{"spec":{"containers":{}}}}}',
        "paused of text": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"paused":"yes"}}',
        "a quantity that is none": '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"template":{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"much"}}}]}}}}',
    }.items()],
    accept("application/yaml"), accept("application/json, */*"), accept("*/*"), accept("application/*"), accept("text/html"),
    accept("text/html, application/json;q=0.5"), accept("application/xml"), accept("application/cbor"), accept("bad///"), accept("application/json;as=Table;g=meta.k8s.io;v=v9"),
    accept("application/json;as=Odd;g=meta.k8s.io;v=v1"), accept("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
    accept("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", MAPS),
    accept("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"),
    accept("application/json;pretty=1"), accept("application/json;stream=watch"),
    get("without an accept", MAPS + "/a", headers={"Accept": None}),
    get("pretty by the browser", MAPS + "/a", headers={"User-Agent": "Mozilla/5.0", "Accept": "text/html,*/*"}),
    get("an unknown parameter", MAPS + "/a?unknown=1"),
    get("a query that cannot be read", MAPS + "?labelSelector=%zz"),
    get("a query with a semicolon", MAPS + "?limit=1;continue=x", only=["kind"]),
    get("health", "/healthz"), get("liveness", "/livez"), get("readiness", "/readyz"), get("health of something", "/healthz/ping"), get("health of nothing", "/healthz/nothing"),
    post("posting to the version", "/version", {}),
    # The servers differ here: no later case depends on these.
    body("with bytes that are no UTF-8", b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bytes"},"data":{"k":"\xff\xfe"}}'),
    body("with a lone surrogate", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"surrogate"},"data":{"k":"\\ud83d"}}'),
]
