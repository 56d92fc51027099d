"""Messages that keep coming while the database is hurt, sent as connectors send, and the check of what became of them.

Each thread's messages go one after another; one that is not accepted is kept and tried again. What is accepted is a
promise: `settled` holds it against the database and against what the butler got.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx

from butler_kit.mcp import ToolError
from tests.faults.ledger import LEDGER
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

__all__ = ["Traffic", "beating", "readiness", "under_way"]

RETRY_S, PAUSE_S = 0.1, 0.3
BEAT_S = 10.0
THREADS = 6
RECOVERED_S = 120.0


@dataclass
class Traffic:
    """What was handed over: `accepted` by message number, refusals by their class."""

    running: Running
    accepted: dict[int, UUID] = field(default_factory=dict)
    refusals: Counter[str] = field(default_factory=Counter)
    tried_again: int = 0

    async def send(self, thread: int, stop: asyncio.Event) -> None:
        """Message after message of one chat until told to stop; the last one is brought to its end."""
        number = thread
        while not stop.is_set():
            await self.hand_over(number, thread)
            number += THREADS
            await asyncio.sleep(PAUSE_S)

    async def hand_over(self, number: int, thread: int, *, filler: str = "") -> None:
        text = f"I paid {number}.50 EUR for lunch. {filler}"
        envelope = telegram(number, text.strip(), chat=str(thread + 1))
        LEDGER.messages += 1
        while True:
            try:
                answer = await self.running.ingest(envelope)
            except ToolError as error:
                self.refusals[_class_of(error)] += 1
            except ConnectionError:
                self.tried_again += 1
            else:
                self.accepted[number] = UUID(answer["request_id"])
                return
            await asyncio.sleep(RETRY_S)

    async def more_accepted(self, count: int) -> None:
        """Wait until so many more have been accepted: it goes on by itself."""
        goal = len(self.accepted) + count

        async def reached() -> bool:
            return len(self.accepted) >= goal

        await until(reached, what=f"{count} more messages accepted", deadline_s=RECOVERED_S)

    async def refused(self) -> None:
        """Wait until somebody was refused or not heard: the outage is felt."""
        felt = self.refusals.total() + self.tried_again

        async def more() -> bool:
            return self.refusals.total() + self.tried_again > felt

        await until(more, what="a refusal", deadline_s=RECOVERED_S)

    async def settled(self, *, butler: str = "finance") -> None:
        """Everything accepted has ended once: one request, one branch, in the order of its thread."""
        home = self.running.household
        await self._ended(home)
        rows = await home.pool.fetch("SELECT request_id, lifecycle_state, dedupe_key FROM message_inbox")
        states = {row["request_id"]: row["lifecycle_state"] for row in rows}
        lost = [number for number, request_id in self.accepted.items() if request_id not in states]
        doubled = len(rows) - len({row["dedupe_key"] for row in rows})
        LEDGER.losses += len(lost)
        LEDGER.doubles += doubled
        assert not lost, f"accepted and lost: {lost}"
        assert not doubled
        assert set(states.values()) == {"parsed"}
        branches = await home.pool.fetch("SELECT request_id, attempt FROM subroute")
        assert len(branches) == len(states), "a branch was made twice"
        self._in_order(home.butler(butler).requests())

    async def _ended(self, home: Household) -> None:
        async def none_open() -> bool:
            query = "SELECT count(*) = 0 FROM message_inbox WHERE final_state_at IS NULL"
            return bool(await home.pool.fetchval(query))

        await until(none_open, what="every request has ended", deadline_s=RECOVERED_S)

    def _in_order(self, arrived: list[UUID]) -> None:
        numbers = {request_id: number for number, request_id in self.accepted.items()}
        for thread in range(THREADS):
            seen = [numbers[one] for one in arrived if numbers[one] % THREADS == thread]
            assert seen == sorted(seen), f"thread {thread} out of order: {seen}"


def _class_of(refusal: ToolError) -> str:
    """The class of a refusal that a connector tries again; any other would cost the message."""
    assert refusal.error is not None, f"an untyped refusal: {refusal}"
    assert refusal.error.retryable, f"refused for good: {refusal.error}"
    return refusal.error.error_class.value


@asynccontextmanager
async def under_way(running: Running) -> AsyncIterator[Traffic]:
    """Traffic in six chats for the length of the block; what was begun is brought to its end."""
    traffic, stop = Traffic(running), asyncio.Event()
    senders = [asyncio.create_task(traffic.send(thread, stop)) for thread in range(THREADS)]
    async with beating(running):
        try:
            await traffic.more_accepted(THREADS)
            yield traffic
            stop.set()
            async with asyncio.timeout(RECOVERED_S):
                await asyncio.gather(*senders)
        finally:
            for sender in senders:
                sender.cancel()
            await asyncio.wait(senders)


@asynccontextmanager
async def beating(running: Running) -> AsyncIterator[None]:
    """The butlers say again and again that they live, as real ones do."""
    home = running.household

    async def beat() -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            for one in (home.messenger, *home.butlers.values()):
                with suppress(ConnectionError, ToolError):
                    await one.register()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def readiness(url: str) -> tuple[int, dict[str, Any]]:
    """`/readyz` as a probe sees it: status and the named checks."""
    async with httpx.AsyncClient(timeout=15, trust_env=False) as client:
        answer = await client.get(f"{url}/readyz")
    return answer.status_code, answer.json()["checks"]
