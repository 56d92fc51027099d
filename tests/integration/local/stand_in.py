"""A stand-in for any service: takes its port from `butler.toml` or its environment, answers 200 to everything.

What it was called with goes to its log as JSON lines, so that a test can see what reached which process.
"""

import http.server
import json
import os
import signal
import sys
import tomllib
from pathlib import Path


def port() -> int:
    for variable in ("CONNECTOR_HEALTH_PORT", "BUTLERS_PORT"):
        if variable in os.environ:
            return int(os.environ[variable])
    text = Path(sys.argv[sys.argv.index("--config") + 1]).read_text()
    butler = tomllib.loads(text)["butler"]
    if butler["name"] == "broken":
        sys.exit("told to break")
    return int(butler["port"])


def note(**what: object) -> None:
    print(json.dumps(what), flush=True)


known: list[str] = []


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(
            {"butlers": [{"name": name, "eligibility_state": "active"} for name in known]}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"null")
        if self.command == "PUT":
            known.append(self.path.rpartition("/")[2])
        note(method=self.command, path=self.path, body=body, authorization=self.headers["Authorization"])
        answer = b'{"path": "/login?once=stand-in"}' if self.path == "/login/once" else b""
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self.do_PUT()

    def log_message(self, format: str, *args: object) -> None:
        return


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
note(env=dict(os.environ), arguments=sys.argv[1:])
if "--sync-contacts" in sys.argv:
    sys.exit("told to fail" if "Eve" in Path(os.environ["BUTLERS_CONTACTS_FILE"]).read_text() else 0)
http.server.ThreadingHTTPServer(("127.0.0.1", port()), Answer).serve_forever()
