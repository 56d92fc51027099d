"""A fleet of connectors, and how its heartbeats reach a server: in turn, evenly spaced, over a few sessions."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID, uuid4

from mcp import Client
from mcp.client.sse import sse_client

from bench.ingest.place import Place
from bench.measure.cpu import CpuMeter
from bench.measure.slices import Slice
from butler_contracts.heartbeat import (
    ConnectorCountersV1,
    ConnectorHeartbeatV1,
    ConnectorIdentityV1,
    ConnectorStatusV1,
)
from butler_kit.mcp import CachedMCPClient, ToolError

__all__ = ["Fleet", "Member", "Sender", "over_our_client", "over_stock_client", "rest"]

CALL_LIMIT_S: Final = 30.0
REFUSED_S: Final = 1.0
REGISTERED_S: Final = 300.0


@dataclass
class Member:
    """One connector; its counters grow from heartbeat to heartbeat."""

    endpoint_identity: str
    token: str
    instance_id: UUID = field(default_factory=uuid4)
    started: float = field(default_factory=time.monotonic)
    beats: int = 0

    def beat(self) -> dict[str, Any]:
        """Return the next `connector.heartbeat.v1` document."""
        self.beats += 1
        counted = self.beats * 7
        return ConnectorHeartbeatV1(
            connector=ConnectorIdentityV1(
                connector_type="telegram_bot",
                endpoint_identity=self.endpoint_identity,
                instance_id=self.instance_id,
                version="bench",
            ),
            status=ConnectorStatusV1(state="healthy", uptime_s=time.monotonic() - self.started),
            counters=ConnectorCountersV1(
                messages_ingested=counted, source_api_calls=12 * self.beats, checkpoint_saves=counted
            ),
            capabilities={"heartbeat_interval_s": 120, "backfill": True},
            sent_at=datetime.now(UTC),
        ).to_wire()


Sender = Callable[[Member], Awaitable[None]]
"""Sends a member's next heartbeat and returns once it is accepted."""


@dataclass
class Fleet:
    """All members; they send heartbeats in turn."""

    members: Sequence[Member]
    _next: int = 0

    @classmethod
    def of(cls, place: Place, size: int) -> Fleet:
        identities = [f"telegram:bot:{number:05}" for number in range(size)]
        return cls([Member(identity, place.token(identity)) for identity in identities])

    @property
    def beats(self) -> int:
        """Heartbeats so far."""
        return sum(member.beats for member in self.members)

    async def register(self, sender: Sender, at_once: int) -> None:
        """Send every member's first heartbeat as fast as they are accepted; retry a refused one a moment later."""
        waiting = deque(self.members)

        async def one() -> None:
            while waiting:
                member = waiting.popleft()
                try:
                    await sender(member)
                except ToolError:
                    member.beats -= 1
                    waiting.append(member)
                    await asyncio.sleep(REFUSED_S)

        async with asyncio.timeout(REGISTERED_S), asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(one())

    async def pulse(self, sender: Sender, *, per_s: float, seconds: float, cpu: CpuMeter) -> Slice:
        """Send evenly spaced heartbeats for `seconds`; measure the time until each is accepted."""
        latencies: list[float] = []

        async def one(member: Member) -> None:
            begun = time.monotonic()
            await sender(member)
            latencies.append(time.monotonic() - begun)

        count, begun = int(per_s * seconds), time.monotonic()
        cpu.start()
        async with asyncio.timeout(seconds + 2 * CALL_LIMIT_S), asyncio.TaskGroup() as group:
            for number in range(count):
                await asyncio.sleep(begun + number / per_s - time.monotonic())
                group.create_task(one(self._turn()))
        await asyncio.sleep(begun + seconds - time.monotonic())
        used = cpu.stop()
        return Slice(count, time.monotonic() - begun, tuple(latencies), used)

    def _turn(self) -> Member:
        member = self.members[self._next % len(self.members)]
        self._next += 1
        return member


async def rest(seconds: float, cpu: CpuMeter) -> Slice:
    """Measure what the servers use without heartbeats."""
    begun = time.monotonic()
    cpu.start()
    await asyncio.sleep(seconds)
    used = cpu.stop()
    return Slice(0, time.monotonic() - begun, (), used)


@asynccontextmanager
async def over_our_client(url: str, sessions: int, opening_token: str) -> AsyncIterator[Sender]:
    """The connectors' own client; each connector sends its own token, whichever one opened the session."""
    clients = [
        CachedMCPClient.for_url(url, lambda: opening_token, timeout_s=CALL_LIMIT_S) for _ in range(sessions)
    ]
    try:
        yield _over([client.call for client in clients])
    finally:
        await asyncio.gather(*(client.aclose() for client in clients))


def _over(calls: Sequence[Callable[..., Awaitable[Any]]]) -> Sender:
    async def send(member: Member) -> None:
        call = calls[hash(member.endpoint_identity) % len(calls)]
        await call("connector.heartbeat", {"heartbeat": member.beat()}, token=member.token)

    return send


@asynccontextmanager
async def over_stock_client(url: str, sessions: int) -> AsyncIterator[Sender]:
    """The MCP SDK's own client over SSE."""
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(Client(sse_client(url), mode="legacy", cache=None))
            for _ in range(sessions)
        ]

        async def send(member: Member) -> None:
            client = clients[hash(member.endpoint_identity) % len(clients)]
            answer = await client.call_tool("connector.heartbeat", {"heartbeat": member.beat()})
            if answer.is_error:
                raise ConnectionError(f"the stock server refused a beat: {answer.content}")

        yield send
