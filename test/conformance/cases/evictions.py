"""Pod evictions, subject to disruption budgets."""

from harness.case import delete, get, namespace, patch, pod, post, unseen

NS = "/api/v1/namespaces/evictions"
PODS = NS + "/pods"
BUDGETS = "/apis/policy/v1/namespaces/evictions/poddisruptionbudgets"


def eviction(name, **more):
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "evictions"}, **more}


def evict(what, name, body=None, query=""):
    return post(what, PODS + "/" + name + "/eviction" + query, eviction(name) if body is None else body)


def running(name, app, ready=True):
    """Creates a running pod that budgets count."""
    status = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}}
    return [unseen(post("make " + name, PODS, pod(name, labels={"app": app}))),
            unseen(patch(name + " runs", "merge", PODS + "/" + name + "/status", status))]


def budget(name, app, **spec):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}, **spec}}


def says(name, **status):
    """Sets a budget's status, as its controller would."""
    return unseen(patch(name + " is observed", "merge", BUDGETS + "/" + name + "/status", {"status": status}))


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("evictions"))),
    evict("of what is not there", "none"),
    *running("free", "free"),
    evict("under another name", "free", eviction("other")),
    evict("in another namespace", "free", {**eviction("free"), "metadata": {"name": "free", "namespace": "other"}}),
    evict("that is another kind", "free", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "free"}}),
    evict("of a dry run", "free", query="?dryRun=All"),
    evict("of a dry run by its options", "free", eviction("free", deleteOptions={"dryRun": ["All"]})),
    evict("of another object of that name", "free", eviction("free", deleteOptions={"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}})),
    get("nothing has happened", PODS + "/free"),
    get("evictions cannot be read", PODS + "/free/eviction"),
    evict("without a budget", "free"),
    get("it is gone", PODS + "/free"),
    unseen(post("make pending", PODS, pod("pending", labels={"app": "web"}))),
    *running("web-0", "web"), *running("web-1", "web"), *running("web-2", "web", ready=False),
    unseen(post("make the budget", BUDGETS, budget("web", "web"))),
    evict("whose budget nobody has looked at", "web-0"),
    evict("of a pod that waits needs no budget", "pending"),
    says("web", observedGeneration=1, disruptionsAllowed=0, currentHealthy=1, desiredHealthy=2, expectedPods=3),
    evict("that a budget forbids", "web-0"),
    evict("of a pod that is not ready where others are missing", "web-2"),
    says("web", observedGeneration=1, disruptionsAllowed=1, currentHealthy=2, desiredHealthy=1, expectedPods=3),
    evict("of a dry run that a budget allows", "web-0", query="?dryRun=All"),
    evict("of a pod that is not ready where others are not missing", "web-2"),
    get("the budget as before", BUDGETS + "/web"),
    evict("that a budget allows", "web-0"),
    evict("that it does not allow any more", "web-1"),
    unseen(post("make a second budget", BUDGETS, budget("web-too", "web"))),
    evict("of a pod with two budgets", "web-1"),
    unseen(delete("one budget goes", BUDGETS + "/web-too")),
    unseen(patch("it is over", "merge", PODS + "/web-1/status", {"status": {"phase": "Succeeded"}})),
    evict("of a pod that is over", "web-1"),
    *running("api-0", "api", ready=False),
    unseen(post("make a budget of another policy", BUDGETS, budget("api", "api", unhealthyPodEvictionPolicy="AlwaysAllow"))),
    evict("of a pod that is not ready, which may always go", "api-0"),
    # The field manager of this status update depends on the program.
    get("the budget after all", BUDGETS + "/web", only=["status.disruptionsAllowed", "status.currentHealthy", "status.observedGeneration", "kind"]),
    get("the pods that are left", PODS),
]
