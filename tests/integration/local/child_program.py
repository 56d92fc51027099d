"""A small real program for the supervisor's tests: `child_program.py BEHAVIOUR PORT [NOTES_FILE]`.

serve: answers /readyz with 200. unready: with 503. crash: ends at once with code 7. deaf: ignores SIGTERM.
hang: answers once, then never again. family: starts a grandchild that would outlive it. emigrants: starts one in a
session of its own, and ends.
"""

import http.server
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

behaviour, port = sys.argv[1], int(sys.argv[2])
notes = Path(sys.argv[3]) if len(sys.argv) > 3 else None
answered = threading.Event()


def note(text: str) -> None:
    if notes is not None:
        with notes.open("a") as file:
            file.write(f"{text} {os.getpid()}\n")


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if behaviour == "hang" and answered.is_set():
            time.sleep(3600)
        answered.set()
        self.send_response(503 if behaviour == "unready" else 200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return


def stop(_number: int, _frame: object) -> None:
    note(f"stopped {port}")
    sys.exit(0)


signal.signal(signal.SIGTERM, signal.SIG_IGN if behaviour == "deaf" else stop)
note("started")
print(f"{behaviour} speaks", flush=True)
if behaviour == "crash":
    sys.exit(7)
if behaviour in ("family", "emigrants"):
    grandchild = subprocess.Popen(["sleep", "3600"], start_new_session=behaviour == "emigrants")
    if notes is not None:
        with notes.open("a") as file:
            file.write(f"grandchild {grandchild.pid}\n")
if behaviour == "emigrants":
    sys.exit(0)
http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever()
