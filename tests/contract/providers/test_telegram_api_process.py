"""The Bot API server as the process that the demo starts: port, token, state file, SIGTERM."""

from __future__ import annotations

import signal
from pathlib import Path

import httpx

from tests.support.child import ChildProcess

TOKEN = "7000001:household-test"


def test_the_process_serves_keeps_its_state_and_ends_on_sigterm(tmp_path: Path) -> None:
    arguments = ["--port", "0", "--token", TOKEN, "--state", str(tmp_path / "state.jsonl")]
    update = {"message": {"chat": {"id": 1001, "type": "private"}, "text": "hello"}}
    with ChildProcess.python_module("tests.support.telegram_api", *arguments) as first:
        url = first.read_line().rsplit(" ", 1)[1]
        injected = httpx.post(f"{url}/control/updates", json=update, timeout=60).json()["update"]
        assert first.stop(signal.SIGTERM) == 0
    with ChildProcess.python_module("tests.support.telegram_api", *arguments) as second:
        url = second.read_line().rsplit(" ", 1)[1]
        assert httpx.get(f"{url}/bot{TOKEN}/getUpdates", timeout=60).json()["result"] == [injected]
        assert second.stop(signal.SIGTERM) == 0
