"""An intake on a real database, without the rest of Switchboard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.context import RequestContext
from butler_contracts.ingest import IngestAcceptedResponse, IngestEnvelopeV1, PolicyTier
from butler_kit.auth import Caller
from butler_kit.db import Pool
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_kit.time import Clock, SystemClock, new_uuid7
from butler_switchboard.backfill.scope import BackfillScope
from butler_switchboard.dispatch.lifecycle import Lifecycle
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.backlog import Backlog
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.intake import Intake, IntakePolicy
from butler_switchboard.ingress.overflow import LIMITS, TierLimit
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.support.database import Database, Provision
from tests.support.switchboard import connector, switchboard_database

Opened = Callable[..., Awaitable["Door"]]


@dataclass
class Hot:
    """The hot queue as admission sees it: what was offered."""

    offered: list[tuple[UUID, str, str]] = field(default_factory=list)

    def offer(self, item_id: UUID, lane: str, source: str) -> bool:
        self.offered.append((item_id, lane, source))
        return True


@dataclass
class Shown:
    """What people would see."""

    states: list[tuple[UUID, Lifecycle]] = field(default_factory=list)

    def show(self, context: RequestContext, state: Lifecycle) -> None:
        self.states.append((context.request_id, state))


class FixedDay(SystemClock):
    """A wall clock at a chosen moment."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


@dataclass
class Door:
    """Where messages come in."""

    intake: Intake
    pool: Pool
    hot: Hot
    metrics: Metrics
    backlog: Backlog
    shown: Shown

    async def ingest(
        self, envelope: IngestEnvelopeV1 | dict[str, Any], caller: Caller | None = None
    ) -> IngestAcceptedResponse:
        wire = envelope.to_wire() if isinstance(envelope, IngestEnvelopeV1) else envelope
        return await self.intake.ingest(caller or connector(), wire)

    async def row(self, request_id: UUID) -> dict[str, Any]:
        record = await self.pool.fetchrow("SELECT * FROM message_inbox WHERE request_id = $1", request_id)
        assert record is not None
        return dict(record)

    async def count(self, table: str) -> int:
        return int(await self.pool.fetchval(f"SELECT count(*) FROM {table}") or 0)


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await switchboard_database(provisioned)


@pytest.fixture
async def open_door(database: Database) -> AsyncIterator[Opened]:
    """Call with policy and clock for an intake with its own lane, as one replica has."""
    async with _doors(database) as make:
        yield make


@asynccontextmanager
async def _doors(database: Database) -> AsyncIterator[Opened]:
    lanes: list[asyncio.Task[None]] = []

    async def make(
        policy: IntakePolicy | None = None,
        *,
        clock: Clock | None = None,
        limits: Mapping[PolicyTier, TierLimit] = LIMITS,
    ) -> Door:
        clock = clock or SystemClock()
        pool = await database.pool("switchboard")
        await Retention(pool, RetentionPolicy()).prepare()
        metrics, hot, admission = Metrics((*SWITCHBOARD, *BUFFER)), Hot(), Admission(pool)
        events, shown = SwitchboardMetrics(metrics), Shown()
        backlog = Backlog(pool, clock, hot, events, limits)
        lanes.append(asyncio.create_task(admission.run()))
        lanes.append(asyncio.create_task(backlog.run(asyncio.Event())))
        intake = Intake(
            pool=pool,
            admission=admission,
            contacts=Contacts(pool, clock),
            queue=hot,
            backlog=backlog,
            reactions=shown,
            policy=policy or IntakePolicy(),
            events=events,
            clock=clock,
            new_id=lambda: new_uuid7(clock.now()),
            backfills=BackfillScope(pool),
            audit=Audit(pool, metrics),
        )
        return Door(intake, pool, hot, metrics, backlog, shown)

    try:
        yield make
    finally:
        for lane in lanes:
            lane.cancel()
        if lanes:
            await asyncio.wait(lanes)


@pytest.fixture
async def door(open_door: Opened) -> Door:
    return await open_door()
