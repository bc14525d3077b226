"""Lists: paging, selectors and resource versions."""

from harness.case import configmap, delete, get, namespace, pod, post, unseen

NS = "/api/v1/namespaces/lists"
MAPS = NS + "/configmaps"


def made(name, **labels):
    return unseen(post("make " + name, MAPS, configmap(name, {"k": name}, labels=labels), keep=name))


CASES = [
    unseen(post("make the namespace", "/api/v1/namespaces", namespace("lists"))),
    get("of nothing", MAPS),
    get("of nothing in a namespace that is not there", "/api/v1/namespaces/nowhere/configmaps"),
    made("a", app="web", tier="front"),
    made("b", app="web", tier="back"),
    made("c", app="db"),
    made("d"),
    made("e", app="db", tier="back"),
    get("of all", MAPS, keep="all"),
    get("with the state of a version", MAPS + "?resourceVersion=${c.metadata.resourceVersion}"),
    get("of any state", MAPS + "?resourceVersion=0"),
    get("of any state, where a limit is ignored", MAPS + "?resourceVersion=0&limit=2"),
    get("of exactly one version", MAPS + "?resourceVersion=${c.metadata.resourceVersion}&resourceVersionMatch=Exact"),
    get("of exactly one version, since there is a limit", MAPS + "?resourceVersion=${c.metadata.resourceVersion}&limit=10"),
    get("of exactly one version in pages", MAPS + "?resourceVersion=${c.metadata.resourceVersion}&resourceVersionMatch=Exact&limit=1", keep="exact"),
    get("of exactly one version, the next page", MAPS + "?limit=1&continue=${exact.metadata.continue}"),
    get("not older than a version", MAPS + "?resourceVersion=${c.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan"),
    get("not older than a version in pages", MAPS + "?resourceVersion=${c.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan&limit=2"),
    get("not older than any", MAPS + "?resourceVersion=0&resourceVersionMatch=NotOlderThan"),
    get("not older than any in pages", MAPS + "?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=2"),
    get("a page of two", MAPS + "?limit=2", keep="page"),
    get("the second page", MAPS + "?limit=2&continue=${page.metadata.continue}", keep="page2"),
    get("the last page", MAPS + "?limit=2&continue=${page2.metadata.continue}"),
    get("the rest, without a limit", MAPS + "?continue=${page.metadata.continue}"),
    get("the second page, of another size", MAPS + "?limit=1&continue=${page.metadata.continue}"),
    get("a page as long as the list", MAPS + "?limit=5"),
    get("a page longer than the list", MAPS + "?limit=500"),
    get("a limit of nothing", MAPS + "?limit=0"),
    get("a negative limit", MAPS + "?limit=-1"),
    get("a limit that is no number", MAPS + "?limit=many"),
    get("a limit that is too large for a number", MAPS + "?limit=99999999999999999999"),
    get("a token with a version", MAPS + "?limit=2&resourceVersion=${c.metadata.resourceVersion}&continue=${page.metadata.continue}"),
    get("a token with version 0", MAPS + "?limit=2&resourceVersion=0&continue=${page.metadata.continue}"),
    get("a token with a match", MAPS + "?limit=2&resourceVersionMatch=Exact&continue=${page.metadata.continue}"),
    get("a token that is none", MAPS + "?limit=2&continue=xxxx"),
    get("a token of text that is no JSON", MAPS + "?limit=2&continue=aGVsbG8"),
    get("a token of an unknown form", MAPS + "?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjIiLCJydiI6MSwic3RhcnQiOiJhIn0"),
    get("a token without a start", MAPS + "?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0"),
    get("a token without a version", MAPS + "?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0"),
    get("a token that leads elsewhere", MAPS + "?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi9hIn0"),
    get("a match without a version", MAPS + "?resourceVersionMatch=Exact"),
    get("not older than nothing", MAPS + "?resourceVersionMatch=NotOlderThan"),
    get("exactly version 0", MAPS + "?resourceVersion=0&resourceVersionMatch=Exact"),
    get("a match that is not known", MAPS + "?resourceVersion=1&resourceVersionMatch=Newest"),
    get("a version that is no number", MAPS + "?resourceVersion=latest"),
    get("a negative version", MAPS + "?resourceVersion=-1"),
    get("a version of the future", MAPS + "?resourceVersion=${e.metadata.resourceVersion+1000000}"),
    get("exactly a version of the future", MAPS + "?resourceVersion=${e.metadata.resourceVersion+1000000}&resourceVersionMatch=Exact"),
    get("sendInitialEvents without a watch", MAPS + "?sendInitialEvents=true"),
    get("sendInitialEvents without a watch, with a match", MAPS + "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1"),
    get("allowWatchBookmarks without a watch", MAPS + "?allowWatchBookmarks=true", only=["kind", "apiVersion", "metadata", "message"]),
    get("timeoutSeconds without a watch", MAPS + "?timeoutSeconds=10", only=["kind"]),
    get("a timeout that is no number", MAPS + "?timeoutSeconds=soon"),
    get("of all namespaces", "/api/v1/configmaps?labelSelector=app=web"),
    get("pretty", MAPS + "?labelSelector=app=web&pretty=true"),
    # One object
    get("an object", MAPS + "/a"),
    get("an object of any state", MAPS + "/a?resourceVersion=0"),
    get("an object not older than a version", MAPS + "/a?resourceVersion=${c.metadata.resourceVersion}"),
    get("an object of the future", MAPS + "/a?resourceVersion=${c.metadata.resourceVersion+1000000}"),
    get("an object of a version that is no number", MAPS + "/a?resourceVersion=x"),
    get("an object that is not there", MAPS + "/nothing"),
    get("an object that is not there, of any state", MAPS + "/nothing?resourceVersion=0"),
    get("an object whose name cannot be", MAPS + "/Not_A_Name"),
    get("an object in a namespace that is not there", "/api/v1/namespaces/nowhere/configmaps/a"),
    # After a deletion
    unseen(delete("delete c", MAPS + "/c")),
    get("of what was at a version, though deleted since", MAPS + "?resourceVersion=${e.metadata.resourceVersion}&resourceVersionMatch=Exact"),
    get("a page begun before a deletion", MAPS + "?limit=2&continue=${page.metadata.continue}"),
    get("of what is left", MAPS),
]
