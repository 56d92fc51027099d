"""What outlives every process of the year: the clock in the database, and Messenger, which delivers each key once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import uuid4

from butler_contracts.errors import TargetUnavailable
from butler_contracts.notify import NotifyDeliveryOutcome, NotifyRequestV1, NotifyResponseV1
from butler_kit.db import Pool, acquire

__all__ = ["Told", "ToldClock", "ToyMessenger"]

_TOLD_CLOCK = """
CREATE TABLE told_clock (at timestamptz NOT NULL) WITH (fillfactor = 50);
CREATE OR REPLACE FUNCTION clock_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT at FROM told_clock $$;
"""


@dataclass
class ToldClock:
    """The database's clock; `away` are the periods in which nothing could be sent."""

    pool: Pool
    now: datetime
    away: list[tuple[datetime, datetime]] = field(default_factory=list)

    async def start(self) -> None:
        async with acquire(self.pool, doing="making the clock") as connection:
            await connection.execute(_TOLD_CLOCK)
            await connection.execute("INSERT INTO told_clock VALUES ($1)", self.now)

    async def move(self, by: timedelta, *, away: bool = False) -> None:
        """Move the clock: time passes, or it jumps."""
        if away and by > timedelta(0):
            self.away.append((self.now, self.now + by))
        self.now += by
        async with acquire(self.pool, doing="moving the clock") as connection:
            await connection.execute("UPDATE told_clock SET at = $1", self.now)


@dataclass(frozen=True)
class Told:
    """A delivery: its key, its message, and when it was accepted."""

    key: str
    message: str
    at: datetime


@dataclass
class ToyMessenger:
    """Messenger's admission by the caller's key (MSG-7), over a connection that sometimes loses an answer."""

    clock: ToldClock
    chance: random.Random
    passed: Callable[[str], None]
    lost: float = 0.002
    deliveries: dict[str, Told] = field(default_factory=dict)
    repeats: int = 0

    async def notify(self, request: NotifyRequestV1) -> NotifyResponseV1:
        delivery = request.delivery
        key, message = delivery.idempotency_key or "", delivery.message or ""
        self.passed("asked")
        if key in self.deliveries:
            self.repeats += 1
        else:
            self.deliveries[key] = Told(key, message, self.clock.now)
        self.passed("admitted")
        if self.chance.random() < self.lost:
            raise TargetUnavailable("the answer was lost")
        outcome = NotifyDeliveryOutcome(channel=delivery.channel, delivery_id=str(uuid4()), state="queued")
        return NotifyResponseV1(status="ok", delivery=outcome)
