"""The runner of subprocess families, with a family that runs a small Python script (the seam of SWB-03.7)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from butler_kit.runtime import (
    Launch,
    OutputCaps,
    SessionJob,
    SessionResult,
    SessionRow,
    SessionTool,
    Spawner,
    Subprocess,
    ToolBelt,
    ToolUse,
)
from butler_kit.time import SystemClock

SAY = SessionTool(
    "say",
    "Say something.",
    {
        "type": "object",
        "properties": {"what": {}},
        "required": ["what"],
        "additionalProperties": False,
    },
)
PRELUDE = """
import json, os, sys, time, subprocess
def say(what): print(json.dumps({"tool": "say", "args": {"what": what}}), flush=True)
"""


@dataclass(frozen=True)
class ScriptFamily:
    """Runs a script that reports its calls as JSON lines."""

    script: str
    env: Mapping[str, str] = field(default_factory=dict)
    argv: tuple[str, ...] = (sys.executable, "-I", "session.py")
    name: str = "script"

    def launch(self, job: SessionJob) -> Launch:
        files = {"session.py": PRELUDE + self.script, "conf/system.txt": job.system_text}
        return Subprocess(self.argv, self.env, files, stdin=job.payload)

    def parse(self, line: str) -> ToolUse | None:
        if not line.startswith("{"):
            return None
        call = json.loads(line)
        return ToolUse(call["tool"], call["args"])


class Forgetful:
    """Keeps neither rows nor metrics."""

    async def open(self, row: SessionRow) -> None: ...

    async def close(self, session_id: Any, **columns: Any) -> None: ...

    def set(self, name: str, value: float, /, **labels: str) -> None: ...

    def observe(self, name: str, value: float, /, **labels: str) -> None: ...


def a_job(payload: str = "", *, deadline_s: float = 30.0, max_calls: int = 16) -> SessionJob:
    return SessionJob(
        session_id=uuid4(),
        kind="route",
        system_text="You route.",
        payload=payload,
        tools=ToolBelt([SAY], max_calls=max_calls),
        model="test",
        prompt_version="1",
        deadline_s=deadline_s,
    )


def spawner(family: ScriptFamily, folder: Path, caps: OutputCaps | None = None) -> Spawner:
    forgetful = Forgetful()
    return Spawner(
        "general",
        family,
        1,
        clock=SystemClock(),
        metrics=forgetful,
        session_store=forgetful,
        caps=caps,
        work_dir=folder,
    )


async def run(
    script: str, folder: Path, job: SessionJob | None = None, caps: OutputCaps | None = None, **family: Any
) -> SessionResult:
    return await spawner(ScriptFamily(script, **family), folder, caps).trigger(job or a_job(), "route")


def said(result: SessionResult) -> list[Any]:
    return [call.args["what"] for call in result.tool_calls]


async def test_the_payload_arrives_verbatim_on_stdin_and_calls_are_recorded(tmp_path):
    payload = "--help `whoami` $(id) \u200b ü\n" + "x" * 400_000
    result = await run("say(sys.stdin.read())", tmp_path, a_job(payload))
    assert result.status == "completed"
    assert said(result) == [payload]


async def test_the_session_sees_a_private_directory_with_its_files_only(tmp_path):
    script = """
say(sorted(os.listdir(".")))
say(open("conf/system.txt").read())
say([os.environ["HOME"] == os.environ["TMPDIR"] == os.getcwd(), oct(os.stat(".").st_mode & 0o777)])
say(oct(os.stat("conf/system.txt").st_mode & 0o777))
"""
    result = await run(script, tmp_path)
    assert said(result) == [["conf", "session.py"], "You route.", [True, "0o700"], "0o600"]
    assert list(tmp_path.iterdir()) == []


async def test_the_session_inherits_no_environment_and_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("BUTLERS_DATABASE_URL", "postgresql://secret")
    with (tmp_path / "open.txt").open("w") as kept:
        os.set_inheritable(kept.fileno(), True)
        script = f"""
say(sorted(name for name in os.environ if name != "LC_CTYPE"))
try:
    os.fstat({kept.fileno()})
    say("inherited")
except OSError:
    say("closed")
"""
        result = await run(script, tmp_path, env={"MODEL_KEY": "k"})
    assert said(result) == [["HOME", "MODEL_KEY", "TMPDIR"], "closed"]


async def test_the_deadline_kills_the_whole_process_group_and_keeps_the_calls(tmp_path):
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
say([os.getpid(), child.pid])
time.sleep(600)
"""
    result = await run(script, tmp_path, a_job(deadline_s=3))
    assert result.status == "timeout"
    for pid in said(result)[0]:
        assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert list(tmp_path.iterdir()) == []


async def test_a_child_left_behind_neither_holds_the_session_nor_stays(tmp_path):
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
say(child.pid)
"""
    result = await asyncio.wait_for(run(script, tmp_path), 90)
    assert result.status == "completed"
    pid = said(result)[0]
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_cancelling_the_trigger_kills_the_session(tmp_path):
    pool = spawner(ScriptFamily("say(os.getpid()); time.sleep(600)"), tmp_path)
    job = a_job()
    running = asyncio.create_task(pool.trigger(job, "route"))
    async with asyncio.timeout(90):
        while not job.tools.ledger:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not psutil.pid_exists(job.tools.ledger[0].args["what"])
    assert list(tmp_path.iterdir()) == []


async def test_an_exit_code_changes_the_status_and_not_the_verdict(tmp_path, caplog):
    result = await run("say('finance'); sys.stderr.write('no key'); sys.exit(3)", tmp_path)
    assert result.status == "failed"
    assert said(result) == ["finance"]
    assert result.error is not None
    assert "no key" not in result.error.message
    assert "no key" in caplog.text


async def test_words_are_no_verdict(tmp_path):
    result = await run("print('I route this to finance.')", tmp_path)
    assert result.status == "completed"
    assert result.tool_calls == ()


async def test_a_refused_call_does_not_end_the_session(tmp_path):
    script = """
print(json.dumps({"tool": "rm", "args": {}}), flush=True)
print(json.dumps({"tool": "say", "args": {"what": 1, "as": "admin"}}), flush=True)
say("right")
"""
    result = await run(script, tmp_path)
    assert result.status == "completed"
    assert said(result) == ["right"]


@pytest.mark.parametrize(
    "script", ["say('first'); print('x' * 20_000)", "say('first')\nwhile True: print('x' * 900, flush=True)"]
)
async def test_output_past_the_caps_ends_the_session(tmp_path, script):
    caps = OutputCaps(line_bytes=10_000, total_bytes=50_000)
    result = await asyncio.wait_for(run(script, tmp_path, caps=caps), 90)
    assert result.status == "failed"
    assert said(result) == ["first"]
    assert result.error is not None
    assert "bytes" in result.error.message


async def test_any_amount_of_stderr_is_taken_without_stopping_the_session(tmp_path):
    result = await run("sys.stderr.write('e' * 5_000_000); say('done')", tmp_path)
    assert said(result) == ["done"]


async def test_a_program_that_is_not_there_is_unavailable_and_named(tmp_path):
    result = await run("", tmp_path, argv=("/nonexistent/codex",))
    assert result.status == "failed"
    assert result.error is not None
    assert result.error.error_class == "target_unavailable"
    assert "/nonexistent/codex" in result.error.message
    assert list(tmp_path.iterdir()) == []


async def test_a_session_that_reads_no_stdin_is_no_error(tmp_path):
    result = await run("os.close(0); say('done')", tmp_path, a_job("x" * 1_000_000))
    assert result.status == "completed"
    assert said(result) == ["done"]
