"""Two normalised values, field by field."""

ABSENT = "(absent)"


def named(items):
    """The items by their names, if each has one of its own."""
    if not items or not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in items):
        return None
    by_name = {one["name"]: one for one in items}
    return by_name if len(by_name) == len(items) else None


def differences(real, ours, path=""):
    """[(path, the real one's value, ours)]"""
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
