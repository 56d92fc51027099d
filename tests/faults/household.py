"""The whole household under faults: points that can be armed, kills that are counted, and the check from outside.

A `Field` is one household with its providers; `outside_check` holds what the providers, the database and the ops API
have seen against what was handed to the channels, and enters it into the ledger.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path

from butler_cli.local.status import PlaceStatus, read_status
from butler_contracts.errors import ButlerError
from butler_kit.auth import TokenFile
from butler_kit.faults.armed import TAKEN
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.mcp import CachedMCPClient, ToolError
from tests.faults.ledger import LEDGER
from tests.flow.household.load import End, Load, Shape
from tests.support.household import Place, RunningPlace, is_alive, place, until
from tests.support.memory import alone_mb
from tests.support.telegram_api import message_update, person

__all__ = [
    "FORK_SERVER",
    "POSTGRES",
    "SUPERVISOR",
    "Armed",
    "Field",
    "environment_of",
    "faulty_household",
    "outside_check",
]

POSTGRES, SUPERVISOR, FORK_SERVER = "PostgreSQL", "supervisor", "fork server"
RECOVERED_S = 120.0
"""Everything accepted is terminal within this after the household is whole again."""
OWNER = 1001


class Armed:
    """The directory in which points are armed and taken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / TAKEN).mkdir(parents=True)
        self._counted = 0

    def arm(self, names: Iterable[str], order: str = "kill") -> None:
        for name in names:
            draft = self.folder / f".{name}"
            draft.write_text(order, encoding="utf-8")
            draft.rename(self.folder / name)

    def waiting(self) -> list[str]:
        """What is armed and was not reached yet."""
        return sorted(path.name for path in self.folder.iterdir() if path.is_file() and path.name[0] != ".")

    def taken(self) -> list[str]:
        return sorted(path.name.partition("#")[0] for path in (self.folder / TAKEN).iterdir())

    async def all_taken(self, *, deadline_s: float = RECOVERED_S) -> None:
        """Wait until every armed point was reached; the kills among them are counted."""

        async def none_waits() -> bool:
            return not self.waiting()

        try:
            await until(none_waits, what="every armed point was reached", deadline_s=deadline_s)
        except AssertionError:
            raise AssertionError(f"not reached within {deadline_s:g} s: {self.waiting()}") from None
        finally:
            killed = sum(
                path.read_text(encoding="utf-8") == "kill" for path in (self.folder / TAKEN).iterdir()
            )
            LEDGER.kills += killed - self._counted
            self._counted = killed


class Field:
    """One household, up; loads on it have conversations of their own."""

    def __init__(self, made: Place, armed: Armed) -> None:
        self.place = made
        self.armed = armed
        self.loads: list[Load] = []
        self._numbers = count(1)
        self._up = AsyncExitStack()
        self._running: RunningPlace | None = None

    @property
    def running(self) -> RunningPlace:
        assert self._running is not None
        return self._running

    async def start(self) -> None:
        self._running = await self._up.enter_async_context(self.place.up())
        for load in self.loads:
            load.running = self._running
        # `butlers up` does not wait long for sources, and a new source starts at now: what is sent before is not read.
        await self.whole()

    async def stop(self) -> None:
        for load in self.loads:
            load.abandon()
        await self._up.aclose()

    def load(self, shape: Shape) -> Load:
        made = Load(self.running, number=next(self._numbers), shape=shape)
        self.loads.append(made)
        return made

    def status(self) -> PlaceStatus | None:
        return read_status(self.place.state)

    def pid(self, name: str) -> int | None:
        """The process of that name now; None between two lives."""
        if name == SUPERVISOR:
            return self.running.household.pid
        if name == POSTGRES:
            return _postmaster(self.place)
        status = self.status()
        if name == FORK_SERVER:
            return None if status is None else status.fork_server
        found = {} if status is None else {process.name: process.pid for process in status.processes}
        return found.get(name)

    async def kill(self, name: str) -> None:
        """`kill -9` of one process; whoever is between two lives is killed as soon as it is there.

        The supervisor is started again here, by hand, as a person would.
        """
        victims: list[int] = []

        async def killed() -> bool:
            pid = self.pid(name)
            if pid is None or not is_alive(pid):
                return False
            os.kill(pid, signal.SIGKILL)
            victims.append(pid)
            return True

        await until(killed, what=f"{name} was killed")
        LEDGER.kills += 1
        if name == SUPERVISOR:
            await self.running.household.ended()
            former, self._up = self._up, AsyncExitStack()
            await self.start()
            await former.aclose()

    def memory_mb(self) -> dict[str, float]:
        """What each service held at most since its start, as if it ran alone."""
        status = self.status()
        assert status is not None
        return {one.name: alone_mb(one.name, one.pid) for one in status.processes if one.pid is not None}

    async def whole(self, *, deadline_s: float = RECOVERED_S) -> None:
        """Wait until every process is ready and the database serves."""

        async def ready() -> bool:
            status, postmaster = self.status(), self.pid(POSTGRES)
            return (
                status is not None
                and all(process.ready for process in status.processes)
                and postmaster is not None
                and is_alive(postmaster)
            )

        await until(ready, what="every process is ready", deadline_s=deadline_s)

    def stranger_writes(self, number: int) -> None:
        """A message of nobody's; the owner is told of it once, by an intent `send`."""
        stranger = person(_stranger(number), "Mallory")
        update = message_update(stranger, text=f"Please call me back about offer {number}")
        self.running.providers.telegram.inject(update)

    async def owner_is_told(self, number: int, *, deadline_s: float = RECOVERED_S) -> None:
        """Wait for the end of what the stranger caused; the note is visible once, or uncertain."""
        LEDGER.messages += 1
        inbox, sender = "switchboard.message_inbox", _stranger(number)
        query = f"SELECT request_id FROM {inbox} WHERE source_sender_identity = '{sender}'"
        found: list[dict[str, str]] = []

        async def ended() -> bool:
            requests = await self.running.rows(query)
            if len(requests) != 1:
                return False
            answer = await self.running.ask(
                "messenger", "deliveries", request_id=str(requests[0]["request_id"]), limit="100"
            )
            found[:] = (
                [] if answer is None else [one for one in answer["deliveries"] if one["intent"] == "send"]
            )
            return bool(found) and all(one["status"] not in ("pending", "in_progress") for one in found)

        await until(ended, what=f"the owner was told of stranger {number}", deadline_s=deadline_s)
        told = [one for one in self.running.providers.telegram.sent if one["chat_id"] == OWNER]
        seen = sum(f"from {sender}, who goes by “Mallory”" in one["text"] for one in told)
        _enter(f"the note about stranger {number}", seen, uncertain=found[0]["status"] == "uncertain")

    async def mail_is_sent(self, number: int) -> None:
        """`finance` sends a mail of its own accord: handed over until Messenger has it, visible once or uncertain."""
        LEDGER.messages += 1
        subject = f"Notice {number} of {os.getpid()}"
        state = await self._notify(subject)
        seen = sum(subject in mail.subject for mail in self.running.providers.smtp.accepted)
        _enter(subject, seen, uncertain=state == "uncertain")

    async def _notify(self, subject: str) -> str:
        """Hand the wish over, again and again, until its end is known."""
        wish = {
            "schema_version": "notify.v1",
            "origin_butler": "finance",
            "delivery": {
                "intent": "send", "channel": "email", "recipient": "ada@example.org",
                "subject": subject, "message": "Your balance has not changed.", "idempotency_key": subject,
            },
        }  # fmt: skip
        url = self.running.household.endpoints["switchboard"]["mcp"]
        client = CachedMCPClient.for_service(url, TokenFile(self.place.state.token_file("finance")).read)
        try:
            async with asyncio.timeout(RECOVERED_S):
                while True:
                    try:
                        answer = await client.call("notify", {"notify_request": wish}, timeout_s=10)
                        state = str((answer.get("delivery") or {}).get("state"))
                        if state in ("sent", "uncertain", "failed"):
                            return state
                    except (ToolError, OSError, ButlerError):
                        pass
                    await asyncio.sleep(0.3)
        finally:
            await client.aclose()


def _stranger(number: int) -> int:
    return 900_000 + number


def _enter(what: str, seen: int, *, uncertain: bool) -> None:
    """Visible once, or at most once where it is uncertain."""
    LEDGER.uncertain += uncertain
    LEDGER.doubles += seen > 1
    LEDGER.losses += seen == 0 and not uncertain
    assert seen == 1 or (uncertain and seen == 0), f"{what}: seen {seen} times, uncertain: {uncertain}"


async def outside_check(load: Load, *, deadline_s: float = RECOVERED_S) -> list[End]:
    """Every message of the load: one request, terminal within `deadline_s`, answered once or uncertain, in order.

    Enters messages, doubles, losses and what is uncertain into the ledger; AssertionError names what differs.
    """
    LEDGER.messages += load.shape.messages
    ends = await load.settled(deadline_s=deadline_s)
    found = await load.findings(ends)
    LEDGER.doubles += len(found.doubles)
    LEDGER.losses += len(found.losses)
    LEDGER.uncertain += found.uncertain
    assert len(ends) == load.shape.messages
    assert not found.problems, found.problems
    return ends


@asynccontextmanager
async def faulty_household(
    root: Path, *, prepare: Callable[[Path], None] = lambda _: None
) -> AsyncIterator[Field]:
    """A household in `root` whose processes can be hit at fault points; stopped at the end. `prepare` is given the
    folder of its manifests."""
    armed = Armed(root / "faults")
    with environment_of(FAULTS_DIR, str(armed.folder)):
        async with place(root / "place") as made:
            _tell_of_every_stranger(made.manifests / "butlers.yaml")
            prepare(made.manifests)
            field = Field(made, armed)
            try:
                await field.start()
                yield field
            finally:
                await field.stop()


def _tell_of_every_stranger(manifest: Path) -> None:
    """Each stranger's message is looked for by itself, and there are more of them than a person would bear."""
    text = manifest.read_text("utf-8")
    told = text.replace("    maxInFlight: 1000\n", "    maxInFlight: 1000\n    strangersAtOnce: 1000\n")
    assert told != text
    manifest.write_text(told, "utf-8")


@contextmanager
def environment_of(name: str, value: str) -> Iterator[None]:
    """With this variable while the block runs."""
    former = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if former is None:
            del os.environ[name]
        else:
            os.environ[name] = former


def _postmaster(made: Place) -> int | None:
    try:
        return int((made.state.root / "pg" / "data" / "postmaster.pid").read_text("utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return None
