"""`kubectl butler dashboard` with a kubectl that forwards to a dashboard of this test (a token, a link, an end)."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

KUBECTL = """#!{python}
import sys, time
words = sys.argv[1:]
open({log!r}, "a").write(" ".join(words) + "\\n")
if words[0] == "port-forward":
    print("Forwarding from 127.0.0.1:{port} -> 40200", flush=True)
    time.sleep(120)
elif words[:2] == ["create", "token"]:
    print("a-token")
elif words[:2] == ["get", "service"] and {there}:
    print('{{"metadata": {{"name": "butlers-dashboard"}}}}')
"""
PROGRAM = "from butler_kubectl.main import butler; butler()"
DEADLINE_S = 60


class Dashboard(BaseHTTPRequestHandler):
    """Makes links for one token."""

    def do_POST(self) -> None:
        good = self.path == "/login/once" and self.headers["Authorization"] == "Bearer a-token"
        self.send_response(201 if good else 401)
        self.end_headers()
        self.wfile.write(b'{"path": "/login?once=x"}' if good else b"{}")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Dashboard)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def start(folder: Path, port: int, *words: str, there: bool = True) -> subprocess.Popen[str]:
    program = folder / "kubectl"
    log = str(folder / "asked")
    program.write_text(KUBECTL.format(python=sys.executable, log=log, port=port, there=there))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "BROWSER": str(folder / "browser")}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "dashboard", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
    )  # fmt: skip


def test_the_link_is_printed_and_ctrl_c_ends_it_well(tmp_path: Path, port: int) -> None:
    process = start(tmp_path, port, "--no-open", "--port", "8099", "-n", "home")
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(f"http://127.0.0.1:{port}/login?once=x ")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, said) == (0, "")
    asked = (tmp_path / "asked").read_text()
    assert "port-forward service/butlers-dashboard 8099:40200 --address=127.0.0.1" in asked
    assert "create token butlers-reader --audience=butlers.dev/dashboard --duration=1h" in asked
    assert "home" in asked


def test_whoever_acts_gets_a_link_by_a_token_of_their_own_account_for_switchboard(
    tmp_path: Path, port: int
) -> None:
    process = start(tmp_path, port, "--no-open", "--operator", "ada")
    assert process.stdout is not None
    assert process.stdout.readline().startswith(f"http://127.0.0.1:{port}/login?once=x ")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)
    asked = (tmp_path / "asked").read_text()
    assert "create token butlers-person-ada --audience=butlers.dev/switchboard --duration=1h" in asked
    assert "butlers-reader" not in asked


def test_a_household_without_one_is_told_how_to_get_it(tmp_path: Path, port: int) -> None:
    process = start(tmp_path, port, there=False)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "dashboard.enabled=true" in said
    assert len(said.strip().splitlines()) == 1
