"""CustomResourceDefinitions and the kinds they define."""

from harness.case import (crd, delete, established, get, gone, namespace, patch, post, put, request, served, settle, unseen, watch)

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "crds.example.com"
SCHEMA = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 10},
                "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
                "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 5},
                "when": {"type": "string", "format": "date-time"},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "x-kubernetes-list-type": "set"},
                "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"], "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}, "name": {"type": "string", "default": "web"}}}},
                "either": {"x-kubernetes-int-or-string": True},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "map": {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2},
                "flag": {"type": "boolean", "nullable": True},
                "ratio": {"type": "number", "multipleOf": 0.5},
                "replicas": {"type": "integer"},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}, "selector": {"type": "string"}}},
    },
}
THINGS = f"/apis/{GROUP}/v1/namespaces/crds/things"


def thing(name, spec=None, **metadata):
    return {"apiVersion": GROUP + "/v1", "kind": "Thing", "metadata": {"name": name, **metadata}, "spec": {"size": 3} if spec is None else spec}


def invalid(name, spec):
    return post("invalid: " + name, THINGS, thing("bad", {"size": 3, **spec}))


def bad(name, change):
    definition = crd("bad.example.com", "bads", "Bad", {"type": "object"})
    change(definition)
    return post("a definition " + name, CRDS, definition)


def schema_of(definition, schema):
    definition["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": schema}


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("crds"))),
    get("before there is a definition", THINGS),
    post("a definition", CRDS, crd(GROUP, "things", "Thing", SCHEMA, names={"shortNames": ["th"], "categories": ["all"]}, version={
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}},
        "selectableFields": [{"jsonPath": ".spec.color"}],
        "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}, {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1, "description": "of it"}, {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}), keep="crd"),
    settle(CRDS + "/things." + GROUP, established),
    settle(THINGS, served),
    get("a definition that is established", CRDS + "/things." + GROUP),
    get("nothing of the new kind", THINGS),
    post("a thing is created", THINGS, thing("a", {"size": 3, "ports": [{"port": 80}], "free": {"x": {"y": [1]}}, "either": "5%", "unknown": 1}), keep="a"),
    post("a thing, strictly", THINGS + "?fieldValidation=Strict", thing("strict", {"size": 3, "unknown": 1, "ports": [{"port": 1, "odd": 2}]})),
    post("a thing, ignoring", THINGS + "?fieldValidation=Ignore", thing("ignoring", {"size": 3, "unknown": 1})),
    post("a thing with a member twice", THINGS, '{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":"twice"},"spec":{"size":3,"size":4}}' % GROUP, headers={"Content-Type": "application/json"}),
    post("a thing with unknown metadata", THINGS, thing("meta", unknown="x")),
    post("a thing with unknown metadata, strictly", THINGS + "?fieldValidation=Strict", thing("meta2", unknown="x")),
    post("a thing with bad metadata", THINGS, thing("meta3", labels={"a": 5})),
    post("a thing without a spec", THINGS, {"apiVersion": GROUP + "/v1", "kind": "Thing", "metadata": {"name": "bad"}}),
    post("a thing with an empty spec", THINGS, thing("bad", {})),
    post("a thing with a spec of text", THINGS, thing("bad", "x")),
    post("a thing with a spec that is null", THINGS, {"apiVersion": GROUP + "/v1", "kind": "Thing", "metadata": {"name": "bad"}, "spec": None}),
    post("a thing of another kind", THINGS, {"apiVersion": GROUP + "/v1", "kind": "Other", "metadata": {"name": "bad"}, "spec": {"size": 1}}),
    post("a thing of another version", THINGS, {"apiVersion": GROUP + "/v2", "kind": "Thing", "metadata": {"name": "bad"}, "spec": {"size": 1}}),
    post("a thing without kind and apiVersion", THINGS, {"metadata": {"name": "bare"}, "spec": {"size": 1}}),
    post("a thing with a bad name", THINGS, thing("Bad_Name")),
    invalid("too small", {"size": 0}), invalid("too large", {"size": 11}), invalid("a fraction", {"size": 1.5}), invalid("text for a number", {"size": "3"}),
    invalid("not one of", {"color": "blue"}), invalid("no match", {"name": "ABC"}), invalid("too short", {"name": "a"}), invalid("too long", {"name": "abcdef"}),
    invalid("no time", {"when": "soon"}), invalid("too many", {"tags": ["a", "b", "c", "d"]}), invalid("twice in a set", {"tags": ["a", "a"]}),
    invalid("twice in a map", {"ports": [{"port": 1}, {"port": 1}]}), invalid("an item without its key", {"ports": [{"name": "x"}]}),
    invalid("neither number nor text", {"either": True}), invalid("too many properties", {"map": {"a": 1, "b": 2, "c": 3}}), invalid("a property of a wrong type", {"map": {"a": "x"}}),
    invalid("null where it may not be", {"size": None}), invalid("no multiple", {"ratio": 0.3}), invalid("several", {"size": 0, "color": "blue", "name": "A"}),
    post("null where it may be", THINGS, thing("nullable", {"size": 3, "flag": None, "color": None})),
    post("a thing with a finalizer of no domain", THINGS, thing("held", finalizers=["hold"])),
    patch("a thing's finalizer of a domain alone", "merge", THINGS + "/held", {"metadata": {"finalizers": ["hold", "example.com"]}}),
    patch("a thing's finalizer goes", "merge", THINGS + "/held", {"metadata": {"finalizers": None}}),
    put("update", THINGS + "/a", thing("a", {"size": 4}, resourceVersion="${a.metadata.resourceVersion}"), keep="a2"),
    put("update without a version", THINGS + "/a", thing("a", {"size": 5})),
    put("update with an old version", THINGS + "/a", thing("a", {"size": 5}, resourceVersion="${a.metadata.resourceVersion}")),
    put("update of labels", THINGS + "/a", thing("a", {"size": 4}, labels={"x": "y"}, resourceVersion="${a2.metadata.resourceVersion}"), keep="a3"),
    put("update of the status by the object", THINGS + "/a", {**thing("a", {"size": 4}, resourceVersion="${a3.metadata.resourceVersion}"), "status": {"phase": "Odd"}}, keep="a4"),
    put("update of the status", THINGS + "/a/status", {**thing("a", {"size": 9}, resourceVersion="${a4.metadata.resourceVersion}", labels={"not": "this"}), "status": {"phase": "Good", "replicas": 1, "selector": "a=b"}}),
    put("update of the status to something invalid", THINGS + "/a/status", {**thing("a", {"size": 4}), "status": {"phase": 5}}),
    get("the status", THINGS + "/a/status"),
    patch("merge the status", "merge", THINGS + "/a/status", {"status": {"phase": "Better"}, "spec": {"size": 1}}),
    patch("merge", "merge", THINGS + "/a", {"spec": {"color": "green"}}),
    patch("merge to something invalid", "merge", THINGS + "/a", {"spec": {"color": "blue"}}),
    patch("json", "json", THINGS + "/a", [{"op": "add", "path": "/spec/tags", "value": ["x"]}]),
    patch("strategic is not for custom kinds", "strategic", THINGS + "/a", {"spec": {"size": 5}}),
    patch("apply", "apply", THINGS + "/applied?fieldManager=one", thing("applied", {"size": 3, "ports": [{"port": 1}], "tags": ["a"]})),
    patch("apply by another", "apply", THINGS + "/applied?fieldManager=two", thing("applied", {"ports": [{"port": 2}], "tags": ["b"]})),
    patch("apply in conflict", "apply", THINGS + "/applied?fieldManager=two", thing("applied", {"size": 4})),
    patch("apply of an unknown member", "apply", THINGS + "/applied?fieldManager=three", thing("applied", {"unknown": 4})),
    patch("apply of a wrong type", "apply", THINGS + "/applied?fieldManager=three", thing("applied", {"size": "x"})),
    get("the scale without replicas", THINGS + "/a/scale"),
    patch("replicas", "merge", THINGS + "/a", {"spec": {"replicas": 2}}),
    get("the scale", THINGS + "/a/scale"),
    put("update of the scale", THINGS + "/a/scale", {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", "namespace": "crds"}, "spec": {"replicas": 4}}),
    patch("merge the scale", "merge", THINGS + "/a/scale", {"spec": {"replicas": 5}}),
    put("a negative scale", THINGS + "/a/scale", {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", "namespace": "crds"}, "spec": {"replicas": -4}}),
    get("things of a colour", THINGS + "?fieldSelector=spec.color%3Dgreen"),
    get("things by a field that cannot be selected", THINGS + "?fieldSelector=spec.size%3D3"),
    get("things as a table", THINGS, headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}),
    get("a thing as a table", THINGS + "/a", headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}),
    get("things as metadata", THINGS, headers={"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}),
    get("the group", f"/apis/{GROUP}"),
    get("the group's kinds", f"/apis/{GROUP}/v1"),
    watch("from before the definition", THINGS + "?watch=true&resourceVersion=1&timeoutSeconds=1"),
    watch("a thing's life", THINGS + "?watch=true&resourceVersion=${a.metadata.resourceVersion}&fieldSelector=metadata.name%3Dw", [
        unseen(post("make w", THINGS, thing("w"))), unseen(patch("change w", "merge", THINGS + "/w", {"spec": {"size": 4}})), unseen(delete("delete w", THINGS + "/w"))], events=3),
    delete("a thing is deleted", THINGS + "/a"),
    delete("all things", THINGS, only=["kind", "apiVersion"]),
    # Changes of the definition
    patch("the definition's names", "merge", CRDS + "/things." + GROUP, {"spec": {"names": {"shortNames": ["tg"]}}}),
    patch("the definition's group", "merge", CRDS + "/things." + GROUP, {"spec": {"group": "other.example.com"}}),
    patch("the definition's scope", "merge", CRDS + "/things." + GROUP, {"spec": {"scope": "Cluster"}}),
    # Invalid definitions
    bad("with the wrong name", lambda d: d["metadata"].update(name="x.example.com")),
    bad("without a schema", lambda d: d["spec"]["versions"][0].pop("schema")),
    bad("without versions", lambda d: d["spec"].update(versions=[])),
    bad("with two storage versions", lambda d: d["spec"]["versions"].append({**d["spec"]["versions"][0], "name": "v2"})),
    bad("without a storage version", lambda d: d["spec"]["versions"][0].update(storage=False)),
    bad("with a version of a bad name", lambda d: d["spec"]["versions"][0].update(name="V1")),
    bad("with an unknown scope", lambda d: d["spec"].update(scope="World")),
    bad("without a kind", lambda d: d["spec"]["names"].pop("kind")),
    bad("with a bad plural", lambda d: d["spec"]["names"].update(plural="Bads")),
    bad("with a group without a dot", lambda d: (d["spec"].update(group="bad"), d["metadata"].update(name="bads.bad"))),
    bad("with a schema without a type", lambda d: schema_of(d, {})),
    bad("with a schema that is an array", lambda d: schema_of(d, {"type": "array", "items": {"type": "string"}})),
    bad("with a property without a type", lambda d: schema_of(d, {"type": "object", "properties": {"a": {}}})),
    bad("with an array without items", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"type": "array"}}})),
    bad("with an unknown type", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"type": "odd"}}})),
    bad("with a default of the wrong type", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}})),
    bad("with both properties and additionalProperties", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": {"type": "string"}}}})),
    bad("with a map of no keys", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}}}})),
    bad("with a pattern that is none", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}})),
    bad("with a reference", lambda d: schema_of(d, {"type": "object", "properties": {"a": {"$ref": "#/x"}}})),
    bad("with a bad printer column", lambda d: d["spec"]["versions"][0].update(additionalPrinterColumns=[{"name": "A", "type": "odd", "jsonPath": "x"}])),
    bad("with a warning of a version that is not deprecated", lambda d: d["spec"]["versions"][0].update(deprecationWarning="use another")),
    bad("with an empty warning", lambda d: d["spec"]["versions"][0].update(deprecated=True, deprecationWarning="")),
    bad("with a warning that is too long", lambda d: d["spec"]["versions"][0].update(deprecated=True, deprecationWarning="x" * 300)),
    bad("with a warning of several lines", lambda d: d["spec"]["versions"][0].update(deprecated=True, deprecationWarning="a\nb")),
    bad("with a webhook without its address", lambda d: d["spec"].update(conversion={"strategy": "Webhook"})),
    bad("that preserves unknown fields everywhere", lambda d: d["spec"].update(preserveUnknownFields=True)),
    delete("the definition is deleted", CRDS + "/things." + GROUP, only=["kind", "apiVersion"]),
    settle(CRDS + "/things." + GROUP, gone),
    settle(THINGS, gone),
    get("after the definition", THINGS),
    # Cluster-scoped, with two versions
    post("a definition of the cluster", CRDS, crd(GROUP, "worlds", "World", scope="Cluster", versions=[
        {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}},
        {"name": "v1beta1", "served": True, "storage": False, "deprecated": True, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}},
        {"name": "v2", "served": False, "storage": False, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}])),
    settle(CRDS + "/worlds." + GROUP, established),
    settle(f"/apis/{GROUP}/v1/worlds", served),
    settle(f"/apis/{GROUP}/v1beta1/worlds", served),
    post("a world", f"/apis/{GROUP}/v1/worlds", {"apiVersion": GROUP + "/v1", "kind": "World", "metadata": {"name": "w"}, "anything": {"goes": True}}),
    get("a world of a deprecated version", f"/apis/{GROUP}/v1beta1/worlds/w"),
    get("worlds of a deprecated version", f"/apis/{GROUP}/v1beta1/worlds"),
    get("a world of a deprecated version that is not there", f"/apis/{GROUP}/v1beta1/worlds/none"),
    get("a world of a version that is not served", f"/apis/{GROUP}/v2/worlds/w"),
    get("the worlds' group", f"/apis/{GROUP}"),
    get("a world in a namespace", f"/apis/{GROUP}/v1/namespaces/default/worlds/w"),
    get("a world as a table", f"/apis/{GROUP}/v1/worlds", headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}),
    unseen(delete("end worlds", CRDS + "/worlds." + GROUP)),
    settle(f"/apis/{GROUP}/v1/worlds", gone),
]
