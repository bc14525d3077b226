"""Server-side apply and field ownership."""

from harness.case import configmap, delete, deployment, get, namespace, patch, post, put, request, unseen

MAPS = "/api/v1/namespaces/apply/configmaps"
APPS = "/apis/apps/v1/namespaces/apply"


def applied(name, manager, path, body, query="", **more):
    return patch(name, "apply", f"{path}?fieldManager={manager}{query}", body, **more)


def shape(name, replicas=None, containers=None, **metadata):
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers or [{"name": "c", "image": "x"}]}}}
    if replicas is not None:
        spec["replicas"] = replicas
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, **metadata}, "spec": spec}


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("apply"))),
    applied("creates", "one", MAPS + "/a", configmap("a", {"k": "v"}, labels={"x": "y"}), keep="a"),
    applied("the same again", "one", MAPS + "/a", configmap("a", {"k": "v"}, labels={"x": "y"})),
    applied("more", "one", MAPS + "/a", configmap("a", {"k": "v", "l": "w"}, labels={"x": "y"})),
    applied("less removes", "one", MAPS + "/a", configmap("a", {"l": "w"})),
    applied("another manager, the same value", "two", MAPS + "/a", configmap("a", {"l": "w"})),
    applied("another manager, another value", "two", MAPS + "/a", configmap("a", {"l": "other"})),
    applied("by force", "two", MAPS + "/a", configmap("a", {"l": "other"}), "&force=true"),
    applied("what one manages no more stays another's", "one", MAPS + "/a", configmap("a", {"k": "only"})),
    patch("an update takes over", "merge", MAPS + "/a?fieldManager=updater", {"data": {"l": "updated"}}),
    applied("a conflict with an update", "two", MAPS + "/a", configmap("a", {"l": "mine"})),
    put("an update of all", MAPS + "/a?fieldManager=putter", configmap("a", {"p": "1"})),
    applied("without a manager", "", MAPS + "/a", configmap("a", {"k": "v"})),
    applied("of an old version", "one", MAPS + "/a", configmap("a", {"k": "v"}, resourceVersion="${a.metadata.resourceVersion}")),
    applied("of another uid", "one", MAPS + "/a", configmap("a", {"k": "v"}, uid="7f1b1a5e-0000-4000-8000-000000000000")),
    applied("of what is not there, by its uid", "one", MAPS + "/none", configmap("none", uid="7f1b1a5e-0000-4000-8000-000000000000")),
    applied("of what is not there, by its version", "one", MAPS + "/none", configmap("none", resourceVersion="5")),
    applied("with managedFields", "one", MAPS + "/a", configmap("a", managedFields=[])),
    applied("with the wrong name", "one", MAPS + "/a", configmap("b")),
    applied("without a name", "one", MAPS + "/nameless", {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}),
    applied("with the wrong kind", "one", MAPS + "/a", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}),
    applied("without a kind", "one", MAPS + "/a", {"apiVersion": "v1", "metadata": {"name": "a"}}),
    applied("without an apiVersion", "one", MAPS + "/a", {"kind": "ConfigMap", "metadata": {"name": "a"}}),
    applied("as YAML", "yaml", MAPS + "/y", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n  multi: |\n    one\n    two\n"),
    applied("as YAML that cannot be read", "yaml", MAPS + "/y", "a: [\n"),
    applied("as YAML that is a list", "yaml", MAPS + "/y", "- a\n- b\n"),
    applied("empty", "yaml", MAPS + "/y", ""),
    applied("an unknown member", "one", MAPS + "/u", {**configmap("u"), "unknown": 1}),
    applied("an unknown member, strictly", "one", MAPS + "/u2", {**configmap("u2"), "unknown": 1}, "&fieldValidation=Strict"),
    applied("a wrong type", "one", MAPS + "/u3", configmap("u3", {"k": 5})),
    applied("in a namespace that is not there", "one", "/api/v1/namespaces/nowhere/configmaps/a", configmap("a")),
    applied("another namespace than the path's", "one", MAPS + "/ns", configmap("ns", namespace="default")),
    applied("a dry run", "dry", MAPS + "/dry", configmap("dry", {"k": "v"}), "&dryRun=All"),
    applied("something invalid", "one", MAPS + "/inv", configmap("inv", {"a b": "v"})),
    # Structures
    applied("a deployment", "one", APPS + "/deployments/d", shape("d", 2, [{"name": "c", "image": "x", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]}])),
    applied("a second container by another manager", "two", APPS + "/deployments/d", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {"spec": {"containers": [{"name": "side", "image": "s"}]}}}}),
    applied("replicas that another manages", "hpa", APPS + "/deployments/d", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 5}}),
    applied("replicas given up", "one", APPS + "/deployments/d", shape("d", None, [{"name": "c", "image": "x2"}])),
    applied("a list item twice", "one", APPS + "/deployments/d", shape("d", None, [{"name": "c", "image": "x"}, {"name": "c", "image": "y"}])),
    applied("a list item without its key", "one", APPS + "/deployments/d", shape("d", None, [{"image": "x"}])),
    put("scale is managed apart", APPS + "/deployments/d/scale?fieldManager=scaler", {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d", "namespace": "apply"}, "spec": {"replicas": 7}}),
    get("after the scaling", APPS + "/deployments/d"),
    applied("status by its own path", "statuser", APPS + "/deployments/d/status", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "status": {"replicas": 3, "conditions": [{"type": "Available", "status": "True", "lastUpdateTime": "2024-01-01T00:00:00Z", "lastTransitionTime": "2024-01-01T00:00:00Z"}]}}),
    patch("managedFields emptied", "merge", MAPS + "/a?fieldManager=x", {"metadata": {"managedFields": [{}]}}),
    patch("managedFields that cannot be", "merge", MAPS + "/a", {"metadata": {"managedFields": [{"manager": "x", "operation": "Odd"}]}}),
    applied("a service's ports", "one", "/api/v1/namespaces/apply/services/s", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"port": 80, "protocol": "TCP", "name": "a"}, {"port": 80, "protocol": "UDP", "name": "b"}]}}),
    applied("a service's ports without a protocol", "one", "/api/v1/namespaces/apply/services/s", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"clusterIP": "None", "selector": {"a": "b"}, "ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]}}),
]
