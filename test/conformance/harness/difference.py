"""Compares two normalised values field by field."""

ABSENT = "(absent)"


NAMES = ("name", "resource", "subresource")


def name_of(item):
    """What identifies a list item: an object's name, or the resource of a discovery entry."""
    if not isinstance(item, dict):
        return None
    found = [item[key] for key in NAMES if isinstance(item.get(key), str)]
    if found:
        return found[0]
    return name_of(item["metadata"]) if isinstance(item.get("metadata"), dict) else None


def named(items):
    """The items by name if all names are unique, else None."""
    by_name = {name_of(one): one for one in items}
    return by_name if items and None not in by_name and len(by_name) == len(items) else None


def differences(real, ours, path=""):
    """[(path, kube-apiserver's value, ours)]"""
    if isinstance(real, dict) and isinstance(ours, dict):
        found = []
        for key in sorted(set(real) | set(ours)):
            inner = f"{path}.{key}" if path else key
            found += differences(real.get(key, ABSENT), ours.get(key, ABSENT), inner)
        return found
    if isinstance(real, list) and isinstance(ours, list):
        return of_lists(real, ours, path)
    # 1 == True in Python.
    if real == ours and isinstance(real, bool) == isinstance(ours, bool):
        return []
    return [(path, real, ours)]


def of_lists(real, ours, path):
    found = []
    if real != ours and all(isinstance(one, str) for one in real + ours):
        return [(path, real, ours)]
    theirs, mine = named(real), named(ours)
    if theirs is not None and mine is not None and list(theirs) != list(mine):
        for name in sorted(set(theirs) | set(mine)):
            found += differences(theirs.get(name, ABSENT), mine.get(name, ABSENT), f"{path}[{name}]")
        common = [[name for name in one if name in theirs and name in mine] for one in (theirs, mine)]
        if common[0] != common[1]:
            found.append((path + "(order)", common[0], common[1]))
        return found
    for i in range(max(len(real), len(ours))):
        found += differences(
            real[i] if i < len(real) else ABSENT, ours[i] if i < len(ours) else ABSENT, f"{path}[{i}]"
        )
    return found
