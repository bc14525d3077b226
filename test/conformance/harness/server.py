"""One of the two servers, with its etcd. It ends when its standard input is closed."""

import base64
import http.client
import json
import pathlib
import queue
import re
import socket
import ssl
import subprocess
import threading
import time

PATIENCE = 30  # seconds to wait for an answer, a watch's events or settling
GRACE = 0.15  # seconds in which a watch may still deliver an unexpected event


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers  # [(name, value)]
        self.text = body
        try:
            self.body = json.loads(body)
        except ValueError:
            self.body = body.decode("utf-8", "backslashreplace") if isinstance(body, bytes) else body


class Server:
    def __init__(self, kind, program, environment, folder):
        self.kind = kind
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen(
            [program, kind, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.connections = {}
        self.answers = {}

    def await_ready(self):
        if self.process.stdout.readline().strip() != b"ready":
            raise RuntimeError(f"{self.kind} did not start")
        config = (self.folder / "kubeconfig").read_text()
        self.host, port = re.search(r"server: https://([\d.]+):(\d+)", config).groups()
        self.port = int(port)

        def file_of(key):
            path = self.folder / key
            path.write_bytes(base64.b64decode(re.search(key + r": (\S+)", config).group(1)))
            return path

        authority = file_of("certificate-authority-data")
        self.contexts = {}
        for credentials in ("admin", "none"):
            context = ssl.create_default_context(cafile=authority)
            context.check_hostname = False
            if credentials == "admin":
                context.load_cert_chain(file_of("client-certificate-data"), file_of("client-key-data"))
            self.contexts[credentials] = context

    def stop(self):
        for connection in self.connections.values():
            connection.close()
        self.process.stdin.close()
        self.process.wait()

    def connect(self, credentials):
        connection = http.client.HTTPSConnection(
            self.host, self.port, timeout=PATIENCE, context=self.contexts[credentials]
        )
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    # --- Playing a case ---

    def fill(self, text):
        """The text, with ${name.path} replaced by this server's own values."""

        def value(match):
            path, _, add = match.group(1).partition("+")
            name, *keys = path.split(".")
            found = self.answers[name]
            for key in keys:
                found = found[int(key)] if isinstance(found, list) else found[key.replace("~", ".")]
            return str(int(found) + int(add)) if add else str(found)

        return re.sub(r"\$\{([^}]+)\}", value, text)

    def prepare(self, case):
        headers = {"User-Agent": "conformance/1.0", "Accept": "application/json"}
        body = case.body
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        headers.update(case.headers)
        headers = {name: self.fill(value) for name, value in headers.items() if value is not None}
        if isinstance(body, str):
            body = self.fill(body).encode()
        return case.method, self.fill(case.path), body, headers

    def play(self, case, record):
        """Plays a case and calls record(case, answer) for each answer; requests within a watch come first."""
        if case.is_watch:
            self.play_watch(case, record)
            return
        try:
            method, path, body, headers = self.prepare(case)
        except (KeyError, IndexError, TypeError, ValueError) as e:
            record(case, Answer(0, [], f"cannot be asked: {e!r} is not in an earlier answer"))
            return
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.ask(case.credentials, method, path, body, headers)
            if case.until is None or case.until(answer.status, answer.body):
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.kind}: never settled: {case.name}: {answer.status} {answer.text[:500]}")
            time.sleep(0.05)
        if case.keep:
            self.answers[case.keep] = answer.body
        record(case, answer)

    def ask(self, credentials, method, path, body, headers):
        for attempt in (1, 2):
            connection = self.connections.pop(credentials, None) or self.connect(credentials)
            try:
                connection.request(method, path, body=body, headers=headers)
                response = connection.getresponse()
                answer = Answer(response.status, response.getheaders(), response.read())
                self.connections[credentials] = connection
                return answer
            except (http.client.HTTPException, OSError):
                # The server may have closed the idle connection, which only shows now.
                connection.close()
                if attempt == 2:
                    raise

    def play_watch(self, case, record):
        method, path, body, headers = self.prepare(case)
        connection = self.connect(case.credentials)
        reader = None
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                record(case, Answer(response.status, response.getheaders(), response.read()))
                return
            lines = queue.Queue()
            reader = threading.Thread(target=self.read_lines, args=(response, lines), daemon=True)
            reader.start()
            for one in case.during:
                self.play(one, record)
            events = []
            while True:
                enough = case.events is not None and len(events) >= case.events
                try:
                    line = lines.get(timeout=GRACE if enough else PATIENCE)
                except queue.Empty:
                    if not enough:
                        events.append("nothing more within %d s" % PATIENCE)
                    break
                if line is None:
                    break
                try:
                    events.append(json.loads(line))
                except ValueError:
                    events.append(line.decode("utf-8", "backslashreplace"))
            if case.events is None:
                events.append("(the server ended it)")
            if case.keep:
                self.answers[case.keep] = events
            answer = Answer(response.status, response.getheaders(), b"")
            answer.body = events
            record(case, answer)
        finally:
            self.hang_up(connection)
            if reader is not None:
                reader.join()
            connection.close()

    @staticmethod
    def hang_up(connection):
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass  # it was closed already

    @staticmethod
    def read_lines(response, lines):
        try:
            while line := response.readline():
                if line.strip():
                    lines.put(line)
        except (http.client.HTTPException, OSError, ValueError):
            pass
        lines.put(None)
