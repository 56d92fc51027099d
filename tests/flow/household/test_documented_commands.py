"""What the documents tell a reader to type at a running household does what they say: it ends with exit code 0."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.documented import Documented, documented
from tests.support.household import RunningPlace

pytestmark = [pytest.mark.xdist_group("household"), pytest.mark.asyncio(loop_scope="module")]

ROOT = Path(__file__).parents[3]
DEADLINE_S = 90.0
ELSEWHERE = {
    "up": "starts a household: every test of this folder does",
    "down": "ends it: tests/integration/local",
    "backup": "writes where the document says: tests/flow/household/test_backup.py",
    "restore": "wants a household that is down: tests/flow/household/test_backup.py",
    "init": "makes a household of its own: tests/flow/cli/test_init_at_a_terminal.py",
    "contacts": "wants contacts in a file: tests/unit/cli/test_contacts_verb.py",
    "replay": "wants a dead letter: tests/flow/cli",
    "discard": "wants a dead letter: tests/flow/cli",
}
"""Verbs that are not typed here, and where they are."""
NOT_TYPED = ("--engine", "--backfill")
"""Options that want Java, or a backfill that ran: tests/integration/rollups."""


@dataclass(frozen=True)
class Typed:
    """How one command line ended."""

    code: int
    out: str
    err: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def request_id(running: RunningPlace) -> str:
    """A request that has ended, for the pages that look at one."""
    sent = await typed(running, ["send", "--channel", "api", "--from", "ada", "--wait", "--json", "Hello"])
    assert sent.code == 0, sent
    return str(json.loads(sent.out)["request_id"])


async def typed(running: RunningPlace, words: list[str]) -> Typed:
    """Type `butlers …` in the checkout, with BUTLERS_STATE as the README exports it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "butler_cli.main", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={"BUTLERS_STATE": str(running.place.state.root), "PATH": "", "LANG": "C.UTF-8"},
    )
    async with asyncio.timeout(DEADLINE_S):
        out, err = await process.communicate()
    return Typed(process.returncode or 0, out.decode(), err.decode())


def each_once() -> list[Documented]:
    """The commands to type, one of each wording."""
    wanted = [
        command
        for command in documented("butlers")
        if command.shortest()[0] not in ELSEWHERE and not set(NOT_TYPED) & set(command.shortest())
    ]
    return list({tuple(command.shortest()): command for command in wanted}.values())


@pytest.mark.parametrize("command", [pytest.param(command, id=str(command)) for command in each_once()])
async def test_a_documented_command_works_at_a_running_household(
    command: Documented, running: RunningPlace, request_id: str, tmp_path: Path
) -> None:
    messages = tmp_path / "messages.jsonl"
    messages.write_text('{"id": "1", "text": "Paid 12 EUR for lunch"}\n', "utf-8")
    meant = {
        "ID": request_id,
        "REQUEST_ID": request_id,
        "DIR": str(running.place.manifests),
        messages.name: str(messages),
    }
    ended = await typed(running, [meant.get(word, word) for word in command.shortest()])
    assert (ended.code, ended.err) == (0, ""), f"{command}\n{ended.out}{ended.err}"
    assert ended.out.strip(), f"{command} prints nothing"
