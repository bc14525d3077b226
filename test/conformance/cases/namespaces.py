"""Namespaces: their lifecycle, and what they permit."""

from harness.case import configmap, delete, get, namespace, patch, post, put, unseen

ALL = "/api/v1/namespaces"
N = ALL + "/spaces"

CASES = [
    post("a namespace", ALL, namespace("spaces"), keep="n"),
    get("a namespace by its name", N),
    post("a namespace that is there", ALL, namespace("spaces")),
    post("a name that cannot be", ALL, namespace("Not_A_Name")),
    post("a name with a dot", ALL, namespace("a.b")),
    post("a name that is too long", ALL, namespace("x" * 64)),
    post("a namespace in a namespace", ALL, {**namespace("inner"), "metadata": {"name": "inner", "namespace": "spaces"}}),
    post("a namespace with finalizers", ALL, {**namespace("finalized"), "spec": {"finalizers": ["example.com/x"]}}),
    post("a namespace of a generated name", ALL, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "gen-"}}),
    put("labels", N, namespace("spaces", labels={"a": "b"})),
    patch("the label of its name cannot be taken away", "merge", N, {"metadata": {"labels": {"kubernetes.io/metadata.name": None}}}),
    patch("the label of its name cannot be another", "merge", N, {"metadata": {"labels": {"kubernetes.io/metadata.name": "other"}}}),
    patch("the phase by the status", "merge", N + "/status", {"status": {"phase": "Terminating"}}),
    patch("labels by the status", "merge", N + "/status", {"metadata": {"labels": {"by": "status"}}}),
    put("the status", N + "/status", {**namespace("spaces"), "status": {"phase": "Active"}}),
    put("finalize", N + "/finalize", {**namespace("spaces", labels={"by": "finalize"}), "spec": {"finalizers": ["kubernetes", "example.com/hold"]}}),
    patch("finalizers of the spec", "merge", N, {"spec": {"finalizers": ["example.com/x"]}}),
    unseen(post("make a", N + "/configmaps", configmap("a", finalizers=["example.com/hold"]))),
    delete("a namespace is deleted", N, only=["kind", "apiVersion", "spec"]),
    get("a namespace that ends", N, only=["kind", "spec"]),
    post("creating in a namespace that ends", N + "/configmaps", configmap("b")),
    post("creating a generated name in a namespace that ends", N + "/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "b-"}}),
    patch("changing in a namespace that ends", "merge", N + "/configmaps/a", {"data": {"k": "v"}}, only=["kind", "data"]),
    post("a namespace that ends is still there", ALL, namespace("spaces")),
    delete("the default namespace", ALL + "/default"),
    delete("kube-system", ALL + "/kube-system"),
    delete("all namespaces", ALL),
    get("a namespace that is not there", ALL + "/nowhere"),
    put("finalize of what is not there", ALL + "/nowhere/finalize", namespace("nowhere")),
    get("the default namespace is there", ALL + "/default", only=["kind", "spec", "status"]),
]
