"""The known differences, each with its reason, and their table in docs/compatibility.md."""

import json
import re

START = "<!-- known differences: written by test/conformance/compare --write-docs -->"
END = "<!-- end of known differences -->"


def pattern(text):
    """A glob with * only, because paths contain brackets."""
    return re.compile("".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", text)), re.S)


class KnownDifferences:
    def __init__(self, file):
        self.reasons = json.loads(file.read_text())
        self.entries = []
        for reason in self.reasons:
            for where in reason["where"]:
                case, path = (pattern(where[key]) for key in ("case", "path"))
                self.entries.append({"case": case, "path": path, "where": where, "seen": False})

    def covers(self, case, path, real, ours):
        """A different status is known only as the exact pair that an entry names, whatever else is known of the case."""
        covered = False
        for entry in self.entries:
            if not entry["case"].fullmatch(case) or not entry["path"].fullmatch(path):
                continue
            if path == "status" and [real, ours] not in entry["where"].get("statuses", []):
                continue
            entry["seen"] = covered = True
        return covered

    def unseen(self):
        return [entry["where"] for entry in self.entries if not entry["seen"]]

    def table(self):
        rows = ["| what differs | why |", "|---|---|"]
        rows += [f"| {reason['what']} | {reason['why']} |" for reason in self.reasons]
        return "\n".join([START, *rows, END])

    def is_in(self, text):
        return self.table() in text

    def written_into(self, text):
        before, _, rest = text.partition(START)
        _, _, after = rest.partition(END)
        return before + self.table() + after
