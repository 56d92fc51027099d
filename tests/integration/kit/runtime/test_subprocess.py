"""The runner of programs, with small scripts: what they get, what they may write, their sure end (SWB-03.7)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from butler_contracts.errors import InternalFailure
from butler_kit.runtime import RuntimeUnavailable
from butler_kit.runtime.process import OutputCaps, Subprocess, run_subprocess, sweep

PRELUDE = """
import json, os, sys, time, subprocess
def say(what): print(json.dumps(what), flush=True)
"""
PYTHON = (sys.executable, "-I", "session.py")


@dataclass
class Ran:
    """What a script said, and how it ended."""

    said: list[Any] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    code: int | None = None
    stderr: str = ""

    async def line(self, line: str) -> None:
        try:
            self.said.append(json.loads(line))
        except ValueError:
            self.words.append(line)


async def run(
    script: str,
    folder: Path,
    payload: str = "",
    *,
    ran: Ran | None = None,
    env: Mapping[str, str] | None = None,
    argv: tuple[str, ...] = PYTHON,
    caps: OutputCaps | None = None,
) -> Ran:
    ran = ran or Ran()
    files = {"session.py": PRELUDE + script, "conf/system.txt": "You route."}
    launch = Subprocess(argv, env or {}, files, stdin=payload)
    async with asyncio.timeout(90):
        ran.code, ran.stderr = await run_subprocess(launch, ran.line, caps=caps, parent=folder)
    return ran


def is_over(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_the_payload_arrives_verbatim_on_stdin(tmp_path):
    payload = "--help `whoami` $(id) \u200b ü\n" + "x" * 400_000
    ran = await run("say(sys.stdin.read())", tmp_path, payload)
    assert (ran.code, ran.said) == (0, [payload])


async def test_the_session_sees_a_private_directory_with_its_files_only(tmp_path):
    script = """
say(sorted(os.listdir(".")))
say(open("conf/system.txt").read())
say([os.environ["HOME"] == os.environ["TMPDIR"] == os.getcwd(), oct(os.stat(".").st_mode & 0o777)])
say(oct(os.stat("conf/system.txt").st_mode & 0o777))
"""
    ran = await run(script, tmp_path)
    assert ran.said == [["conf", "session.py"], "You route.", [True, "0o700"], "0o600"]
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
        ran = await run(script, tmp_path, env={"MODEL_KEY": "k"})
    assert ran.said == [["HOME", "MODEL_KEY", "TMPDIR"], "closed"]


async def test_whoever_gives_up_waiting_ends_the_whole_process_group(tmp_path):
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
say([os.getpid(), child.pid])
time.sleep(600)
"""
    ran = Ran()
    running = asyncio.create_task(run(script, tmp_path, ran=ran))
    async with asyncio.timeout(90):
        while not ran.said:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert all(is_over(pid) for pid in ran.said[0])
    assert list(tmp_path.iterdir()) == []


async def test_a_child_left_behind_neither_holds_the_session_nor_stays(tmp_path):
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
say(child.pid)
"""
    ran = await run(script, tmp_path)
    assert ran.code == 0
    assert is_over(ran.said[0])


async def test_the_exit_code_and_what_was_written_to_stderr_are_told(tmp_path):
    ran = await run("say('finance'); sys.stderr.write('no key'); sys.exit(3)", tmp_path)
    assert (ran.said, ran.code, ran.stderr) == (["finance"], 3, "no key")


@pytest.mark.parametrize(
    "script", ["say('first'); print('x' * 20_000)", "say('first')\nwhile True: print('x' * 900, flush=True)"]
)
async def test_output_past_the_caps_ends_the_session(tmp_path, script):
    ran = Ran()
    with pytest.raises(InternalFailure, match="bytes"):
        await run(script, tmp_path, ran=ran, caps=OutputCaps(line_bytes=10_000, total_bytes=50_000))
    assert ran.said == ["first"]
    assert list(tmp_path.iterdir()) == []


async def test_any_amount_of_stderr_is_taken_without_stopping_the_session(tmp_path):
    ran = await run("sys.stderr.write('e' * 5_000_000); say('done')", tmp_path)
    assert ran.said == ["done"]
    assert len(ran.stderr) == OutputCaps().stderr_bytes


async def test_a_program_that_is_not_there_is_unavailable_and_named(tmp_path):
    with pytest.raises(RuntimeUnavailable, match="/nonexistent/codex"):
        await run("", tmp_path, argv=("/nonexistent/codex",))
    assert list(tmp_path.iterdir()) == []


async def test_a_session_that_reads_no_stdin_is_no_error(tmp_path):
    ran = await run("os.close(0); say('done')", tmp_path, "x" * 1_000_000)
    assert (ran.code, ran.said) == (0, ["done"])


BUTLER = """
import asyncio
from pathlib import Path
from butler_kit.runtime.process import Subprocess, run_subprocess
async def line(text):
    print(text, flush=True)
script = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
argv = (sys.executable, "-I", "-c", script)
asyncio.run(run_subprocess(Subprocess(argv), line, parent=Path(sys.argv[1])))
"""


async def test_a_program_dies_with_a_butler_that_is_killed(tmp_path):
    butler = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys" + BUTLER, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert butler.stdout is not None
    async with asyncio.timeout(60):
        program = psutil.Process(int(await butler.stdout.readline()))
    butler.kill()
    await butler.wait()
    async with asyncio.timeout(60):
        while not is_over(program.pid):
            await asyncio.sleep(0.02)


async def test_what_a_killed_butler_left_is_removed_and_what_runs_stays(tmp_path):
    butler = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys" + BUTLER, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert butler.stdout is not None
    await asyncio.wait_for(butler.stdout.readline(), 60)
    assert sweep(tmp_path, older_than_s=-1) == 0
    [left] = tmp_path.iterdir()
    butler.kill()
    await butler.wait()
    assert left.exists()
    assert sweep(tmp_path) == 0, "it may just be made"
    assert sweep(tmp_path, older_than_s=-1) == 1
    assert list(tmp_path.iterdir()) == []


async def test_a_child_that_has_left_the_group_holds_no_session(tmp_path):
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"], start_new_session=True)
say(child.pid)
"""
    ran = await asyncio.wait_for(run(script, tmp_path), 15)
    assert ran.code == 0
    psutil.Process(ran.said[0]).kill()


async def test_without_a_place_for_its_directory_a_session_is_unavailable(tmp_path):
    with pytest.raises(RuntimeUnavailable, match="no directory for a session"):
        await run("", tmp_path / "missing")


async def test_a_child_that_has_left_the_group_holds_no_reaper_of_a_session_that_is_given_up(tmp_path):
    script = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
say(child.pid)
time.sleep(600)
"""
    ran = Ran()
    running = asyncio.create_task(run(script, tmp_path, ran=ran))
    async with asyncio.timeout(60):
        while not ran.said:
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    async with asyncio.timeout(10):
        while any(task.get_name() == "session-reaper" for task in asyncio.all_tasks()):
            await asyncio.sleep(0.02)
    psutil.Process(ran.said[0]).kill()
