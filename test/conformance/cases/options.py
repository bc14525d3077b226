"""dryRun, fieldValidation and fieldManager."""

from harness.case import configmap, delete, deployment, get, namespace, patch, post, put, unseen

MAPS = "/api/v1/namespaces/options/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/options/deployments"
UNKNOWN = {**configmap("u", {"k": "v"}), "odd": 1, "other": {"x": 1}}
TWICE = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","labels":{"a":"b","a":"c"}},"data":{"k":"1","k":"2"},"data":{"k":"3"}}'
JSON = {"Content-Type": "application/json"}


def nested(name):
    made = deployment(name)
    made["spec"]["odd"] = 1
    made["spec"]["template"]["spec"]["containers"][0]["imagee"] = "x"
    made["metadata"]["lables"] = {}
    return made


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("options"))),
    unseen(post("make a", MAPS, configmap("a", {"k": "v"}), keep="a")),
    post("a dry creation", MAPS + "?dryRun=All", configmap("dry", {"k": "v"})),
    get("a dry creation leaves nothing", MAPS + "/dry"),
    post("a dry creation of a generated name", MAPS + "?dryRun=All", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "dry-"}}),
    post("a dry creation of what is there", MAPS + "?dryRun=All", configmap("a")),
    post("a dry creation of something invalid", MAPS + "?dryRun=All", configmap("A")),
    put("a dry update", MAPS + "/a?dryRun=All", configmap("a", {"k": "w"})),
    patch("a dry patch", "merge", MAPS + "/a?dryRun=All", {"data": {"k": "w"}}),
    put("a dry update of an old version", MAPS + "/a?dryRun=All", configmap("a", {"k": "w"}, resourceVersion="1")),
    get("a dry update changes nothing", MAPS + "/a"),
    post("a wrong dry run", MAPS + "?dryRun=Some", configmap("dry")),
    put("a wrong dry run of an update", MAPS + "/a?dryRun=Some", configmap("a")),
    patch("a wrong dry run of a patch", "merge", MAPS + "/a?dryRun=Some", {}),
    post("two dry runs", MAPS + "?dryRun=All&dryRun=All", configmap("dry2"), only=["kind", "message"]),
    post("an empty dry run", MAPS + "?dryRun=", configmap("notdry"), only=["kind", "message"]),
    post("unknown members", MAPS, UNKNOWN),
    post("unknown members, ignored", MAPS + "?fieldValidation=Ignore", {**UNKNOWN, "metadata": {"name": "u2"}}),
    post("unknown members, strictly", MAPS + "?fieldValidation=Strict", {**UNKNOWN, "metadata": {"name": "u3"}}),
    post("unknown members deep inside", DEPLOYMENTS, nested("n")),
    post("unknown members deep inside, strictly", DEPLOYMENTS + "?fieldValidation=Strict", nested("n2")),
    put("unknown members of an update, strictly", MAPS + "/a?fieldValidation=Strict", {**configmap("a"), "odd": 1}),
    put("unknown members of an update", MAPS + "/a", {**configmap("a"), "odd": 1}),
    patch("unknown members of a patch", "merge", MAPS + "/a", {"odd": 1}),
    post("members twice", MAPS, TWICE % "t1", headers=JSON),
    post("members twice, ignored", MAPS + "?fieldValidation=Ignore", TWICE % "t2", headers=JSON),
    post("members twice, strictly", MAPS + "?fieldValidation=Strict", TWICE % "t3", headers=JSON),
    post("members in other letters, strictly", MAPS + "?fieldValidation=Strict", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case"},"Data":{"k":"v"}}', headers=JSON),
    post("a wrong validation", MAPS + "?fieldValidation=Odd", configmap("v")),
    put("a wrong validation of an update", MAPS + "/a?fieldValidation=Odd", configmap("a")),
    post("a manager", MAPS + "?fieldManager=someone", configmap("m")),
    post("a manager with a long name", MAPS + "?fieldManager=" + "x" * 129, configmap("m2")),
    post("a manager of characters that cannot be shown", MAPS + "?fieldManager=%01", configmap("m2")),
    post("a manager by the program's name", MAPS, configmap("m3"), headers={"User-Agent": "kubectl/v1.30 (linux/amd64)"}),
    post("without a program's name", MAPS, configmap("m4"), headers={"User-Agent": ""}),
    post("a program with a long name", MAPS, configmap("m5"), headers={"User-Agent": "n" * 200}),
    post("two things wrong", MAPS + "?dryRun=Some&fieldValidation=Odd&fieldManager=" + "x" * 129, configmap("v")),
    post("pretty", MAPS + "?pretty=true", configmap("pretty")),
]
