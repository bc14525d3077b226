"""Watches: their events, order and content."""

from harness.case import configmap, delete, get, namespace, patch, pod, post, put, unseen, watch

NS = "/api/v1/namespaces/watches"
MAPS = NS + "/configmaps"
PODS = NS + "/pods"
FROM_A = "&resourceVersion=${a.metadata.resourceVersion}"


def make(name, data=None, **metadata):
    return unseen(post("make " + name, MAPS, configmap(name, data or {"k": "1"}, **metadata), keep=name))


def relabel(name, labels):
    return unseen(patch(f"relabel {name} {labels}", "merge", f"{MAPS}/{name}", {"metadata": {"labels": labels}}))


def change(name, value):
    return unseen(patch(f"change {name} {value}", "merge", f"{MAPS}/{name}", {"data": {"k": value}}))


def remove(name):
    return unseen(delete("delete " + name, f"{MAPS}/{name}"))


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("watches"))),
    make("a", labels={"app": "web"}),
    make("b"),
    watch("without a version shows what there is", MAPS + "?watch=true", events=2),
    watch("by watch=1", MAPS + "?watch=1", events=2),
    watch("of version 0", MAPS + "?watch=true&resourceVersion=0", events=2),
    watch("with bookmarks says when it has shown all", MAPS + "?watch=true&allowWatchBookmarks=true", events=3),
    watch("of version 0 with bookmarks", MAPS + "?watch=true&allowWatchBookmarks=true&resourceVersion=0", events=3),
    watch("sendInitialEvents", MAPS + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", events=3),
    watch("sendInitialEvents of a version", MAPS + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" + FROM_A, events=3),
    watch("sendInitialEvents without bookmarks", MAPS + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", events=2),
    watch("sendInitialEvents of a selection", MAPS + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&labelSelector=app%3Dweb", events=2),
    watch("sendInitialEvents without a match", MAPS + "?watch=true&sendInitialEvents=true"),
    watch("sendInitialEvents with the wrong match", MAPS + "?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1"),
    watch("sendInitialEvents=false without a match", MAPS + "?watch=true&sendInitialEvents=false"),
    watch("sendInitialEvents that is neither true nor false", MAPS + "?watch=true&sendInitialEvents=maybe&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"),
    watch("a match without sendInitialEvents", MAPS + "?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1"),
    watch("no initial events: from now", MAPS + "?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", [change("a", "2")], events=1),
    watch("a limit is ignored", MAPS + "?watch=true&limit=1", events=2),
    watch("a continue token is not taken", MAPS + "?watch=true&continue=abc&timeoutSeconds=1"),
    watch("from a version", MAPS + "?watch=true" + FROM_A, events=2),
    watch("what happens meanwhile", MAPS + "?watch=true&resourceVersion=${b.metadata.resourceVersion}",
          [make("c"), change("c", "2"), change("c", "3"), remove("c")], events=5),
    watch("what happened", MAPS + "?watch=true&resourceVersion=${b.metadata.resourceVersion}", events=5),
    watch("what happened since a change", MAPS + "?watch=true&resourceVersion=${c.metadata.resourceVersion}", events=3),
    watch("a write that changes nothing is no event", MAPS + "?watch=true&resourceVersion=${c.metadata.resourceVersion}",
          [change("a", "2"), change("a", "5")], events=4),
    watch("the labels of a selection come and go", MAPS + "?watch=true&labelSelector=app%3Dweb&resourceVersion=${c.metadata.resourceVersion}",
          [relabel("b", {"app": "web"}), change("b", "3"), relabel("b", {"app": "x"}), change("b", "4"), relabel("b", {"app": "web"}), remove("b")], events=6),
    watch("the labels of a selection came and went", MAPS + "?watch=true&labelSelector=app%3Dweb&resourceVersion=${c.metadata.resourceVersion}", events=6),
    watch("one name by a field", MAPS + "?watch=true&fieldSelector=metadata.name%3Da&resourceVersion=${c.metadata.resourceVersion}", [change("a", "6"), make("f")], events=2),
    watch("one name by the old path", "/api/v1/watch/namespaces/watches/configmaps/a?resourceVersion=${f.metadata.resourceVersion}", [change("a", "7"), change("f", "7")], events=1),
    watch("by the old path", "/api/v1/watch/namespaces/watches/configmaps?resourceVersion=${f.metadata.resourceVersion}", events=2),
    watch("by the old path of all namespaces", "/api/v1/watch/configmaps?resourceVersion=${f.metadata.resourceVersion}", events=2),
    watch("by a name in the path", MAPS + "/a?watch=true&resourceVersion=${f.metadata.resourceVersion}&timeoutSeconds=1"),
    watch("by a name in the path that the field contradicts", "/api/v1/watch/namespaces/watches/configmaps/a?fieldSelector=metadata.name%3Db&timeoutSeconds=1"),
    watch("by the old path with initial events", "/api/v1/watch/namespaces/watches/configmaps?sendInitialEvents=true&resourceVersionMatch=NotOlderThan"),
    watch("by the old path with a match", "/api/v1/watch/namespaces/watches/configmaps?resourceVersion=${f.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan", events=2),
    watch("all namespaces", "/api/v1/configmaps?watch=true&resourceVersion=${f.metadata.resourceVersion}", events=2),
    watch("another namespace", "/api/v1/namespaces/elsewhere/configmaps?watch=true&timeoutSeconds=1"),
    watch("ends in time", MAPS + "?watch=true&timeoutSeconds=1&resourceVersion=${f.metadata.resourceVersion}"),
    watch("of a version of the future", MAPS + "?watch=true&timeoutSeconds=1&resourceVersion=${f.metadata.resourceVersion+100000}"),
    watch("sendInitialEvents of a version of the future", MAPS + "?watch=true&timeoutSeconds=5&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${f.metadata.resourceVersion+100000}"),
    watch("of a version that is no number", MAPS + "?watch=true&resourceVersion=abc"),
    watch("a negative version", MAPS + "?watch=true&resourceVersion=-5&timeoutSeconds=1"),
    watch("a selector that cannot be read", MAPS + "?watch=true&labelSelector=a%20b"),
    watch("a field that cannot be selected", MAPS + "?watch=true&fieldSelector=data.k%3D1"),
    watch("a limit that is no number", MAPS + "?watch=true&limit=x"),
    watch("a timeout that is no number", MAPS + "?watch=true&timeoutSeconds=x"),
    watch("a negative timeout", MAPS + "?watch=true&timeoutSeconds=-1&resourceVersion=${f.metadata.resourceVersion}", events=0, only=[]),
    # Finalizers
    make("g", finalizers=["example.com/hold"]),
    watch("an object held by a finalizer", MAPS + "?watch=true&resourceVersion=${g.metadata.resourceVersion}",
          [remove("g"), unseen(patch("let go", "json", MAPS + "/g", [{"op": "remove", "path": "/metadata/finalizers"}]))], events=2),
    # Pods
    unseen(post("make p", PODS, pod("p"), keep="p")),
    watch("binding a pod, for its node", PODS + "?watch=true&fieldSelector=spec.nodeName%3Dn9&resourceVersion=${p.metadata.resourceVersion}",
          [unseen(post("bind p", PODS + "/p/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"apiVersion": "v1", "kind": "Node", "name": "n9"}}))], events=1),
    watch("binding a pod, for the scheduler", PODS + "?watch=true&fieldSelector=spec.nodeName%3D&resourceVersion=${p.metadata.resourceVersion}", events=1),
    # deletecollection
    watch("a collection is deleted", MAPS + "?watch=true&resourceVersion=${g.metadata.resourceVersion}",
          [unseen(delete("delete the collection", MAPS))], events=4),
    # Representations
    make("t"),
    watch("as metadata", MAPS + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          headers={"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}, events=2),
    watch("as tables", MAPS + "?watch=true&resourceVersion=${g.metadata.resourceVersion}&fieldSelector=metadata.name%3Dt", [change("t", "2"), remove("t")],
          headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}, events=3),
    watch("as tables with bookmarks", MAPS + "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}, events=1),
    watch("as lists of metadata, which is no form of an event", MAPS + "?watch=true&timeoutSeconds=1",
          headers={"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}),
    watch("as YAML", MAPS + "?watch=true&timeoutSeconds=1", headers={"Accept": "application/yaml"}),
]
