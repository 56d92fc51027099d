"""Dispatch on a real database whose clock moves only when a test moves it; targets are there or away as it says."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import pytest

from butler_contracts.errors import ErrorDetail, TargetUnavailable
from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import dedupe_key
from butler_contracts.route import RouteEnvelopeV1, make_route_response, make_route_response_accepted
from butler_contracts.triage import PASS_THROUGH
from butler_kit.db import Pool
from butler_kit.queue import Defer, Finish, LeasedQueue, Unblock
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_kit.time import new_uuid7
from butler_switchboard.dispatch.advance import Advance
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.clocks import Clocks
from butler_switchboard.dispatch.completions import Completions
from butler_switchboard.dispatch.dispatcher import Dispatcher
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState
from butler_switchboard.dispatch.postponing import Postponing
from butler_switchboard.dispatch.results import Results
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.lane import Lane
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.operations.audit import AuditEntry
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.policies import breaker_policy, retry_policy
from butler_switchboard.routing.registry_view import Presence, RegistryView
from butler_switchboard.settings import DispatchConfig
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.support.database import Provision
from tests.support.switchboard import butler, switchboard_database, telegram

START = datetime.now(UTC).replace(microsecond=0)


class Hand:
    """A clock that a test moves; `clock_now()` of the database says the same."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.at = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - START).total_seconds()

    async def move(self, to: datetime) -> None:
        self.at = to
        await self._pool.execute("UPDATE hand SET at = $1", to)


@dataclass
class Butlers:
    """The targets: who is away takes nothing; who is there accepts, and ends when the test says so."""

    away: set[str] = field(default_factory=set)
    unregistered: set[str] = field(default_factory=set)
    undeclared: set[str] = field(default_factory=set)
    silent_s: dict[str, float] = field(default_factory=dict)
    called: list[str] = field(default_factory=list)
    accepted: dict[UUID, list[RouteEnvelopeV1]] = field(default_factory=dict)

    async def execute(self, envelope: RouteEnvelopeV1, *, timeout_s: float) -> dict[str, Any]:
        name = envelope.target.butler
        self.called.append(name)
        if name in self.away:
            raise TargetUnavailable(f"{name} cannot be reached", retryable=True)
        self.accepted.setdefault(envelope.request_context.request_id, []).append(envelope)
        return make_route_response_accepted(envelope).to_wire()

    def view(self) -> RegistryView:
        return RegistryView(())

    def endpoint(self, name: str) -> str | None:
        return None if name in self.undeclared else f"http://127.0.0.1:1/{name}/mcp"

    def expected(self, name: str) -> bool:
        return name in self.unregistered

    def capable(self, name: str, tool: str) -> bool:
        return name not in self.unregistered | self.undeclared

    def presence(self) -> Mapping[str, Presence]:
        return {name: Presence(silent_s=silent) for name, silent in self.silent_s.items()}

    def quarantined(self) -> frozenset[str]:
        return frozenset()

    async def refresh(self) -> None: ...


class ByText:
    """Routes a message to the butler that its first word names."""

    async def plan(self, state: RequestState) -> Plan:
        target = PlannedTarget(1, "s1", state.message.text.split()[0], state.message.text)
        return Plan(state.request_id, (target,), "rules", "m1", "p1", "runtime", 0.9, False, "routed")


class Quiet:
    """Nobody is told anything."""

    async def announce(self, state: RequestState) -> bool:
        return True


class NothingHeld:
    """No former version waits for anybody's word."""

    async def let_former_go(self, state: RequestState) -> None: ...


class Unheard:
    """An audit that nobody reads."""

    def record(self, entry: AuditEntry) -> None: ...


class Queue:
    """What wakes a request."""

    def __init__(self, queue: LeasedQueue) -> None:
        self._queue = queue

    async def wake(self, request_id: UUID) -> None:
        await self._queue.wake(request_id)


class Dispatching:
    """One replica's dispatch under the shipped settings."""

    def __init__(self, pool: Pool, clock: Hand, butlers: Butlers) -> None:
        self.pool, self.clock, self.butlers = pool, clock, butlers
        self.metrics = Metrics((*SWITCHBOARD, *BUFFER))
        self.queue = LeasedQueue(pool, "inbox_work")
        self.lane = Lane(pool)
        config, events, store = DispatchConfig(), SwitchboardMetrics(self.metrics), DispatchStore(pool)
        breakers, retry = Breakers(breaker_policy(config), clock, events), retry_policy(config)
        postponing = Postponing(
            store=store, breakers=breakers, retry=retry, clock=clock, events=events, rng=random.Random(1)
        )
        dispatcher = Dispatcher(
            store=store,
            targets=cast(Any, butlers),
            facts=butlers,
            contacts=Contacts(pool, clock),
            results=Results(pool),
            breakers=breakers,
            postponing=postponing,
            clocks=Clocks(),
            clock=clock,
            events=events,
        )
        self.advance = Advance(
            store=store,
            planner=ByText(),
            correctors=cast(Any, None),
            settlers=cast(Any, None),
            words=cast(Any, NothingHeld()),
            dispatcher=dispatcher,
            announcer=cast(Any, Quiet()),
            butlers=butlers,
            retry=retry,
            clock=clock,
            events=events,
        )
        self.completions = Completions(
            store=store,
            notifications=cast(Any, None),
            waker=Queue(self.queue),
            clocks=Clocks(),
            breakers=breakers,
            clock=clock,
            events=events,
            audit=Unheard(),
        )
        self._numbers = iter(range(1, 10_000))

    async def admit(self, text: str, *, chat: str = "1", tier: str = "default") -> UUID:
        """A message of the household; nothing has happened to it yet."""
        envelope = telegram(next(self._numbers), text, chat=chat)
        sender = SenderDecision("household", "allow", False, "test")
        decisions = Decisions(dedupe_key(envelope), sender, PASS_THROUGH, PolicyTier(tier))
        [admitted] = await self.lane.write([admission_row(envelope, new_uuid7(self.clock.now()), decisions)])
        return admitted.request_id

    async def work(self) -> None:
        """Do everything that is due at this moment."""
        while due := await self.queue.due(1):
            lease = await self.queue.claim(due[0].item_id)
            assert lease is not None
            match await self.advance(lease):
                case Finish():
                    await self.queue.finish(lease)
                case Defer(delay_s):
                    await self.queue.defer(lease, delay_s)
                case Unblock(delay_s):
                    await self.queue.unblock(lease, delay_s=delay_s)

    async def work_for(self, seconds: float) -> None:
        """Let so much time pass, from one due moment to the next."""
        until = self.clock.at + timedelta(seconds=seconds)
        await self.work()
        while (moment := await self._next_due()) is not None and moment <= until:
            await self.clock.move(moment)
            await self.work()
        await self.clock.move(until)
        await self.work()

    async def _next_due(self) -> datetime | None:
        moment: datetime | None = await self.pool.fetchval("SELECT min(available_at) FROM inbox_work")
        return max(moment, self.clock.at) if moment is not None else None

    async def ended(self, request_id: UUID) -> tuple[str, str | None, float] | None:
        """How a request ended, and after how many seconds; None while it has not."""
        row = await self.pool.fetchrow(
            "SELECT lifecycle_state, error_class, final_state_at - received_at AS after FROM message_inbox"
            " WHERE request_id = $1 AND final_state_at IS NOT NULL",
            request_id,
        )
        if row is None:
            return None
        return row["lifecycle_state"], row["error_class"], row["after"] / timedelta(seconds=1)

    async def tier_of(self, request_id: UUID) -> str:
        """What the request's metadata says of its tier."""
        tier: str = await self.pool.fetchval(
            "SELECT request_context ->> 'policy_tier' FROM message_inbox WHERE request_id = $1", request_id
        )
        return tier

    async def finish(self, request_id: UUID, error: ErrorDetail | None = None) -> None:
        """The butler that has this message ends its work."""
        envelope = self.butlers.accepted[request_id][-1]
        response = make_route_response(envelope, duration_ms=1.0, result={}, error=error)
        await self.completions.complete(butler(envelope.target.butler), response.to_wire())


@pytest.fixture
async def dispatching(provisioned: Provision) -> Any:
    database = await switchboard_database(provisioned)
    pool = await database.pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    await pool.execute("CREATE TABLE hand (at timestamptz NOT NULL)")
    await pool.execute("INSERT INTO hand VALUES ($1)", START)
    await pool.execute(
        "CREATE OR REPLACE FUNCTION clock_now() RETURNS timestamptz LANGUAGE sql STABLE"
        " AS $$ SELECT at FROM switchboard.hand $$"
    )
    await pool.expire_connections()
    made = Dispatching(pool, Hand(pool), Butlers())
    yield made
    await made.lane.close()
