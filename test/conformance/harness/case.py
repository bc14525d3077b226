"""The elements of a table of cases.

A case is one request, or one watch with the requests made while it runs. `keep` names the answer; a later path, header
or body of the same file may then contain ${name.metadata.uid} or, for a number, ${name.metadata.x+5}, which is replaced
by each server's own value.
"""

from dataclasses import dataclass, field
from typing import Any, Callable, Optional


@dataclass
class Case:
    name: str
    method: str
    path: str
    body: Any = None  # a dict or list is sent as JSON, text and bytes as they are
    headers: dict = field(default_factory=dict)
    keep: Optional[str] = None
    credentials: str = "admin"  # or "none": without a client certificate
    # For a watch: the requests made meanwhile, and the number of events to wait for (None: until the server ends it).
    during: Optional[list] = None
    events: Optional[int] = None
    # Repeats the request until this holds for (status, body), for effects that are asynchronous.
    until: Optional[Callable] = None
    compared: bool = True
    # Compares only these members of the body, the rest being irrelevant; empty: does not compare the body.
    only: Optional[list] = None

    @property
    def is_watch(self):
        return self.during is not None


def get(name, path, **more):
    return Case(name, "GET", path, **more)


def post(name, path, body=None, **more):
    return Case(name, "POST", path, body, **more)


def put(name, path, body=None, **more):
    return Case(name, "PUT", path, body, **more)


def delete(name, path, body=None, **more):
    return Case(name, "DELETE", path, body, **more)


def request(name, method, path, body=None, **more):
    return Case(name, method, path, body, **more)


PATCHES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


def patch(name, kind, path, body=None, headers=None, **more):
    return Case(name, "PATCH", path, body, headers={"Content-Type": PATCHES[kind], **(headers or {})}, **more)


def watch(name, path, during=(), events=None, **more):
    return Case(name, "GET", path, during=list(during), events=events, **more)


def settle(path, until, **more):
    """Waits for an asynchronous effect of an earlier request; not compared."""
    return Case("settle " + path, "GET", path, until=until, compared=False, **more)


def unseen(case):
    """Played but not compared, for setup."""
    case.compared = False
    return case


# --- Objects used by many cases ---


def namespace(name, **metadata):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **metadata}}


def configmap(name, data=None, **metadata):
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}}
    if data is not None:
        made["data"] = data
    return made


def pod(name, spec=None, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}], **(spec or {})},
    }


def deployment(name, spec=None, **metadata):
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, **metadata},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "nginx:1.25"}]},
            },
            **(spec or {}),
        },
    }


def crd(group, plural, kind, schema=None, scope="Namespaced", version=None, names=None, versions=None, **metadata):
    one = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {
            "openAPIV3Schema": schema
            or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        },
        **(version or {}),
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": plural + "." + group, **metadata},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": plural, "kind": kind, **(names or {})},
            "versions": versions or [one],
        },
    }


def established(status, body):
    conditions = body.get("status", {}).get("conditions") if status == 200 else None
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions or [])


def served(status, body):
    return status == 200


def gone(status, body):
    return status == 404
