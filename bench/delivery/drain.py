"""Deliveries through Messenger alone, admitted over MCP as by Switchboard, to a provider that answers at once.

Drained: the provider answers late while deliveries are admitted, then is released; the deliveries still waiting then
are timed until the last receipt. Through: a fixed number of deliveries is in progress at any time, admission included.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from bench.delivery.household import Bench, Receipt
from bench.delivery.processes import Reading
from butler_cli.local.keys import switchboard_key_file
from butler_cli.local.state import StateDir
from butler_kit.auth.jwks import ISSUER_SWITCHBOARD
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.mcp import CachedMCPClient
from butler_kit.time import SystemClock, new_uuid7

__all__ = ["Deliveries", "drained", "through"]

_AT_ONCE = 64
_ORIGINS = ("finance", "health", "general")
"""More than one, because a single butler gets only four fifths of the places."""
_DEADLINE_S = 300.0
_POLL_S = 0.05
_LEFT = "SELECT count(*) AS waiting FROM messenger.delivery_work"
FULL_ROWS = """
SELECT
    (SELECT count(*) FROM messenger.delivery_requests WHERE status = 'sent') AS sent,
    (SELECT count(*) FROM messenger.delivery_attempts WHERE outcome = 'sent' AND finished_at IS NOT NULL) AS attempts,
    (SELECT count(*) FROM messenger.delivery_receipts) AS receipts,
    (SELECT count(*) FROM messenger.delivery_marker) AS markers
"""


@dataclass(frozen=True)
class Deliveries:
    """Result of one run; CPU in milliseconds per delivery, by process."""

    count: int
    seconds: float
    cpu_ms: dict[str, float]

    @property
    def per_second(self) -> float:
        return self.count / self.seconds


class _Wishes:
    """Messenger's `route.execute`, called as Switchboard calls it."""

    def __init__(self, bench: Bench) -> None:
        state = StateDir.at(bench.household.state)
        self._signer = TokenSigner(switchboard_key_file(state), ISSUER_SWITCHBOARD, SystemClock())
        self._client = CachedMCPClient(bench.household.endpoints["butlers"]["messenger"]["mcp"], self._token)
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def wish(self, number: int) -> str:
        """Request one delivery; return the state that Messenger answers with."""
        async with self._room:
            origin = _ORIGINS[number % len(_ORIGINS)]
            asked = {"envelope": _envelope(number, origin)}
            answer = await self._client.call("route.execute", asked, token=self._token(origin), timeout_s=60)
        return str(answer["result"]["notify_response"]["delivery"]["state"])

    async def aclose(self) -> None:
        await self._client.aclose()

    def _token(self, origin: str = "finance") -> str:
        return self._signer.sign(
            audience_of("messenger"),
            "switchboard",
            60,
            {"role": "switchboard", "jti": str(uuid4()), "origin": origin},
        )


def _envelope(number: int, origin: str) -> dict[str, Any]:
    now = datetime.now(UTC)
    context = {
        "request_id": str(new_uuid7(now)),
        "received_at": now.isoformat().replace("+00:00", "Z"),
        "source_channel": "mcp",
        "source_endpoint_identity": "switchboard",
        "source_sender_identity": "switchboard",
    }
    delivery = {
        "intent": "send",
        "channel": "telegram",
        "message": f"Your electricity bill of {number}.50 EUR is due on Friday.",
        "recipient": str(5000 + number % 200),
        "idempotency_key": f"bench-{number}",
    }
    notify = {"schema_version": "notify.v1", "origin_butler": origin, "delivery": delivery}
    return {
        "schema_version": "route.v1",
        "request_context": context,
        "subrequest": {"subrequest_id": str(uuid4()), "segment_id": "notify", "attempt": 1},
        "target": {"butler": "messenger", "tool": "route.execute"},
        "input": {
            "prompt": "Execute outbound delivery request through Messenger.",
            "context": {"notify_request": notify, "lineage": {"origin_butler": origin}},
        },
    }


async def drained(bench: Bench, *, first: int, count: int) -> Deliveries:
    """Admit `count` deliveries while the provider answers late, then release it; a few are sent before that."""
    wishes = _Wishes(bench)
    try:
        await bench.http.get(f"{bench.provider_url}/hold")
        await bench.taken()
        await asyncio.gather(*(wishes.wish(first + number) for number in range(count)))
        # The queue's scanner leaves rows of the last seconds to the workers that were woken for them.
        await bench.rows("UPDATE messenger.delivery_work SET enqueued_at = enqueued_at - interval '1 minute'")
        early = len(_messages(await bench.taken()))
        before, began = bench.processes(), time.monotonic()
        await bench.http.get(f"{bench.provider_url}/release")
        return await _until_taken(bench, count - early, before, began)
    finally:
        await wishes.aclose()


async def through(bench: Bench, *, first: int, count: int) -> Deliveries:
    """Request `count` deliveries, 64 in progress at any time, until the provider has the last one."""
    wishes = _Wishes(bench)
    try:
        await bench.taken()
        before, began = bench.processes(), time.monotonic()
        asking = asyncio.gather(*(wishes.wish(first + number) for number in range(count)))
        done = await _until_taken(bench, count, before, began)
        await asking
        return done
    finally:
        await wishes.aclose()


async def _until_taken(bench: Bench, count: int, before: dict[str, Reading], began: float) -> Deliveries:
    taken: list[Receipt] = []
    async with asyncio.timeout(_DEADLINE_S):
        while len(taken) < count:
            await asyncio.sleep(_POLL_S)
            taken += _messages(await bench.taken())
        ended = max(receipt.at for receipt in taken)
        while (await bench.rows(_LEFT))[0]["waiting"]:
            await bench.taken()
    after = bench.processes()
    cpu = {
        name: (reading.cpu_s - before.get(name, Reading(0.0, 0)).cpu_s) * 1000 / count
        for name, reading in after.items()
    }
    return Deliveries(count, ended - began, {name: spent for name, spent in cpu.items() if spent >= 0.01})


def _messages(receipts: list[Receipt]) -> list[Receipt]:
    """Return the receipts of messages, without reactions left over from an earlier run."""
    return [receipt for receipt in receipts if receipt.method == "sendMessage"]
