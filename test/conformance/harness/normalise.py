"""Replaces values that necessarily differ between two servers by their meaning.

UIDs, resource versions and generated names become the place where they were first seen, so that equal values stay
equal; times, ages and ports become placeholders. The resourceVersion of a list or a bookmark is the store's, which also
increases with the server's own writes: it becomes the newest version seen that it includes.
"""

import base64
import json
import re

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
AGE = re.compile(r"(\d+[smhdy]){1,2}")
VERSION_IN_TEXT = re.compile(r"(resource version: |current: |resourceVersion: |ResourceVersion in [a-z ]*: |\((?=\d+\)))(\d+)")
VERSION_IN_JSON = re.compile(r'(\\?"resourceVersion\\?":\\?")\d+')
HASH = re.compile(r"hash=[0-9A-Za-z]+")
PORT = re.compile(r"127\.0\.0\.1:\d+")
MANAGED = ("operation", "manager", "subresource", "apiVersion")
# Lists that a real server returns in random order.
UNORDERED = ("resourceRules", "nonResourceRules")
LIST_KIND = re.compile(r".*List$|^Table$")


class Normaliser:
    def __init__(self):
        self.uids = {}
        self.versions = {}  # number → where it was first seen
        self.generated = {}
        self.fresh = []

    def answer(self, case_id, body):
        """The normalised body, and for each new version in it the latest known version before it."""
        self.case_id = case_id
        self.fresh = []
        known = sorted(self.versions)
        events = isinstance(body, list)
        result = [self.event(one, f"[{i}]") for i, one in enumerate(body)] if events else self.walk(body, "")
        order = ["after %s" % self.before(known, version) for version in self.fresh]
        return result, order

    def before(self, known, version):
        older = [one for one in known if one < version]
        return self.versions[older[-1]] if older else "nothing"

    def event(self, event, path):
        if not isinstance(event, dict) or event.get("type") != "BOOKMARK":
            return self.walk(event, path)
        return self.walk(event, path, bookmark=True)

    def walk(self, value, path, key="", bookmark=False, of_list=False):
        if isinstance(value, dict):
            return self.members(value, path, bookmark, of_list)
        if isinstance(value, list):
            if key == "managedFields":
                # The server sorts them by time; the second in which a write falls is random here.
                value = sorted(value, key=lambda one: json.dumps([one.get(name) for name in MANAGED], sort_keys=True))
            items = [self.walk(one, f"{path}[{i}]", key, bookmark) for i, one in enumerate(value)]
            if key in UNORDERED:
                items.sort(key=lambda one: json.dumps(one, sort_keys=True))
            if key == "causes":
                # A real server reports a cause twice if two of its checks find it.
                items = [one for i, one in enumerate(items) if one not in items[:i]]
            return items
        if isinstance(value, str):
            return self.text(value, path, key, bookmark or of_list)
        return value

    def members(self, value, path, bookmark, of_list):
        base, name = value.get("generateName"), value.get("name")
        if base and name and name.startswith(base) and len(name) == len(base) + 5:
            self.generated.setdefault(name, f"{base}<generated, {self.case_id}{path}>")
        is_list = isinstance(value.get("kind"), str) and LIST_KIND.match(value["kind"])
        result = {}
        # Items first: the list's own version is expressed in terms of theirs.
        for key in sorted(value, key=lambda one: (one == "metadata" and bool(is_list), one)):
            inner = f"{path}.{key}"
            if is_list and key == "metadata":
                result[key] = self.walk(value[key], inner, key, of_list=True)
            else:
                result[key] = self.walk(value[key], inner, key, bookmark, of_list)
        if result.get("kind") == "Status" and result.get("details") == {}:
            del result["details"]  # equivalent to none
        if of_list and result.get("continue") == "":
            del result["continue"]  # equivalent to none
        return result

    def text(self, text, path, key, of_store):
        if key == "resourceVersion" and text.isdigit() and text != "0":
            return self.store_version(int(text)) if of_store else self.version(int(text), path)
        if key == "continue" and text:
            return self.token(text)
        if key == "cells" and AGE.fullmatch(text):
            return "<age>"
        for name, symbol in self.generated.items():
            text = text.replace(name, symbol)
        text = UID.sub(lambda m: self.uid(m.group(0), path), text)
        text = TIME.sub(lambda m: "<time with a fraction>" if m.group(1) else "<time>", text)
        text = VERSION_IN_TEXT.sub(self.version_in_text, text)
        text = VERSION_IN_JSON.sub(r"\1<version>", text)
        text = HASH.sub("hash=<hash>", text)
        return PORT.sub("127.0.0.1:<port>", text)

    def uid(self, uid, path):
        return self.uids.setdefault(uid, f"<uid, {self.case_id}{path}>")

    def version(self, version, path):
        if version not in self.versions:
            self.versions[version] = f"<version, {self.case_id}{path}>"
            self.fresh.append(version)
        return self.versions[version]

    def store_version(self, version):
        older = [one for one in self.versions if one <= version]
        return "<store at %s>" % (self.versions[max(older)] if older else "its beginning")

    def version_in_text(self, match):
        version = int(match.group(2))
        if match.group(1) == "current: " or match.group(1) == "(":
            return match.group(1) + "<version>"  # the store's version
        return match.group(1) + self.versions.get(version, "<version>" if version else "0")

    def token(self, token):
        try:
            read = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
            if read.get("rv", -1) > 0:
                read["rv"] = self.store_version(read["rv"])
            # Rest of the key. A leading separator is an implementation detail of the server.
            read["start"] = read.get("start", "").lstrip("/")
            return read
        except ValueError:
            return "<unreadable token>"
