"""Authentication, authorization, and access reviews."""

from harness.case import configmap, delete, get, namespace, patch, post, put, served, settle, unseen

NS = "/api/v1/namespaces/access"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
MY = RBAC + "/namespaces/access"
ANN = {"Impersonate-User": "ann"}


def role(name, rules, kind="Role"):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "rules": rules}


def binding(name, role_kind, role_name, subjects, kind="RoleBinding"):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role_name}, "subjects": subjects}


def user(name):
    return {"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}


def review(kind, spec, **metadata):
    group = "authentication" if kind in ("TokenReview", "SelfSubjectReview") else "authorization"
    return {"apiVersion": group + ".k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


AUTHZ = "/apis/authorization.k8s.io/v1"
AUTHN = "/apis/authentication.k8s.io/v1"

CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("access"))),
    unseen(post("make a", NS + "/configmaps", configmap("a", {"k": "v"}))),
    get("nobody asks for the version", "/version", credentials="none", only=["kind", "message", "reason"]),
    get("nobody asks for health", "/healthz", credentials="none"),
    get("nobody asks for pods", "/api/v1/pods", credentials="none"),
    get("nobody asks for the groups", "/apis", credentials="none", only=["kind", "message", "reason", "details", "code"]),
    get("a wrong token", "/api/v1/pods", credentials="none", headers={"Authorization": "Bearer wrong"}),
    get("a wrong token for the version", "/version", credentials="none", headers={"Authorization": "Bearer wrong"}),
    get("another way to authenticate", "/api/v1/pods", credentials="none", headers={"Authorization": "Basic YTpi"}),
    get("someone without rights lists", NS + "/configmaps", headers=ANN),
    get("someone without rights gets", NS + "/configmaps/a", headers=ANN),
    get("someone without rights lists all", "/api/v1/configmaps", headers=ANN),
    get("someone without rights watches", NS + "/configmaps?watch=true", headers=ANN),
    post("someone without rights creates", NS + "/configmaps", configmap("x"), headers=ANN),
    put("someone without rights updates", NS + "/configmaps/a", configmap("a"), headers=ANN),
    patch("someone without rights patches", "merge", NS + "/configmaps/a", {}, headers=ANN),
    delete("someone without rights deletes", NS + "/configmaps/a", headers=ANN),
    delete("someone without rights deletes all", NS + "/configmaps", headers=ANN),
    get("someone without rights asks for a status", "/apis/apps/v1/namespaces/access/deployments/d/status", headers=ANN),
    get("someone without rights asks for nodes", "/api/v1/nodes", headers=ANN),
    get("someone without rights asks for a path", "/metrics", headers=ANN),
    get("someone without rights asks for a kind that is not there", NS + "/widgets", headers=ANN),
    get("someone without rights may discover", "/api/v1", headers=ANN, only=["kind"]),
    post("a role", MY + "/roles", role("reader", [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}])),
    post("a binding", MY + "/rolebindings", binding("reader", "Role", "reader", [user("ann")])),
    # A real server's authorizer sees new bindings a moment later.
    settle(NS + "/configmaps", served, headers=ANN),
    get("someone with rights gets", NS + "/configmaps/a", headers=ANN),
    get("someone with rights lists", NS + "/configmaps", headers=ANN),
    delete("someone with other rights deletes", NS + "/configmaps/a", headers=ANN),
    get("someone with rights elsewhere", "/api/v1/namespaces/default/configmaps", headers=ANN),
    post("a role without rules", MY + "/roles", role("none", None)),
    post("a role with a bad rule", MY + "/roles", role("bad", [{"apiGroups": [""], "resources": ["pods"]}, {"verbs": ["get"]}, {"nonResourceURLs": ["/x"], "verbs": ["get"]}])),
    post("a binding without a role", MY + "/rolebindings", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "bad"}, "subjects": []}),
    post("a binding of an unknown role", MY + "/rolebindings", binding("unknown", "Role", "unknown", [user("bob")])),
    post("a binding of bad subjects", MY + "/rolebindings", binding("bad", "Role", "reader", [{"kind": "Robot", "name": "r"}, {"kind": "User", "name": ""}])),
    put("the role of a binding cannot be changed", MY + "/rolebindings/reader", binding("reader", "Role", "none", [user("ann")])),
    post("a service account is bound", MY + "/rolebindings", binding("robot", "Role", "reader", [{"kind": "ServiceAccount", "name": "robot", "namespace": "access"}])),
    settle(NS + "/configmaps", served, headers={"Impersonate-User": "system:serviceaccount:access:robot"}),
    get("a service account by impersonation", NS + "/configmaps", headers={"Impersonate-User": "system:serviceaccount:access:robot"}),
    get("a service account without rights", NS + "/secrets", headers={"Impersonate-User": "system:serviceaccount:access:robot"}),
    post("someone who may not gives rights away", MY + "/roles", role("more", [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]), headers=ANN),
    unseen(post("make maker", MY + "/roles", role("maker", [{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["*"]}]))),
    unseen(post("bind maker", MY + "/rolebindings", binding("maker", "Role", "maker", [user("mia")]))),
    settle(MY + "/roles", served, headers={"Impersonate-User": "mia"}),
    post("someone gives away rights that he has not", MY + "/roles", role("more", [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}]), headers={"Impersonate-User": "mia"}),
    post("someone binds rights that he has not", MY + "/rolebindings", binding("more", "Role", "reader", [user("mia")]), headers={"Impersonate-User": "mia"}),
    post("a cluster role", RBAC + "/clusterroles", role("access-reader", [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}], "ClusterRole")),
    get("a role of the beginning", RBAC + "/clusterroles/cluster-admin"),
    get("a binding of the beginning", RBAC + "/clusterrolebindings/cluster-admin"),
    get("impersonating a group", "/api/v1/nodes", headers={"Impersonate-User": "ann", "Impersonate-Group": "system:masters"}, only=["kind"]),
    get("impersonating a group without a user", "/api/v1/nodes", headers={"Impersonate-Group": "system:masters"}),
    get("someone who may not impersonates", "/api/v1/nodes", credentials="none", headers={"Impersonate-User": "bob"}, only=["kind", "reason"]),
    # Reviews
    post("who am I", AUTHN + "/selfsubjectreviews", review("SelfSubjectReview", None), headers={"Impersonate-User": "ann", "Impersonate-Group": "devs", "Impersonate-Extra-Scopes": "a"}),
    post("may I", AUTHZ + "/selfsubjectaccessreviews", review("SelfSubjectAccessReview", {"resourceAttributes": {"namespace": "access", "verb": "get", "resource": "configmaps"}}), headers=ANN),
    post("may I not", AUTHZ + "/selfsubjectaccessreviews", review("SelfSubjectAccessReview", {"resourceAttributes": {"namespace": "access", "verb": "delete", "resource": "configmaps"}}), headers=ANN),
    post("may I a path", AUTHZ + "/selfsubjectaccessreviews", review("SelfSubjectAccessReview", {"nonResourceAttributes": {"path": "/openapi/v3", "verb": "get"}}), headers=ANN),
    post("may the administrator", AUTHZ + "/selfsubjectaccessreviews", review("SelfSubjectAccessReview", {"resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}})),
    post("may I nothing", AUTHZ + "/selfsubjectaccessreviews", review("SelfSubjectAccessReview", {})),
    post("may I both", AUTHZ + "/selfsubjectaccessreviews", review("SelfSubjectAccessReview", {"resourceAttributes": {"verb": "get", "resource": "pods"}, "nonResourceAttributes": {"path": "/x", "verb": "get"}})),
    post("may he", AUTHZ + "/subjectaccessreviews", review("SubjectAccessReview", {"user": "ann", "groups": ["x"], "resourceAttributes": {"namespace": "access", "verb": "get", "resource": "configmaps"}})),
    post("may nobody", AUTHZ + "/subjectaccessreviews", review("SubjectAccessReview", {"resourceAttributes": {"verb": "get", "resource": "configmaps"}})),
    post("may he here", AUTHZ + "/namespaces/access/localsubjectaccessreviews", review("LocalSubjectAccessReview", {"user": "ann", "resourceAttributes": {"namespace": "access", "verb": "get", "resource": "configmaps"}}, namespace="access")),
    post("may he elsewhere", AUTHZ + "/namespaces/access/localsubjectaccessreviews", review("LocalSubjectAccessReview", {"user": "ann", "resourceAttributes": {"namespace": "default", "verb": "get", "resource": "configmaps"}}, namespace="access")),
    post("what may I", AUTHZ + "/selfsubjectrulesreviews", review("SelfSubjectRulesReview", {"namespace": "access"}), headers=ANN),
    post("what may I without a namespace", AUTHZ + "/selfsubjectrulesreviews", review("SelfSubjectRulesReview", {}), headers=ANN),
    post("whose token is it", AUTHN + "/tokenreviews", review("TokenReview", {"token": "wrong"})),
    post("whose token is nothing", AUTHN + "/tokenreviews", review("TokenReview", {})),
    get("reviews cannot be listed", AUTHZ + "/subjectaccessreviews"),
    get("reviews cannot be got", AUTHZ + "/subjectaccessreviews/x"),
    post("a review of another kind", AUTHZ + "/subjectaccessreviews", configmap("x")),
    post("a dry run of a review", AUTHZ + "/selfsubjectaccessreviews?dryRun=All", review("SelfSubjectAccessReview", {"resourceAttributes": {"verb": "get", "resource": "pods"}}), only=["kind", "status"]),
    post("a review with an unknown member", AUTHZ + "/selfsubjectaccessreviews?fieldValidation=Strict", review("SelfSubjectAccessReview", {"odd": 1, "resourceAttributes": {"verb": "get", "resource": "pods"}})),
]
