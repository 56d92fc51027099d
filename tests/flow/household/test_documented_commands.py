"""What the documents tell a reader to type at a running household does what they say: it ends with exit code 0."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from butler_cli.local.state import write_private
from tests.support.documented import Documented, documented
from tests.support.household import RunningPlace, place

pytestmark = [pytest.mark.xdist_group("household"), pytest.mark.asyncio(loop_scope="module")]

ROOT = Path(__file__).parents[3]
DEADLINE_S = 90.0
ELSEWHERE = {
    "up": "starts a household: every test of this folder does",
    "down": "ends it: tests/integration/local",
    "backup": "writes where the document says: tests/flow/household/test_backup.py",
    "restore": "wants a household that is down: tests/flow/household/test_backup.py",
    "init": "makes a household of its own: tests/flow/cli/test_init_at_a_terminal.py",
    "replay": "wants a dead letter: tests/flow/cli",
    "discard": "wants a dead letter: tests/flow/cli",
    "cancel": "wants a request that moves: tests/flow/cli",
    "complete": "wants a request that moves: tests/flow/cli",
    "reroute": "wants a request that moves: tests/flow/cli",
    "approve": "wants a message that waits: tests/flow/cli",
    "deny": "wants a message that waits: tests/flow/cli",
    "approvals end": "wants a rule that was made with an approval: tests/flow/cli",
    "inbox read": "wants a mail: tests/flow/household/test_inbox_verb.py",
    "suppressions end": "wants somebody who is suppressed: tests/flow/household/test_examples.py",
    "learned end": "wants a rule that a member agreed to: tests/flow/switchboard/test_learned.py",
    "correct": "wants a request that went to the wrong butler: tests/flow/cli",
}
"""Verbs that are not typed here, and where they are."""
NOT_TYPED = ("--engine", "--backfill")
"""Options that want Java, or a backfill that ran: tests/integration/rollups."""


ORDERS = ("withdraw", "edit", "undo")
"""Verbs of `butlers records`, whose ID is a record's."""
CONTACTS = """\
- name: Ada Example
  role: owner
  identifiers:
    - {type: telegram, value: "1001", primary: true}
    - {type: email, value: ada@example.org}
"""


@dataclass(frozen=True)
class Typed:
    """How one command line ended."""

    code: int
    out: str
    err: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningPlace]:
    """A household that is up, whose contacts are in a file, as `butlers init` writes it."""
    async with place(tmp_path_factory.mktemp("household") / "place") as made:
        (made.manifests / "contacts.yaml").unlink()
        made.state.create()
        write_private(made.state.secrets_dir / "contacts" / "contacts.yaml", CONTACTS)
        async with made.up() as up:
            await up.back({})
            yield up
        await made.verb("down")  # the one that `butlers restart` started


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


async def kept_record(running: RunningPlace, *, changed: bool) -> str:
    """The id of a record that was just told, and put right since where an undo wants something to undo."""
    told = ["send", "--channel", "api", "--from", "ada", "--wait", "Paid 12 EUR for lunch"]
    assert (await typed(running, told)).code == 0
    listed = await typed(running, ["records", "--json", "--limit", "1"])
    record = str(json.loads(listed.out)["records"][0]["record_id"])
    if changed:
        assert (
            await typed(running, ["records", "edit", record, "--sum", "13", "--reason", "a test"])
        ).code == 0
    return record


def _is_elsewhere(words: list[str]) -> bool:
    return words[0] in ELSEWHERE or " ".join(words[:2]) in ELSEWHERE


def each_once() -> list[Documented]:
    """The commands to type, one of each wording."""
    wanted = [
        command
        for command in documented("butlers")
        if not _is_elsewhere(command.shortest()) and not set(NOT_TYPED) & set(command.shortest())
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
    if command.shortest()[0] == "records" and command.shortest()[1:2] and command.shortest()[1] in ORDERS:
        meant["ID"] = await kept_record(running, changed=command.shortest()[1] == "undo")
    ended = await typed(running, [meant.get(word, word) for word in command.shortest()])
    assert (ended.code, ended.err) == (0, ""), f"{command}\n{ended.out}{ended.err}"
    assert ended.out.strip(), f"{command} prints nothing"
