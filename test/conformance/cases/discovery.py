"""Discovery and version."""

from harness.case import get

AGGREGATED = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
GROUPS = ["apps/v1", "batch/v1", "autoscaling/v2", "coordination.k8s.io/v1", "discovery.k8s.io/v1", "events.k8s.io/v1", "networking.k8s.io/v1", "policy/v1", "rbac.authorization.k8s.io/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1", "apiextensions.k8s.io/v1", "authorization.k8s.io/v1", "authentication.k8s.io/v1"]

CASES = [
    get("the core's versions", "/api"),
    get("the groups", "/apis"),
    get("the core", "/api/v1"),
    *[get("the kinds of " + one, "/apis/" + one) for one in GROUPS],
    *[get("the group " + one.split("/")[0], "/apis/" + one.split("/")[0]) for one in GROUPS],
    get("an unknown group", "/apis/example.com"),
    get("an unknown version", "/apis/apps/v7"),
    get("the core, aggregated", "/api", headers=AGGREGATED),
    get("the groups, aggregated", "/apis", headers=AGGREGATED),
    get("a group, aggregated", "/apis/apps/v1", headers=AGGREGATED, only=["kind", "groupVersion"]),
    get("the version", "/version", only=["major", "minor"]),
    get("the core with a slash", "/api/"),
    get("the groups with a slash", "/apis/"),
    get("the documents of OpenAPI", "/openapi/v3"),
]
