"""Real Switchboard processes on one database: killed, stopped, restarted, under load; nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx
import psutil
import pytest

from butler_kit.mcp import CachedMCPClient, ToolError
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.records import Declaration
from butler_switchboard.registry.store import ButlerStore
from tests.support.loaded import BOT_API, FOR_NOBODY_HERE, MAIL_IN, MAIL_OUT, needless, program
from tests.support.loopback import free_port
from tests.support.nursery import Child, fork
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household, config_text, until

TEXTS = ("I paid the gas bill of 40 euro", "My blood pressure was 120 over 80", "Please remember this")

ALONE = (sys.executable, "-m", "butler_switchboard")


class Silent:
    """Events that nobody counts."""

    def eligibility_changed(self, butler: str, state: str) -> None: ...


@dataclass
class Process:
    """One `python -m butler_switchboard` and a client of it."""

    child: asyncio.subprocess.Process | Child
    port: int
    client: CachedMCPClient

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def ended(self) -> int:
        return await asyncio.wait_for(self.child.wait(), 30)

    async def ingest(self, number: int, text: str, chat: str) -> UUID:
        envelope = telegram(number, text, chat=chat).to_wire()
        return UUID((await self.client.call("ingestion.ingest", {"envelope": envelope}))["request_id"])


@asynccontextmanager
async def process(
    home: Household, folder: Path, *, port: int | None = None, command: Sequence[str] | None = None
) -> AsyncIterator[Process]:
    """A running Switchboard that is ready; killed at the end if it still runs.

    Started by `command` it has nothing in memory but what it imported itself; without one it is forked.
    """
    port = port or free_port()
    config = folder / f"switchboard-{port}.toml"
    config.write_text(config_text(port=port))
    environment = {**home.environment(), "PATH": "", "BUTLERS_LOG_LEVEL": "warning"}
    log = (folder / f"switchboard-{port}.log").open("ab")
    given = ("--config", str(config))
    child: asyncio.subprocess.Process | Child
    if command is not None:
        child = await asyncio.create_subprocess_exec(*command, *given, env=environment, stderr=log)
    else:
        child = await fork("butler_switchboard", *given, env=environment, log=log)
    token = home.keys.connector("telegram_bot", BOT)
    client = CachedMCPClient.for_service(f"http://127.0.0.1:{port}/sse", lambda: token, timeout_s=5)
    running = Process(child, port, client)
    try:
        await until(lambda: ready(running), what="a ready Switchboard")
        yield running
    finally:
        await client.aclose()
        if child.returncode is None:
            child.kill()
        await asyncio.wait_for(child.wait(), 30)
        log.close()


async def ready(running: Process) -> bool:
    assert running.child.returncode is None, f"Switchboard ended with {running.child.returncode}"
    with suppress(httpx.HTTPError):
        async with httpx.AsyncClient(timeout=60) as client:
            return (await client.get(f"{running.url}/readyz")).status_code == 200
    return False


async def declare(home: Household, *processes: Process) -> None:
    """What `butlers up` does: declare the butlers; each then registers at the first Switchboard."""
    butlers = Butlers(
        pool=home.pool,
        store=ButlerStore(home.pool),
        audit=Audit(home.pool, Metrics(SWITCHBOARD)),
        events=Silent(),
    )
    for one in (home.messenger, *home.butlers.values()):
        await butlers.declare(one.name, Declaration(role=one.role, endpoint_url=one.url), actor="test")
        one.connect(f"{processes[0].url}/sse")
        await one.register()
    await asyncio.sleep(1.2)  # every replica reads the registry once a second


async def submitted(doors: list[Process], number: int, chat: str) -> UUID:
    """Submit as a connector does: again and again, at any replica that lives, until it is accepted."""
    async with asyncio.timeout(60):
        while True:
            for door in doors:
                with suppress(ConnectionError, ToolError):
                    return await door.ingest(number, TEXTS[number % len(TEXTS)], chat)
            await asyncio.sleep(0.05)


async def check_nothing_lost_or_doubled(home: Household, accepted: dict[int, UUID]) -> None:
    await home.idle(deadline_s=300)
    rows = await home.pool.fetch("SELECT request_id, external_event_id, lifecycle_state FROM message_inbox")
    assert {row["request_id"] for row in rows} == set(accepted.values())
    assert len(rows) == len(set(accepted.values())) == len(accepted)
    assert {row["lifecycle_state"] for row in rows} == {"parsed"}
    got = [envelope for one in home.butlers.values() for envelope in one.got]
    by_branch: dict[tuple[UUID, str, int], set[tuple[UUID, str, str]]] = {}
    for one in got:
        key = (one.request_context.request_id, one.subrequest.segment_id, one.subrequest.attempt)
        sent = (one.subrequest.subrequest_id, one.target.butler, one.input.prompt)
        by_branch.setdefault(key, set()).add(sent)
    assert all(len(sent) == 1 for sent in by_branch.values()), "a plan was made twice"
    assert {request for request, _, _ in by_branch} == set(accepted.values())


def orders(home: Household, accepted: dict[int, UUID], chats: dict[int, str]) -> dict[str, list[int]]:
    """Per chat the numbers of its messages in the order in which butlers first got them."""
    number_of = {request: number for number, request in accepted.items()}
    arrivals = sorted(
        (at, number_of[envelope.request_context.request_id])
        for one in home.butlers.values()
        for at, envelope in zip(one.arrived_at, one.got, strict=True)
    )
    seen: dict[str, list[int]] = {}
    for _, number in arrivals:
        line = seen.setdefault(chats[number], [])
        if number not in line:
            line.append(number)
    return seen


@pytest.mark.spec("SWB-11.2", "SWB-39.1")
async def test_two_switchboards_share_the_work_and_one_is_killed(home: Household, tmp_path: Path):
    async with process(home, tmp_path) as one, process(home, tmp_path) as two:
        await declare(home, two, one)
        chats = {number: f"{number % 6}" for number in range(60)}
        accepted: dict[int, UUID] = {}

        async def connector(chat: str) -> None:
            for number in (n for n, c in chats.items() if c == chat):
                doors = [one, two] if number % 2 else [two, one]
                accepted[number] = await submitted(doors, number, chat)

        async def murder() -> None:
            await until(lambda: _some(accepted, 20), what="some accepted messages")
            one.child.send_signal(signal.SIGKILL)

        await asyncio.gather(murder(), *(connector(chat) for chat in sorted(set(chats.values()))))
        await check_nothing_lost_or_doubled(home, accepted)
        for chat, order in orders(home, accepted, chats).items():
            assert order == sorted(order), f"chat {chat} was worked on out of order"


async def _some(accepted: dict[int, UUID], count: int) -> bool:
    return len(accepted) >= count


@pytest.mark.spec("CON-4.1", "SWB-06.3")
async def test_a_switchboard_killed_alone_goes_on_where_it_was(home: Household, tmp_path: Path):
    port = free_port()
    async with process(home, tmp_path, port=port) as first:
        await declare(home, first)
        for one in home.butlers.values():
            await one.stop()
        accepted = {number: await submitted([first], number, f"{number}") for number in range(12)}
        first.child.send_signal(signal.SIGKILL)
        assert await first.ended() == -signal.SIGKILL
    plans = await home.pool.fetch("SELECT request_id, plan::text FROM route_plan")
    await home.pool.execute("UPDATE inbox_work SET lease_until = clock_now()")  # half a minute later
    for one in home.butlers.values():
        await one.start()
    async with process(home, tmp_path, port=port):
        await check_nothing_lost_or_doubled(home, accepted)
    after = {
        row["request_id"]: row["plan"]
        for row in await home.pool.fetch("SELECT request_id, plan::text FROM route_plan")
    }
    assert {row["request_id"]: after[row["request_id"]] for row in plans} == {
        row["request_id"]: row["plan"] for row in plans
    }


async def test_sigterm_in_mid_flow_drains_and_loses_nothing(home: Household, tmp_path: Path):
    port = free_port()
    accepted: dict[int, UUID] = {}
    async with process(home, tmp_path, port=port) as first:
        await declare(home, first)
        doors = [first]

        async def connector(start: int) -> None:
            for number in range(start, start + 10):
                accepted[number] = await submitted(doors, number, f"{start}")

        senders = [asyncio.create_task(connector(start)) for start in (0, 100, 200)]
        await until(lambda: _some(accepted, 8), what="some accepted messages")
        first.child.send_signal(signal.SIGTERM)
        assert await first.ended() == 0
        async with process(home, tmp_path, port=port) as second:
            doors.append(second)
            await asyncio.gather(*senders)
            await check_nothing_lost_or_doubled(home, accepted)


async def test_a_switchboard_imports_nothing_of_spark_training_providers_or_pages(
    home: Household, tmp_path: Path
):
    report = tmp_path / "loaded"
    async with process(home, tmp_path, command=program(report, "butler_switchboard")) as running:
        await declare(home, running)
        await submitted([running], 0, "0")
        await home.idle()
        running.child.send_signal(signal.SIGTERM)
        assert await running.ended() == 0
    unwanted = FOR_NOBODY_HERE | MAIL_IN | MAIL_OUT | BOT_API | {"httpx", "yaml"}
    assert needless(report, unwanted) == set()


async def test_five_hundred_messages_leave_a_switchboard_small(home: Household, tmp_path: Path):
    async with process(home, tmp_path, command=ALONE) as running:
        await declare(home, running)
        accepted: dict[int, UUID] = {}

        async def connector(start: int) -> None:
            for number in range(start, start + 50):
                accepted[number] = await submitted([running], number, f"{number % 40}")

        await asyncio.gather(*(connector(start) for start in range(0, 500, 50)))
        await check_nothing_lost_or_doubled(home, accepted)
        memory = psutil.Process(running.child.pid).memory_info().rss / 2**20
    assert memory <= 150, f"{memory:.0f} MB"
