"""Command lines for tests: the real ones where they are installed, and one whose program is a script of the test.

The scripted one comes to its session's door as the others do, over real HTTP; `call` answers what the model would read.
`Counting` is the ledger of what their sessions reserve and spend.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from butler_contracts.budgets import Asking, Bound, Reservation, Spent
from butler_kit.runtime.api.endpoint import Provider
from butler_kit.runtime.budget import Tokens
from butler_kit.runtime.commandline import COMMAND_LINES
from butler_kit.runtime.commandline.told import (
    TOKEN,
    Amiss,
    Asked,
    CarriedOut,
    Heard,
    Summed,
    Took,
    base_env,
    prompt,
    words,
)
from butler_kit.runtime.process import Subprocess

__all__ = [
    "INSTALLED",
    "Counting",
    "Scripted",
    "needs",
    "path_with_programs",
    "pids_in",
    "starts_another",
    "until_over",
]

INSTALLED = Path(sys.prefix) / "command-lines" / "bin"
"""Where `make command-lines` puts them."""

_PRELUDE = """
import json, os, subprocess, sys, time, urllib.error, urllib.request
URL, TOKEN = sys.argv[1], os.environ["BUTLER_SESSION_TOKEN"]
def post(method, params, token=TOKEN, url=URL):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "Authorization": "Bearer " + token, "MCP-Protocol-Version": "2025-06-18"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
        return json.load(answer)
def tools():
    return [tool["name"] for tool in post("tools/list", {})["result"]["tools"]]
def call(tool, **args):
    done = post("tools/call", {"name": tool, "arguments": args})["result"]
    return done["content"][0]["text"]
def tell(**said): print(json.dumps(said), flush=True)
"""


def path_with_programs(path: str) -> str:
    """`path`, where the installed command lines are found first."""
    return f"{INSTALLED}:{path}"


def needs(family: str) -> pytest.MarkDecorator:
    """Skips a test where the program of `family` is not installed."""
    program = COMMAND_LINES[family].program
    there = shutil.which(program, path=str(INSTALLED)) is not None
    return pytest.mark.skipif(not there, reason=f"{program} is not installed: make command-lines")


@dataclass
class Counting:
    """A ledger that takes down what was reserved, asked and spent."""

    spent: list[Spent] = field(default_factory=list)
    reserved: list[Reservation] = field(default_factory=list)
    asked: list[Asking] = field(default_factory=list)
    left: int = 1_000
    """How many more sessions the day may have."""

    async def reserve(self, wanted: Reservation) -> Bound | None:
        self.left -= 1
        if self.left < 0:
            return Bound.DAY_SESSIONS
        self.reserved.append(wanted)
        return None

    async def asking(self, asking: Asking) -> bool:
        self.asked.append(asking)
        return True

    async def settle(self, spent: Spent) -> None:
        self.spent.append(spent)


@dataclass(frozen=True)
class Scripted:
    """A command line whose program is `script`; it is heard by lines.

    These are `{"took": [in, out]}` (with `more`, the `answer` it is of and its `calls`), `{"sum": [in, out]}`,
    `{"done": calls}`, `{"amiss": status}` and `{"wrote": text}`.
    """

    script: str
    name: str = "scripted"
    program: str = sys.executable
    provider: Provider = "openai"

    def launch(self, asked: Asked) -> Subprocess:
        env = base_env(asked) | {"MODEL": asked.model}
        assert TOKEN in env
        return Subprocess(
            argv=(asked.program, "-I", "session.py", asked.door_url),
            env=env,
            files={"session.py": _PRELUDE + self.script},
            stdin=prompt(asked.job),
        )

    def read(self, said: Mapping[str, Any]) -> Heard | None:
        if "took" in said:
            more, calls = bool(said.get("more")), frozenset(said.get("calls", ()))
            return Took(Tokens(*said["took"]), wants_more=more, answer=said.get("answer"), calls=calls)
        if "sum" in said:
            return Summed(Tokens(*said["sum"]))
        if "done" in said:
            return CarriedOut(frozenset(said["done"]))
        if "wrote" in said:
            return words(said["wrote"])
        return Amiss(said["amiss"]) if "amiss" in said else None


_STARTS_ANOTHER = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(PIDS + ".new", "w") as out:
    json.dump([os.getpid(), child.pid], out)
os.rename(PIDS + ".new", PIDS)
time.sleep(600)
"""
_DEADLINE_S = 60.0


def starts_another(pids: Path) -> Scripted:
    """A program that starts another one, writes the ids of both to `pids`, and goes on for ten minutes."""
    return Scripted(f"PIDS = {str(pids)!r}\n{_STARTS_ANOTHER}")


async def pids_in(path: Path) -> list[int]:
    """Wait for the ids that a program writes there."""
    async with asyncio.timeout(_DEADLINE_S):
        while not path.exists():  # noqa: ASYNC240 - another process writes it
            await asyncio.sleep(0.02)
    found: list[int] = json.loads(path.read_text("utf-8"))  # noqa: ASYNC240
    return found


async def until_over(pids: list[int]) -> None:
    """Wait until none of these processes runs."""
    async with asyncio.timeout(_DEADLINE_S):
        while any(_runs(pid) for pid in pids):
            await asyncio.sleep(0.02)


def _runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
